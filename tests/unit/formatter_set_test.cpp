// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/set.hpp"

#include "support/cases/blittable.hpp"
#include "support/codec.hpp"

#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

using numbers = std::set<int16_t>;

TEST_CASE("a sorted set is its length and its elements in order") {
  CHECK(to_hex(encode(numbers{})) == "00");
  CHECK(to_hex(encode(numbers{3, 1, 2})) == "03010002000300");
  CHECK(to_hex(encode(std::set<int16_t, std::greater<>>{3, 1, 2})) == "03030002000100");
  CHECK(to_hex(encode(std::multiset<int16_t>{2, 1, 2})) == "03010002000200");
}

TEST_CASE("sets survive a round trip and replace what was there") {
  auto strings = std::set<std::string>{"", "a", "b", std::string(300, 'c')};
  auto xs = std::set<std::string>{"old"};
  CHECK(decode_into(xs, encode(strings)) == ec::none);
  CHECK(xs == strings);
  auto multi = std::multiset<int32_t>{5, 5, 5, 1};
  CHECK(decode<std::multiset<int32_t>>(encode(multi)) == multi);
  auto hashed = std::unordered_set<std::string>{"x", "y", "z"};
  auto ys = std::unordered_set<std::string>{"old", "x"};
  CHECK(decode_into(ys, encode(hashed)) == ec::none);
  CHECK(ys == hashed);
  auto multi_hashed = std::unordered_multiset<int32_t>{1, 1, 2};
  CHECK(decode<std::unordered_multiset<int32_t>>(encode(multi_hashed)) == multi_hashed);
  numbers large;
  for (int16_t i = -500; i < 500; ++i)
    large.insert(i);
  CHECK(decode<numbers>(encode(large)) == large);
}

TEST_CASE("elements of a sorted set ascend") {
  CHECK(decode_code<numbers>(from_hex("02 0200 0100")) == ec::unordered_keys);
  CHECK(decode_code<numbers>(from_hex("03 0100 0300 0200")) == ec::unordered_keys);
  CHECK(decode_code<numbers>(from_hex("02 0100 ffff")) == ec::unordered_keys);
  CHECK(decode_code<std::multiset<int16_t>>(from_hex("02 0200 0100")) == ec::unordered_keys);
  CHECK(decode_code<std::set<int16_t, std::greater<>>>(from_hex("02 0100 0200"))
        == ec::unordered_keys);
}

TEST_CASE("an element occurs once, unless the set allows more") {
  CHECK(decode_code<numbers>(from_hex("02 0100 0100")) == ec::duplicate_key);
  CHECK(decode_code<std::unordered_set<int16_t>>(from_hex("03 0100 0200 0100"))
        == ec::duplicate_key);
  CHECK(decode_code<std::multiset<int16_t>>(from_hex("02 0100 0100")) == ec::none);
  CHECK(decode_code<std::unordered_multiset<int16_t>>(from_hex("02 0100 0100")) == ec::none);
}

TEST_CASE("more elements than the input holds are refused") {
  CHECK(decode_code<numbers>(from_hex("02 0100")) == ec::length_exceeds_input);
  CHECK(decode_code<numbers>(from_hex("ffffffff0f 0100")) == ec::length_exceeds_input);
  CHECK(decode_code<std::set<std::string>>(from_hex("03 00 00")) == ec::length_exceeds_input);
}
