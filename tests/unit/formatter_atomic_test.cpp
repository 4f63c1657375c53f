// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/atomic.hpp"

#include "support/codec.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <vector>

using cafwire::ec;
using cafwire::layout::schema_of;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

struct counters {
  std::atomic<uint32_t> hits{0};
  std::atomic<bool> open{false};
  std::array<std::atomic<int8_t>, 2> levels = {};
};

template <class Inspector>
bool inspect(Inspector& f, counters& x) {
  return f.object(x).fields(f.field("hits", x.hits), f.field("open", x.open),
                            f.field("levels", x.levels));
}

/// Small enough for processors to handle at once.
struct omits_last {
  int32_t a;
  int32_t b;
};

template <class Inspector>
bool inspect(Inspector& f, omits_last& x) {
  return f.object(x).fields(f.field("a", x.a));
}

} // namespace

TEST_CASE("an atomic is its value") {
  auto x = std::atomic<int32_t>{-2};
  CHECK(to_hex(encode(x)) == "feffffff");
  CHECK(schema_of<std::atomic<int32_t>>().text == "i32");
  auto y = std::atomic<int32_t>{7};
  CHECK(decode_into(y, from_hex("feffffff")) == ec::none);
  CHECK(y == -2);
  CHECK(decode_into(y, from_hex("feffff")) == ec::unexpected_end);
  auto flag = std::atomic<bool>{true};
  CHECK(decode_into(flag, from_hex("02")) == ec::invalid_bool);
  CHECK(decode_into(flag, from_hex("00")) == ec::none);
  CHECK(flag == false);
}

TEST_CASE("structs and containers may hold atomics") {
  counters x;
  x.hits = 5;
  x.open = true;
  x.levels[1] = -1;
  CHECK(to_hex(encode(x))
        == "05000000"
           "01"
           "00ff");
  CHECK(schema_of<counters>().text == "{hits:u32,open:bool,levels:[2]i8}");
  CHECK(schema_of<counters>().fixed_size);
  counters y;
  y.hits = 9;
  CHECK(decode_into(y, encode(x)) == ec::none);
  CHECK(to_hex(encode(y)) == to_hex(encode(x)));
  // Elements that cannot be moved.
  std::list<std::atomic<int16_t>> list(3);
  list.front() = 1;
  CHECK(to_hex(encode(list))
        == "03"
           "0100"
           "0000"
           "0000");
  std::list<std::atomic<int16_t>> other(9);
  CHECK(decode_into(other, encode(list)) == ec::none);
  CHECK(other.size() == 3);
  CHECK(other.front() == 1);
  CHECK(decode_into(other, from_hex("ff01 0000")) == ec::length_exceeds_input);
}

TEST_CASE("an atomic struct keeps nothing of its old value") {
  auto x = std::atomic<omits_last>{omits_last{1, 2}};
  CHECK(to_hex(encode(x)) == "01000000");
  CHECK(decode_into(x, from_hex("05000000")) == ec::none);
  CHECK(x.load().a == 5);
  CHECK(x.load().b == 0);
}
