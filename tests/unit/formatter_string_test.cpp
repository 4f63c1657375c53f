// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/string.hpp"

#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <map>
#include <string>
#include <string_view>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;
using namespace std::literals;

namespace {

template <class String>
void check_lengths() {
  using char_type = typename String::value_type;
  for (size_t n : {0, 1, 15, 16, 63, 64, 65, 127, 128, 129, 255, 256, 257, 16383, 16384, 70000}) {
    String x;
    for (size_t i = 0; i < n; ++i)
      x += static_cast<char_type>(i % 251);
    for (size_t prefix = 0; prefix < 16; ++prefix) {
      auto text = std::string(prefix, 'x');
      auto bytes = encode(text, x);
      test::exact_copy input{bytes, prefix};
      auto y = String{1, 2, 3};
      std::string decoded_text;
      CHECK(cafwire::deserialize(input.get(), decoded_text, y) == ec::none);
      CHECK(decoded_text == text);
      CHECK((y == x));
      auto run = n * sizeof(char_type);
      auto begin = prefix + 1 + (n < 128 ? 1 : n < 16384 ? 2 : 3);
      CHECK(bytes.size() == (run < 256 ? begin : (begin + 15) / 16 * 16) + run);
    }
  }
}

} // namespace

TEST_CASE("a string is its length and its characters") {
  CHECK(to_hex(encode(""s)) == "00");
  CHECK(to_hex(encode("abc"s)) == "03616263");
  CHECK(to_hex(encode("a\0b"s)) == "03610062");
  CHECK(to_hex(encode("\0"s)) == "0100");
  CHECK(to_hex(encode(u"a\u20ac"s)) == "026100ac20");
  CHECK(to_hex(encode(U"a"s)) == "0161000000");
}

TEST_CASE("strings of chars survive a round trip at all sizes and offsets") {
  check_lengths<std::string>();
}

TEST_CASE("wide strings survive a round trip at all sizes and offsets") {
  check_lengths<std::u16string>();
  check_lengths<std::u32string>();
}

TEST_CASE("string views are written like strings") {
  CHECK(to_hex(encode("abc"sv)) == to_hex(encode("abc"s)));
  CHECK(to_hex(encode(u"abc"sv)) == to_hex(encode(u"abc"s)));
}

TEST_CASE("a string replaces the old one") {
  auto x = "a long string that is not stored in the object itself"s;
  CHECK(decode_into(x, from_hex("0162")) == ec::none);
  CHECK(x == "b");
  CHECK(decode_into(x, from_hex("00")) == ec::none);
  CHECK(x.empty());
}

TEST_CASE("a string replaces one of any length") {
  for (size_t old_size : {0, 1, 2, 4, 8, 15, 16, 17, 31, 32, 33, 300})
    for (size_t new_size : {0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 299, 301}) {
      std::string xs;
      for (size_t i = 0; i < new_size; ++i)
        xs += static_cast<char>('a' + i % 26);
      auto ys = std::string(old_size, 'z');
      REQUIRE(decode_into(ys, encode(xs)) == ec::none);
      REQUIRE(ys == xs);
      REQUIRE(ys.c_str()[new_size] == '\0');
    }
}

TEST_CASE("a string that is longer than the input is refused") {
  CHECK(decode_code<std::string>(from_hex("02 61")) == ec::length_exceeds_input);
  CHECK(decode_code<std::u16string>(from_hex("02 616263")) == ec::length_exceeds_input);
  CHECK(decode_code<std::u32string>(from_hex("01 616263")) == ec::length_exceeds_input);
  CHECK(decode_code<std::string>(from_hex("ffffffffffffffffff01 61")) == ec::length_exceeds_input);
  CHECK(decode_code<std::u32string>(from_hex("8080808080808080c001 61626364"))
        == ec::length_exceeds_input);
  CHECK(decode_code<std::string>(from_hex("")) == ec::unexpected_end);
  CHECK(decode_code<std::string>(from_hex("80")) == ec::unexpected_end);
}

TEST_CASE("alignment counts as input that a string cannot have") {
  // 256 characters are announced and 256 bytes follow, but some of them are alignment.
  auto bytes = from_hex("8002");
  bytes.resize(258);
  CHECK(decode_code<std::string>(bytes) == ec::length_exceeds_input);
  bytes.resize(16 + 256);
  CHECK(decode_code<std::string>(bytes) == ec::none);
}

TEST_CASE("strings of all kinds of characters have the width of these") {
  test::check_wire(std::u8string{u8"\u20ac"}, std::u8string{u8"old"}, {"seq(c8)", "03 e282ac"});
  test::check_wire(std::u16string{u"\u20ac"}, std::u16string{u"old"}, {"seq(c16)", "01 ac20"});
  test::check_wire(std::u32string{U"\u20ac"}, std::u32string{U"old"}, {"seq(c32)", "01 ac200000"});
  static_assert(sizeof(wchar_t) == 4, "the bytes below are those of a system with 32 bits");
  test::check_wire(std::wstring{L"\u20ac"}, std::wstring{L"old"}, {"seq(c32)", "01 ac200000"});
  // A string need not be valid Unicode: all values of a character survive.
  for (auto c : {char32_t{0}, char32_t{0xd800}, char32_t{0x110000}, char32_t{0xffffffff}})
    CHECK(test::decode<std::u32string>(encode(std::u32string(2, c))) == std::u32string(2, c));
}

TEST_CASE("strings of all kinds may hold zeros anywhere") {
  test::check_wire(std::string{"\0a\0", 3}, std::string{}, {"seq(c8)", "03 006100"});
  test::check_wire(std::u8string{u8"\0a", 2}, std::u8string{}, {"seq(c8)", "02 0061"});
  test::check_wire(std::u16string{u"\0a", 2}, std::u16string{}, {"seq(c16)", "02 0000 6100"});
  test::check_wire(std::wstring{L"\0", 1}, std::wstring{}, {"seq(c32)", "01 00000000"});
  using key = std::map<std::string, int8_t>;
  test::check_wire(key{{std::string{"a\0", 2}, int8_t{1}}, {"a", int8_t{2}}}, key{},
                   {"map(seq(c8),i8)", "02 0161 02 026100 01"});
}
