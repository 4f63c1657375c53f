// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/bit_sequence.hpp"

#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <bitset>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

using bits = std::vector<bool>;

TEST_CASE("bits are packed, the first one lowest") {
  CHECK(to_hex(encode(bits{})) == "00");
  CHECK(to_hex(encode(bits{true})) == "0101");
  CHECK(to_hex(encode(bits{false})) == "0100");
  CHECK(to_hex(encode(bits{false, true, true})) == "0306");
  CHECK(to_hex(encode(bits(8, true))) == "08ff");
  CHECK(to_hex(encode(bits(9, true))) == "09ff01");
}

TEST_CASE("bits survive a round trip at all sizes") {
  for (size_t n = 0; n < 300; ++n) {
    bits xs(n);
    for (size_t i = 0; i < n; ++i)
      xs[i] = i % 3 == 0 || i % 7 == 2;
    auto bytes = encode(xs);
    CHECK(bytes.size() == (n < 128 ? 1 : 2) + (n + 7) / 8);
    auto ys = bits(17, true);
    CHECK(decode_into(ys, bytes) == ec::none);
    CHECK(ys == xs);
  }
}

TEST_CASE("unused bits are zero") {
  for (size_t n = 1; n < 8; ++n) {
    for (size_t bit = 0; bit < 8; ++bit) {
      test::bytes bytes = {static_cast<std::byte>(n), std::byte{1} << bit};
      CHECK(decode_code<bits>(bytes) == (bit < n ? ec::none : ec::nonzero_padding));
    }
  }
}

TEST_CASE("more bits than the input has are refused") {
  CHECK(decode_code<bits>(from_hex("01")) == ec::length_exceeds_input);
  CHECK(decode_code<bits>(from_hex("09 ff")) == ec::length_exceeds_input);
  CHECK(decode_code<bits>(from_hex("ffffffffffffffffff01 ff")) == ec::length_exceeds_input);
  CHECK(decode_code<bits>(from_hex("f8ffffffffffffffff01 ff")) == ec::length_exceeds_input);
  CHECK(decode_code<bits>(from_hex("08 ff ff")) == ec::trailing_bytes);
}

TEST_CASE("a bitset is its bits without a length") {
  test::check_wire(std::bitset<4>{0b0101}, std::bitset<4>{0b1111}, {"bits(4)", "05"});
  test::check_wire(std::bitset<8>{0x81}, std::bitset<8>{}, {"bits(8)", "81"});
  test::check_wire(std::bitset<12>{0x801}, std::bitset<12>{0xfff}, {"bits(12)", "01 08"});
  test::check_wire(std::bitset<64>{0x0123456789abcdef}, std::bitset<64>{},
                   {"bits(64)", "efcdab8967452301"});
  test::check_wire(std::bitset<0>{}, std::bitset<0>{}, {"bits(0)", ""});
  using sets = std::vector<std::bitset<4>>;
  test::check_wire(sets{1, 2}, sets{3}, {"seq(bits(4))", "02 01 02"});
  // Of a fixed size, so many of them are a long run.
  CHECK(encode(sets(255)).size() == 2 + 255);
  CHECK(encode(sets(256)).size() == 16 + 256);
}

TEST_CASE("bitsets survive a round trip") {
  auto x = std::bitset<1000>{};
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = i % 3 == 0 || i % 7 == 2;
  CHECK(encode(x).size() == 125);
  CHECK(decode<std::bitset<1000>>(encode(x)) == x);
}

TEST_CASE("unused bits of a bitset are zero") {
  for (size_t bit = 0; bit < 8; ++bit) {
    test::bytes bytes = {std::byte{1} << bit};
    CHECK(decode_code<std::bitset<3>>(bytes) == (bit < 3 ? ec::none : ec::nonzero_padding));
    CHECK(decode_code<std::bitset<8>>(bytes) == ec::none);
  }
}
