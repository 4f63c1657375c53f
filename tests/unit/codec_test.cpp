// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/codec.hpp"

#include "support/cases/computed.hpp"
#include "support/codec.hpp"

#include <new>
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
