// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/codec.hpp"

#include "support/cases/computed.hpp"
#include "support/cases/reordered.hpp"
#include "support/codec.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using cafwire::deserialize;
using cafwire::ec;
using cafwire::limits;
using cafwire::output_buffer;
using cafwire::serialize;

namespace {

/// Fails in the way that its member says, in both directions.
struct failing {
  enum class way : uint8_t { not_at_all, returns_false, throws, out_of_memory, throws_number };

  way how = way::not_at_all;
};

template <class Inspector>
bool inspect(Inspector& f, failing& x) {
  auto number = static_cast<uint8_t>(x.how);
  if (!f.apply(number))
    return false;
  switch (number) {
    case 0:
      return true;
    case 1:
      return false;
    case 2:
      throw std::runtime_error{"no"};
    case 3:
      throw std::bad_alloc{};
    default:
      throw 42;
  }
}

/// A struct with a complex number inside, as signal processing has them.
struct sampled {
  std::complex<float> value;
  std::complex<double> more[2];
};

template <class Inspector>
bool inspect(Inspector& f, sampled& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("more", x.more));
}

} // namespace

TEST_CASE("values of one message stand one behind the other") {
  CHECK(test::to_hex(test::encode(uint8_t{1}, std::string{"ab"}, int16_t{-2})) == "01026162feff");
  auto bytes = test::from_hex("01026162feff");
  uint8_t a = 0;
  std::string b;
  int16_t c = 0;
  REQUIRE(deserialize(bytes, a, b, c) == ec::none);
  CHECK(a == 1);
  CHECK(b == "ab");
  CHECK(c == -2);
}

TEST_CASE("a message may be empty") {
  output_buffer out;
  CHECK(serialize(out) == ec::none);
  CHECK(out.empty());
  CHECK(deserialize(out.bytes()) == ec::none);
  CHECK(deserialize(test::bytes(1)) == ec::trailing_bytes);
}

TEST_CASE("messages are appended, and each counts its alignment from its own begin") {
  auto numbers = std::vector<int32_t>(100, 7);
  output_buffer alone;
  REQUIRE(serialize(alone, numbers) == ec::none);
  output_buffer out;
  REQUIRE(out.append("abc", 3));
  REQUIRE(serialize(out, numbers) == ec::none);
  CHECK(out.size() == 3 + alone.size());
  CHECK(test::to_hex(out.bytes().subspan(3)) == test::to_hex(alone.bytes()));
  std::vector<int32_t> decoded;
  CHECK(deserialize(out.bytes().subspan(3), decoded) == ec::none);
  CHECK(decoded == numbers);
}

TEST_CASE("a value that cannot be written leaves the buffer as it was") {
  for (auto how : {failing::way::returns_false, failing::way::throws, failing::way::out_of_memory,
                   failing::way::throws_number}) {
    output_buffer out;
    REQUIRE(out.append("abc", 3));
    auto want = how == failing::way::out_of_memory ? ec::out_of_memory : ec::inspect_failed;
    CHECK(serialize(out, std::string(500, 'x'), failing{how}) == want);
    CHECK(test::to_hex(out.bytes()) == "616263");
    CHECK(serialize(out, uint8_t{1}) == ec::none);
    CHECK(test::to_hex(out.bytes()) == "61626301");
  }
}

TEST_CASE("no exception leaves the reader") {
  failing x;
  CHECK(deserialize(test::from_hex("00"), x) == ec::none);
  CHECK(deserialize(test::from_hex("01"), x) == ec::inspect_failed);
  CHECK(deserialize(test::from_hex("02"), x) == ec::inspect_failed);
  CHECK(deserialize(test::from_hex("03"), x) == ec::out_of_memory);
  CHECK(deserialize(test::from_hex("04"), x) == ec::inspect_failed);
}

TEST_CASE("all bytes must be consumed") {
  int32_t x = 0;
  CHECK(deserialize(test::from_hex("01000000"), x) == ec::none);
  CHECK(deserialize(test::from_hex("0100000000"), x) == ec::trailing_bytes);
  CHECK(deserialize(test::from_hex("010000"), x) == ec::unexpected_end);
}

TEST_CASE("bounds may be a variable or a temporary, constant or not") {
  auto bytes = test::encode(std::vector<std::string>{"a"});
  std::vector<std::string> xs;
  auto variable = limits::untrusted();
  variable.max_depth = 0;
  CHECK(deserialize(bytes, variable, xs) == ec::depth_limit);
  const auto constant = variable;
  CHECK(deserialize(bytes, constant, xs) == ec::depth_limit);
  CHECK(deserialize(bytes, limits::trusted(), xs) == ec::none);
  CHECK(deserialize(bytes, xs) == ec::none);
}

TEST_CASE("callbacks run once per value and direction") {
  using test::cases::with_load_callback;
  using test::cases::with_save_callback;
  auto saves = with_save_callback::calls;
  auto bytes = test::encode(with_save_callback{1, 2});
  CHECK(with_save_callback::calls == saves + 1);
  auto loads = with_load_callback::calls;
  with_load_callback x;
  REQUIRE(test::decode_into(x, bytes) == ec::none);
  CHECK(with_load_callback::calls == loads + 1);
  CHECK(test::decode_code<with_load_callback>(test::from_hex("0d00000001000000"))
        == ec::callback_failed);
}

TEST_CASE("a reference member is the object that it refers to") {
  auto target = int32_t{5};
  auto x = test::cases::with_reference{target, 7};
  CHECK(test::to_hex(test::encode(x)) == "0500000007000000");
  CHECK(test::decode_into(x, test::from_hex("0600000008000000")) == ec::none);
  CHECK(target == 6);
  CHECK(x.a == 8);
  auto other = int32_t{0};
  auto y = test::cases::with_reference{other, 0};
  CHECK(test::decode_into(y, test::from_hex("0600000008")) == ec::unexpected_end);
}

TEST_CASE("complex members are copied with the struct if nothing lies between them") {
  STATIC_CHECK(cafwire::layout::blit_candidate<sampled>);
  CHECK(cafwire::layout::may_blit_save<sampled>());
  CHECK(cafwire::layout::may_blit_load<sampled>());
  auto x = sampled{{1, 2}, {{3, 4}, {5, 6}}};
  auto bytes = test::encode(x);
  CHECK(test::to_hex(bytes)
        == test::to_hex(test::encode(1.0f, 2.0f, std::array<double, 4>{3, 4, 5, 6})));
  auto y = sampled{};
  CHECK(test::decode_into(y, bytes) == ec::none);
  CHECK(y.more[1] == x.more[1]);
}

TEST_CASE("short arrays of floats have the bytes of their elements") {
  for (size_t n = 0; n <= 33; ++n) {
    std::vector<float> xs;
    test::bytes want;
    for (size_t i = 0; i < n; ++i) {
      xs.push_back(static_cast<float>(i) * 0.3f - 2);
      auto bytes = test::encode(xs.back());
      want.insert(want.end(), bytes.begin(), bytes.end());
    }
    auto got = test::encode(xs);
    REQUIRE(got.size() == want.size() + 1);
    CHECK(test::to_hex(std::span{got}.subspan(1)) == test::to_hex(want));
    CHECK(test::decode<std::vector<float>>(got) == xs);
  }
}
