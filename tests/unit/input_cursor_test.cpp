// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/input_cursor.hpp"

#include "support/bytes.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <string_view>

using cafwire::ec;
using cafwire::input_cursor;

TEST_CASE("a cursor over nothing is at its end") {
  for (auto in : {input_cursor{}, input_cursor{std::span<const std::byte>{}}}) {
    CHECK(in.at_end());
    CHECK(in.remaining() == 0);
    CHECK(in.offset() == 0);
    uint8_t number = 1;
    CHECK(in.read_integer(number) == ec::unexpected_end);
    CHECK(number == 1);
    std::string_view text;
    CHECK(in.read_string(text) == ec::unexpected_end);
    CHECK(in.skip_alignment() == ec::none);
  }
}

TEST_CASE("integers are little endian") {
  test::exact_copy bytes{test::from_hex("01 0203 04050607 08090a0b0c0d0e0f")};
  input_cursor in{bytes.get()};
  uint8_t u8 = 0;
  uint16_t u16 = 0;
  uint32_t u32 = 0;
  uint64_t u64 = 0;
  CHECK(in.read_integer(u8) == ec::none);
  CHECK(in.read_integer(u16) == ec::none);
  CHECK(in.read_integer(u32) == ec::none);
  CHECK(in.offset() == 7);
  CHECK(in.remaining() == 8);
  CHECK(in.read_integer(u64) == ec::none);
  CHECK(in.at_end());
  CHECK(u8 == 0x01);
  CHECK(u16 == 0x0302);
  CHECK(u32 == 0x07060504u);
  CHECK(u64 == 0x0f0e0d0c0b0a0908u);
}

TEST_CASE("an integer that is cut off leaves cursor and number alone") {
  test::exact_copy bytes{test::from_hex("010203")};
  input_cursor in{bytes.get()};
  uint32_t number = 7;
  CHECK(in.read_integer(number) == ec::unexpected_end);
  CHECK(number == 7);
  CHECK(in.offset() == 0);
}

TEST_CASE("a string is a view into the input") {
  test::exact_copy bytes{test::from_hex("03 610062 00 01 78")};
  input_cursor in{bytes.get()};
  std::string_view text;
  REQUIRE(in.read_string(text) == ec::none);
  CHECK(text == std::string_view{"a\0b", 3});
  CHECK(static_cast<const void*>(text.data()) == bytes.get().data() + 1);
  REQUIRE(in.read_string(text) == ec::none);
  CHECK(text.empty());
  REQUIRE(in.read_string(text) == ec::none);
  CHECK(text == "x");
  CHECK(in.at_end());
}

TEST_CASE("a string that is longer than the input leaves the cursor alone") {
  for (auto hex : {"04 616263", "ff7f 61", "ffffffffffffffffff01 61"}) {
    test::exact_copy bytes{test::from_hex(hex)};
    input_cursor in{bytes.get()};
    std::string_view text = "old";
    CHECK(in.read_string(text) == ec::length_exceeds_input);
    CHECK(in.offset() == 0);
    CHECK(text == "old");
  }
}

TEST_CASE("alignment is counted from the begin of the input, wherever that is in memory") {
  for (size_t shift = 0; shift < 16; ++shift) {
    test::exact_copy bytes{test::bytes(48), shift};
    for (size_t offset = 0; offset <= 32; ++offset) {
      input_cursor in{bytes.get()};
      in.advance(offset);
      CHECK(in.skip_alignment() == ec::none);
      CHECK(in.offset() == (offset + 15) / 16 * 16);
    }
  }
}

TEST_CASE("alignment must be zero") {
  for (size_t bad = 1; bad < 16; ++bad) {
    auto bytes = test::bytes(20);
    bytes[bad] = std::byte{0x80};
    input_cursor in{bytes};
    in.advance(1);
    CHECK(in.skip_alignment() == ec::nonzero_padding);
    CHECK(in.offset() == 1);
  }
}

TEST_CASE("alignment that is cut off leaves the cursor alone") {
  test::exact_copy bytes{test::bytes(15)};
  input_cursor in{bytes.get()};
  in.advance(1);
  CHECK(in.skip_alignment() == ec::unexpected_end);
  CHECK(in.offset() == 1);
}

TEST_CASE("the position can be set") {
  test::exact_copy bytes{test::from_hex("0102")};
  input_cursor in{bytes.get()};
  auto* start = in.position();
  in.advance(2);
  CHECK(in.position() == in.end());
  in.position(start);
  CHECK(in.remaining() == 2);
}
