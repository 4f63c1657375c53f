// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/map.hpp"

#include "support/cases/judged.hpp"
#include "support/codec.hpp"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

using small_map = std::map<int8_t, int8_t>;

TEST_CASE("a sorted map is its length and its entries in order of the keys") {
  CHECK(to_hex(encode(small_map{})) == "00");
  CHECK(to_hex(encode(small_map{{2, 20}, {1, 10}})) == "02010a0214");
  CHECK(to_hex(encode(std::map<int8_t, int8_t, std::greater<>>{{2, 20}, {1, 10}})) == "020214010a");
  CHECK(to_hex(encode(std::map<std::string, bool>{{"a", true}})) == "01016101");
}

TEST_CASE("maps survive a round trip and replace what was there") {
  using type = std::map<std::string, std::vector<std::string>>;
  auto xs = type{{"", {}}, {"a", {"b", "c"}}, {"d", {std::string(300, 'e')}}};
  auto ys = type{{"a", {"old"}}, {"z", {"old"}}};
  CHECK(decode_into(ys, encode(xs)) == ec::none);
  CHECK(ys == xs);
  auto multi = std::multimap<int8_t, std::string>{{1, "b"}, {1, "a"}, {0, "c"}};
  CHECK(decode<std::multimap<int8_t, std::string>>(encode(multi)) == multi);
  auto hashed = std::unordered_map<std::string, int32_t>{{"x", 1}, {"y", 2}};
  auto zs = std::unordered_map<std::string, int32_t>{{"x", 9}, {"old", 9}};
  CHECK(decode_into(zs, encode(hashed)) == ec::none);
  CHECK(zs == hashed);
  auto multi_hashed = std::unordered_multimap<int8_t, int8_t>{{1, 1}, {1, 1}, {2, 2}};
  CHECK(decode<std::unordered_multimap<int8_t, int8_t>>(encode(multi_hashed)) == multi_hashed);
}

TEST_CASE("keys of a sorted map ascend") {
  CHECK(decode_code<small_map>(from_hex("02 0200 0100")) == ec::unordered_keys);
  CHECK(decode_code<std::multimap<int8_t, int8_t>>(from_hex("02 0200 0100")) == ec::unordered_keys);
}

TEST_CASE("a key occurs once, unless the map allows more") {
  CHECK(decode_code<small_map>(from_hex("02 0100 0101")) == ec::duplicate_key);
  CHECK(decode_code<std::unordered_map<int8_t, int8_t>>(from_hex("02 0100 0101"))
        == ec::duplicate_key);
  CHECK(decode_code<std::multimap<int8_t, int8_t>>(from_hex("02 0100 0101")) == ec::none);
}

TEST_CASE("entries with equal keys keep their order") {
  using type = std::multimap<int8_t, int8_t>;
  auto bytes = from_hex("03 0103 0101 0102");
  auto xs = decode<type>(bytes);
  CHECK(to_hex(encode(xs)) == to_hex(bytes));
}

TEST_CASE("keys and values are judged") {
  using colors = std::map<test::cases::color, bool>;
  CHECK(decode_code<colors>(from_hex("01 00000000 01")) == ec::none);
  CHECK(decode_code<colors>(from_hex("01 09000000 01")) == ec::invalid_enum);
  CHECK(decode_code<colors>(from_hex("01 00000000 02")) == ec::invalid_bool);
}

TEST_CASE("more entries than the input holds are refused") {
  CHECK(decode_code<small_map>(from_hex("02 0100")) == ec::unexpected_end);
  CHECK(decode_code<small_map>(from_hex("ffffffff0f 0100")) == ec::length_exceeds_input);
  CHECK(decode_code<small_map>(from_hex("ffffffffffffffffff01 0100")) == ec::length_exceeds_input);
}
