// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/varint.hpp"

#include "cafwire/wire/input_cursor.hpp"

#include "support/bytes.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using cafwire::ec;

namespace {

std::string write(uint64_t x) {
  std::array<std::byte, cafwire::max_varint_size> memory;
  auto* end = cafwire::write_varint(memory.data(), x);
  return test::to_hex({memory.data(), end});
}

ec read(std::string_view hex, uint64_t& x) {
  test::exact_copy input{test::from_hex(hex)};
  cafwire::input_cursor in{input.get()};
  auto code = in.read_varint(x);
  if (code != ec::none)
    CHECK(in.offset() == 0);
  else
    CHECK(in.at_end());
  return code;
}

ec read_code(std::string_view hex) {
  uint64_t x = 0;
  return read(hex, x);
}

} // namespace

TEST_CASE("varints hold seven bits per byte, lowest first") {
  CHECK(write(0) == "00");
  CHECK(write(1) == "01");
  CHECK(write(127) == "7f");
  CHECK(write(128) == "8001");
  CHECK(write(255) == "ff01");
  CHECK(write(300) == "ac02");
  CHECK(write(16383) == "ff7f");
  CHECK(write(16384) == "808001");
  CHECK(write(std::numeric_limits<uint32_t>::max()) == "ffffffff0f");
  CHECK(write(std::numeric_limits<uint64_t>::max()) == "ffffffffffffffffff01");
}

TEST_CASE("all edges of varints survive a round trip in the announced size") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    auto edge = uint64_t{1} << bit;
    for (auto x : {edge - 1, edge, edge + 1}) {
      auto hex = write(x);
      CHECK(hex.size() == 2 * cafwire::varint_size(x));
      uint64_t y = ~x;
      CHECK(read(hex, y) == ec::none);
      CHECK(y == x);
    }
  }
  CHECK(cafwire::varint_size(std::numeric_limits<uint64_t>::max()) == cafwire::max_varint_size);
}

TEST_CASE("a varint that is cut off is an unexpected end") {
  CHECK(read_code("") == ec::unexpected_end);
  std::string hex;
  for (auto length = 1; length < 10; ++length) {
    hex += "80";
    CHECK(read_code(hex) == ec::unexpected_end);
  }
}

TEST_CASE("a varint with trailing zero groups is refused, whatever its length") {
  for (auto first : {"80", "81", "ff"}) {
    std::string hex = first;
    for (auto length = 2; length <= 10; ++length) {
      CHECK(read_code(hex + "00") == ec::invalid_varint);
      hex += "80";
    }
  }
}

TEST_CASE("a varint of more than 64 bits is refused") {
  CHECK(read_code("ffffffffffffffffff01") == ec::none);
  CHECK(read_code("80808080808080808001") == ec::none);
  CHECK(read_code("80808080808080808002") == ec::invalid_varint);
  CHECK(read_code("ffffffffffffffffff02") == ec::invalid_varint);
  CHECK(read_code("ffffffffffffffffff7f") == ec::invalid_varint);
  // Eleven bytes: the tenth says that more follow.
  CHECK(read_code("8080808080808080808001") == ec::invalid_varint);
  CHECK(read_code("8080808080808080808100") == ec::invalid_varint);
  CHECK(read_code("ffffffffffffffffffffff") == ec::invalid_varint);
}

TEST_CASE("a failed read leaves the number alone") {
  uint64_t x = 42;
  CHECK(read("8000", x) == ec::invalid_varint);
  CHECK(x == 42);
  CHECK(read("80", x) == ec::unexpected_end);
  CHECK(x == 42);
}
