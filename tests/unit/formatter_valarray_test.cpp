// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/valarray.hpp"

#include "support/cases/padded.hpp"
#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <valarray>
#include <vector>

using cafwire::ec;
using test::check_wire;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

constexpr auto same = [](const auto& xs, const auto& ys) {
  return xs.size() == ys.size() && std::equal(std::begin(xs), std::end(xs), std::begin(ys));
};

} // namespace

TEST_CASE("a valarray has the encoding of a vector") {
  using type = std::valarray<int16_t>;
  check_wire(type{1, 2, -1}, type{9}, {"seq(i16)", "03 0100 0200 ffff"}, same);
  check_wire(type{1, 2, -1}, type{9, 9, 9}, {"seq(i16)", "03 0100 0200 ffff"}, same);
  check_wire(type{}, type{9}, {"seq(i16)", "00"}, same);
  using flags = std::valarray<bool>;
  check_wire(flags{true, false}, flags{}, {"seq(bool)", "02 01 00"}, same);
  using strings = std::valarray<std::string>;
  check_wire(strings{"a", ""}, strings{"old", "older", "oldest"}, {"seq(seq(c8))", "02 0161 00"},
             same);
  for (size_t n : {31, 32, 33, 1000}) {
    auto numbers = std::vector<double>(n);
    for (size_t i = 0; i < n; ++i)
      numbers[i] = static_cast<double>(i) / 3;
    auto array = std::valarray<double>(numbers.data(), n);
    CHECK(to_hex(encode(array)) == to_hex(encode(numbers)));
    auto decoded = std::valarray<double>(5);
    CHECK(decode_into(decoded, encode(numbers)) == ec::none);
    CHECK(same(decoded, array));
  }
}

TEST_CASE("a valarray of structs replaces what was there") {
  using test::cases::omits_last;
  auto xs = std::valarray<omits_last>(omits_last{7, 8, 9}, 2);
  auto bytes = encode(xs);
  CHECK(to_hex(bytes)
        == "02"
           "0700000008000000"
           "0700000008000000");
  CHECK(decode_into(xs, bytes) == ec::none);
  CHECK(xs[1].b == 8);
  CHECK(xs[1].c == 0);
}

TEST_CASE("a valarray is read within limits") {
  test::check_hostile_length(std::valarray<int32_t>{1});
  test::check_hostile_length(std::valarray<bool>{true});
  test::check_hostile_length(std::valarray<std::string>{"a"});
  CHECK(decode_code<std::valarray<bool>>(from_hex("02 01 02")) == ec::invalid_bool);
  // The alignment takes the bytes of the last elements.
  auto bytes = encode(std::valarray<uint8_t>(uint8_t{5}, 300));
  bytes.pop_back();
  CHECK(decode_code<std::valarray<uint8_t>>(bytes) == ec::length_exceeds_input);
}
