// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/product.hpp"

#include "support/cases/judged.hpp"
#include "support/cases/padded.hpp"
#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <array>
#include <complex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::encode;
using test::from_hex;
using test::to_hex;
using namespace test::cases;

TEST_CASE("pairs and tuples are their elements") {
  CHECK(to_hex(encode(std::pair<int8_t, int32_t>{1, 2})) == "0102000000");
  CHECK(to_hex(encode(std::tuple<int8_t, std::string, bool>{1, "ab", true})) == "0102616201");
  CHECK(to_hex(encode(std::tuple<>{})) == "");
  CHECK(to_hex(encode(std::tuple<std::pair<int8_t, int8_t>, std::tuple<int8_t>>{{1, 2}, {3}}))
        == "010203");
  auto x = std::tuple<int8_t, std::string, bool>{1, "ab", true};
  CHECK(decode<std::tuple<int8_t, std::string, bool>>(encode(x)) == x);
  auto y = std::pair<std::string, double>{"x", 1.5};
  CHECK(decode<std::pair<std::string, double>>(encode(y)) == y);
}

TEST_CASE("arrays are their elements, without a length") {
  CHECK(to_hex(encode(std::array<int16_t, 3>{1, 2, 3})) == "010002000300");
  CHECK(to_hex(encode(std::array<std::string, 2>{"a", ""})) == "016100");
  CHECK(to_hex(encode(std::array<std::array<int8_t, 2>, 2>{{{1, 2}, {3, 4}}})) == "01020304");
  int16_t row[] = {1, 2, 3};
  CHECK(to_hex(encode(row)) == "010002000300");
  int8_t grid[2][2] = {{1, 2}, {3, 4}};
  CHECK(to_hex(encode(grid)) == "01020304");
  auto x = std::array<std::string, 3>{"a", "b", "c"};
  CHECK(decode<std::array<std::string, 3>>(encode(x)) == x);
  int16_t decoded[3] = {};
  CHECK(test::decode_into(decoded, encode(row)) == ec::none);
  CHECK(decoded[2] == 3);
}

TEST_CASE("arrays never begin a long run") {
  CHECK(encode(std::array<uint64_t, 100>{}).size() == 800);
  CHECK(encode(int8_t{1}, std::array<uint64_t, 100>{}).size() == 801);
}

TEST_CASE("an array without elements is nothing") {
  CHECK(encode(std::array<point, 0>{}).empty());
  CHECK(decode_code<std::array<point, 0>>(from_hex("")) == ec::none);
  CHECK(decode_code<std::array<int32_t, 0>>(from_hex("")) == ec::none);
  CHECK(decode_code<std::array<std::string, 0>>(from_hex("")) == ec::none);
}

TEST_CASE("arrays of all kinds of elements survive a round trip") {
  auto check = [](auto xs) {
    CHECK(to_hex(encode(decode<decltype(xs)>(encode(xs)))) == to_hex(encode(xs)));
  };
  check(std::array<point, 3>{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}});
  check(std::array<padded_middle, 3>{{{1, 2}, {3, 4}, {5, 6}}});
  check(std::array<flags, 2>{{{1, true, false, 2}, {3, false, true, 4}}});
  check(std::array<bool, 3>{true, false, true});
  check(std::array<long double, 2>{1.5L, -2.25L});
  check(std::array<color, 2>{color::red, color::blue});
}

TEST_CASE("a bad element makes the array bad") {
  CHECK(decode_code<std::array<bool, 3>>(from_hex("010002")) == ec::invalid_bool);
  CHECK(decode_code<std::array<flags, 1>>(from_hex("00000000 00 03 0000")) == ec::invalid_bool);
  CHECK(decode_code<std::array<color, 1>>(from_hex("05000000")) == ec::invalid_enum);
  CHECK(decode_code<std::array<int32_t, 2>>(from_hex("05000000000000")) == ec::unexpected_end);
  CHECK(decode_code<std::array<point, 2>>(test::bytes(23)) == ec::unexpected_end);
}

TEST_CASE("a complex number is its two parts") {
  using type = std::complex<float>;
  test::check_wire(type{1.5f, -2.0f}, type{9, 9}, {"(f32,f32)", "0000c03f 000000c0"});
  using wide = std::complex<long double>;
  test::check_wire(wide{1.0L, -2.0L}, wide{},
                   {"(f80,f80)", "0000000000000080ff3f 000000000000008000c0"});
  // As two numbers in memory, so that they are copied in bulk.
  STATIC_CHECK(cafwire::layout::blit_candidate<type>);
  CHECK(cafwire::layout::may_blit_save<type>());
  CHECK(cafwire::layout::may_blit_load<type>());
  CHECK_FALSE(cafwire::layout::may_blit_save<wide>());
  CHECK_FALSE(cafwire::layout::may_blit_load<wide>());
  for (size_t n : {0, 1, 31, 32, 33, 500}) {
    std::vector<type> xs(n);
    std::vector<std::pair<float, float>> pairs(n);
    for (size_t i = 0; i < n; ++i) {
      pairs[i] = {static_cast<float>(i), -1.0f};
      xs[i] = {pairs[i].first, pairs[i].second};
    }
    CHECK(to_hex(encode(xs)) == to_hex(encode(pairs)));
    CHECK(decode<std::vector<type>>(encode(pairs)) == xs);
  }
}
