// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/scalar.hpp"

#include "support/cases/computed.hpp"
#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

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

TEST_CASE("durations have any period and any number") {
  using namespace std::chrono;
  test::check_wire(duration<int8_t, std::atto>{-1}, duration<int8_t, std::atto>{},
                   {"duration(i8,1/1000000000000000000)", "ff"});
  test::check_wire(duration<uint16_t, std::ratio<604800>>{2},
                   duration<uint16_t, std::ratio<604800>>{}, {"duration(u16,604800/1)", "0200"});
  test::check_wire(duration<float, std::ratio<7, 9>>{1.5f}, duration<float, std::ratio<7, 9>>{},
                   {"duration(f32,7/9)", "0000c03f"});
  auto nan = duration<double>{std::numeric_limits<double>::quiet_NaN()};
  CHECK(std::isnan(decode<duration<double>>(encode(nan)).count()));
}

TEST_CASE("time points of all clocks are ticks since the epoch of their clock") {
  using namespace std::chrono;
  using steady = steady_clock::time_point;
  test::check_wire(steady{nanoseconds{-2}}, steady{},
                   {"time_point(i64,1/1000000000)", "feffffffffffffff"});
  using file = std::chrono::time_point<file_clock, seconds>;
  test::check_wire(file{seconds{1}}, file{}, {"time_point(i64,1/1)", "0100000000000000"});
  using day = sys_days;
  test::check_wire(day{days{-1}}, day{}, {"time_point(i64,86400/1)", "ffffffffffffffff"});
}

TEST_CASE("integers of 128 bits are numbers") {
  using cafwire::layout::int128;
  using cafwire::layout::uint128;
  test::check_wire(int128{-2}, int128{5}, {"i128", "fe ffffffffffffff ffffffffffffffff"});
  test::check_wire(uint128{1} << 100, uint128{}, {"u128", "0000000000000000 0000000010000000"});
  using list = std::vector<int128>;
  test::check_wire(list{1}, list{2, 3}, {"seq(i128)", "01 01000000000000000000000000000000"});
  test::check_hostile_length(list{1});
  CHECK(encode(list(16)).size() == 16 + 256);
}
