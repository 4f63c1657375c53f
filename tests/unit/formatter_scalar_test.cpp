// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/scalar.hpp"

#include "support/cases/computed.hpp"
#include "support/codec.hpp"

#include <chrono>
#include <cstdint>
#include <limits>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::encode;
using test::from_hex;
using test::to_hex;
using namespace test::cases;

namespace {

/// Without an `inspect` overload: all integers are welcome.
enum class plain : uint16_t {
  one = 1,
  two = 2,
};

enum old_style : int8_t {
  minus = -1,
  plus = 1,
};

enum class toggle : bool {
  off,
  on,
};

} // namespace

TEST_CASE("enums without an overload are their integer") {
  CHECK(to_hex(encode(plain::two)) == "0200");
  CHECK(decode<plain>(from_hex("0200")) == plain::two);
  CHECK(static_cast<int>(decode<plain>(from_hex("ffff"))) == 0xffff);
  CHECK(to_hex(encode(minus)) == "ff");
  CHECK(decode<old_style>(from_hex("ff")) == minus);
  CHECK(to_hex(encode(toggle::on)) == "01");
  CHECK(decode<toggle>(from_hex("01")) == toggle::on);
  CHECK(decode_code<toggle>(from_hex("02")) == ec::invalid_bool);
}

TEST_CASE("enums with an overload are what it writes") {
  CHECK(to_hex(encode(color::blue)) == "02000000");
  CHECK(decode<color>(from_hex("01000000")) == color::green);
  CHECK(decode_code<color>(from_hex("03000000")) == ec::invalid_enum);
  CHECK(decode_code<color>(from_hex("030000")) == ec::unexpected_end);
  CHECK(to_hex(encode(narrow::two)) == "01");
  CHECK(decode<narrow>(from_hex("01")) == narrow::two);
  CHECK(decode_code<narrow>(from_hex("02")) == ec::invalid_enum);
}

TEST_CASE("durations and time points are their number of ticks") {
  using namespace std::chrono;
  CHECK(to_hex(encode(milliseconds{300})) == "2c01000000000000");
  CHECK(to_hex(encode(duration<int16_t>{-2})) == "feff");
  CHECK(to_hex(encode(duration<float>{1.0f})) == "0000803f");
  CHECK(to_hex(encode(duration<long double>{1.0L})) == "0000000000000080ff3f");
  CHECK(decode<milliseconds>(from_hex("2c01000000000000")) == milliseconds{300});
  CHECK(decode<duration<long double>>(from_hex("0000000000000080ff3f")).count() == 1.0L);
  using point_in_time = time_point<system_clock, nanoseconds>;
  for (auto ticks : {std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0},
                     std::numeric_limits<int64_t>::max()}) {
    auto x = point_in_time{nanoseconds{ticks}};
    CHECK(decode<point_in_time>(encode(x)) == x);
    CHECK(to_hex(encode(x)) == to_hex(encode(ticks)));
  }
}
