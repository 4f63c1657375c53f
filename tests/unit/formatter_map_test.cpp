// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/map.hpp"

#include "support/cases/judged.hpp"
#include "support/codec.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <initializer_list>
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

TEST_CASE("entries stay where they are while the keys are the old ones") {
  using type = std::map<std::string, int32_t>;
  auto xs = type{{"", 1}, {"a", 2}, {std::string("b\0c", 3), 3}, {std::string(300, 'd'), 4}};
  auto ys = xs;
  for (auto& [key, value] : ys)
    value = -1;
  std::vector<const int32_t*> places;
  for (auto& [key, value] : ys)
    places.push_back(&value);
  REQUIRE(decode_into(ys, encode(xs)) == ec::none);
  CHECK(ys == xs);
  auto place = places.begin();
  for (auto& [key, value] : ys)
    CHECK(&value == *place++);
}

TEST_CASE("a map replaces any other map") {
  // All pairs of subsets of five keys: old entries in front, between and behind, and none.
  auto subset = []<class T>(unsigned bits, T make_key, int32_t value) {
    std::map<decltype(make_key(0)), int32_t> result;
    for (int i = 0; i < 5; ++i)
      if ((bits >> i & 1) != 0)
        result.emplace(make_key(i), value);
    return result;
  };
  auto text = [](int i) { return std::string(static_cast<size_t>(i), 'x') + "y"; };
  auto number = [](int i) { return static_cast<int64_t>(i) - 2; };
  auto truth = [](int i) { return i > 2; };
  auto check = [&](auto make_key) {
    for (unsigned old_bits = 0; old_bits < 32; ++old_bits)
      for (unsigned new_bits = 0; new_bits < 32; ++new_bits) {
        auto xs = subset(new_bits, make_key, 1);
        auto ys = subset(old_bits, make_key, 2);
        REQUIRE(decode_into(ys, encode(xs)) == ec::none);
        REQUIRE(ys == xs);
      }
  };
  check(text);
  check(number);
  check(truth);
}

TEST_CASE("errors are the same in maps that hold entries already") {
  auto check = []<class T>(const T& old, std::initializer_list<const char*> inputs) {
    for (auto* input : inputs) {
      INFO(input);
      auto expected = decode_code<T>(from_hex(input));
      REQUIRE(expected != ec::none);
      auto xs = old;
      CHECK(decode_into(xs, from_hex(input)) == expected);
    }
  };
  check(small_map{{1, 10}, {2, 20}},
        {"02 0100 0100", "02 0200 0100", "03 0100 0200 0200", "03 0100 0200 0100", "02 0100 02",
         "02 0100", "03 0100 0200", "01 0100 00"});
  check(std::map<std::string, bool>{{"a", true}, {"b", false}},
        {"01 0161 02", "02 0161 01 0161 00", "02 0161 01 0160 00", "02 0161 01 01",
         "02 0161 01 0262", "02 0161 01 0162 02", "03 0161 01 0162 00 0162 00", "01 8100 61 01",
         "02 0161 01 ff"});
  check(std::map<bool, bool>{{false, false}, {true, true}}, {"01 02 00", "02 00 00 02 00"});
}

TEST_CASE("keys that only count as equal are replaced") {
  struct ignores_case {
    bool operator()(const std::string& x, const std::string& y) const {
      return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(),
                                          [](unsigned char a, unsigned char b) {
                                            return std::tolower(a) < std::tolower(b);
                                          });
    }
  };
  using type = std::map<std::string, int8_t, ignores_case>;
  auto xs = type{{"a", 1}, {"B", 2}, {"c", 3}};
  REQUIRE(decode_into(xs, from_hex("03 0161 04 0162 05 0143 06")) == ec::none);
  CHECK(to_hex(encode(xs)) == "03016104016205014306");
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

TEST_CASE("an unordered map makes room for its entries once") {
  using map = std::unordered_map<uint32_t, uint32_t>;
  for (uint32_t n : {0u, 1u, 12u, 13u, 1000u}) {
    map x;
    for (uint32_t i = 0; i < n; ++i)
      x.emplace(i, 1);
    map reserved;
    reserved.reserve(n);
    map y;
    CHECK(decode_into(y, encode(x)) == ec::none);
    CHECK(y == x);
    // Without a reservation, the first entry makes room for some.
    CHECK(y.bucket_count() <= std::max(reserved.bucket_count(), size_t{13}));
    // A map with room keeps it.
    map z;
    z.reserve(5000);
    auto buckets = z.bucket_count();
    CHECK(decode_into(z, encode(x)) == ec::none);
    CHECK(z == x);
    CHECK(z.bucket_count() == buckets);
  }
  // What the input does not back gets no room.
  map y;
  CHECK(decode_into(y, from_hex("c0843d" + std::string(160, '0'))) == ec::length_exceeds_input);
  CHECK(y.bucket_count() < 100);
}
