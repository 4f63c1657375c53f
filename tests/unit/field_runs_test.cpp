// This file is part of cafwire. See the file LICENSE for license terms.

// Fields in a row share one check of the bounds. Nothing of that may show: neither in the bytes nor
// in the errors.

#include "cafwire/inspect/field_runs.hpp"

#include "support/codec.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

enum class shade : uint16_t { light = 0x1122, dark = 0x3344 };

/// Runs of fixed size, of varying size, and fields that end runs.
struct medley {
  bool first = false;
  int32_t number = 0;
  shade tone = shade::light;
  std::string name;
  std::array<int16_t, 3> triple = {};
  std::vector<uint32_t> numbers;
  std::map<std::string, uint8_t> entries;
  std::optional<std::string> remark;
  long double precise = 0;
  std::chrono::milliseconds pause{0};
  std::pair<uint8_t, std::string> tail;

  friend bool operator==(const medley&, const medley&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, medley& x) {
  return f.object(x).fields(f.field("first", x.first), f.field("number", x.number),
                            f.field("tone", x.tone), f.field("name", x.name),
                            f.field("triple", x.triple), f.field("numbers", x.numbers),
                            f.field("entries", x.entries), f.field("remark", x.remark),
                            f.field("precise", x.precise), f.field("pause", x.pause),
                            f.field("tail", x.tail));
}

/// What a writer would append field by field.
test::bytes one_by_one(const medley& x) {
  auto result = encode(x.first);
  auto append = [&](const auto& field) {
    auto more = encode(field);
    result.insert(result.end(), more.begin(), more.end());
  };
  append(x.number);
  append(x.tone);
  append(x.name);
  append(x.triple);
  append(x.numbers);
  append(x.entries);
  append(x.remark);
  append(x.precise);
  append(x.pause);
  append(x.tail);
  return result;
}

medley make_medley() {
  return {true,      0x01020304,           shade::dark, "name", {1, 2, 3},
          {7, 8, 9}, {{"a", 1}, {"b", 2}}, "remark",    1.5L,   std::chrono::milliseconds{5},
          {6, "end"}};
}

/// Invariants and bools inside of a run.
struct guarded {
  int32_t small = 0;
  bool flag = false;
  int32_t even = 0;
  uint8_t last = 0;
};

template <class Inspector>
bool inspect(Inspector& f, guarded& x) {
  return f.object(x).fields(f.field("small", x.small).invariant([](int32_t y) { return y < 100; }),
                            f.field("flag", x.flag),
                            f.field("even", x.even).invariant([](int32_t y) { return y % 2 == 0; }),
                            f.field("last", x.last));
}

struct covered {
  int32_t id = 0;
  std::string text;

  friend bool operator==(const covered&, const covered&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, covered& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("text", x.text));
}

struct no_fields {};

template <class Inspector>
bool inspect(Inspector& f, no_fields& x) {
  return f.object(x).fields();
}

} // namespace

template <>
inline constexpr bool cafwire::inspects_all_members<covered> = true;

TEST_CASE("fields in a row have the bytes that each of them has alone") {
  CHECK(to_hex(encode(medley{})) == to_hex(one_by_one(medley{})));
  auto x = make_medley();
  CHECK(to_hex(encode(x)) == to_hex(one_by_one(x)));
  CHECK(decode<medley>(encode(x)) == x);
  CHECK(encode(no_fields{}).empty());
}

TEST_CASE("fields in a row make room for strings of any size") {
  auto x = make_medley();
  for (size_t n : {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255, 5000}) {
    x.name = std::string(n, 'n');
    x.tail.second = std::string(n, 't');
    CHECK(decode<medley>(encode(x)) == x);
  }
}

TEST_CASE("input that ends inside of a row of fields is refused at any place") {
  auto bytes = encode(make_medley());
  for (size_t n = 0; n < bytes.size(); ++n) {
    auto code = decode_code<medley>(std::span{bytes}.first(n));
    CHECK((code == ec::unexpected_end || code == ec::length_exceeds_input));
  }
}

TEST_CASE("the first error in a row of fields counts, even if the input is too short") {
  CHECK(decode_code<guarded>(from_hex("01000000 01 02000000 00")) == ec::none);
  CHECK(decode_code<guarded>(from_hex("01000000 02 02000000 00")) == ec::invalid_bool);
  CHECK(decode_code<guarded>(from_hex("01000000 01 03000000 00")) == ec::invariant_failed);
  CHECK(decode_code<guarded>(from_hex("64000000 02 03000000 00")) == ec::invariant_failed);
  CHECK(decode_code<guarded>(from_hex("64000000")) == ec::invariant_failed);
  CHECK(decode_code<guarded>(from_hex("01000000 02")) == ec::invalid_bool);
  CHECK(decode_code<guarded>(from_hex("01000000 01 03000000")) == ec::invariant_failed);
  CHECK(decode_code<guarded>(from_hex("01000000 01 020000")) == ec::unexpected_end);
  CHECK(decode_code<guarded>(from_hex("01000000 01 02000000 00 00")) == ec::trailing_bytes);
}

TEST_CASE("maps that are read into a used object hold the new entries only") {
  using tree = std::map<std::string, std::string>;
  using table = std::unordered_map<std::string, std::vector<int32_t>>;
  for (size_t n : {0, 1, 2, 5, 40}) {
    tree xs;
    table ys;
    for (size_t i = 0; i < n; ++i) {
      xs.emplace("key" + std::to_string(i), std::string(i, 'v'));
      ys.emplace("key" + std::to_string(i), std::vector<int32_t>(i));
    }
    for (size_t old : {0, 1, 3, 100}) {
      tree used_tree;
      table used_table;
      for (size_t i = 0; i < old; ++i) {
        used_tree.emplace("key" + std::to_string(2 * i), "old");
        used_table.emplace("key" + std::to_string(2 * i), std::vector<int32_t>{-1});
      }
      CHECK(decode_into(used_tree, encode(xs)) == ec::none);
      CHECK(used_tree == xs);
      CHECK(decode_into(used_table, encode(ys)) == ec::none);
      CHECK(used_table == ys);
    }
  }
}

TEST_CASE("errors in maps that are read into a used object are those of a new one") {
  auto tree = std::map<int8_t, int8_t>{{7, 7}, {8, 8}, {9, 9}};
  CHECK(decode_into(tree, from_hex("02 0200 0100")) == ec::unordered_keys);
  tree = {{7, 7}, {8, 8}, {9, 9}};
  CHECK(decode_into(tree, from_hex("02 0100 0101")) == ec::duplicate_key);
  auto table = std::unordered_map<int8_t, int8_t>{{7, 7}, {8, 8}, {9, 9}};
  CHECK(decode_into(table, from_hex("02 0100 0101")) == ec::duplicate_key);
}

TEST_CASE("elements that say so keep their memory") {
  auto xs = std::vector<covered>{{1, std::string(50, 'a')}, {2, std::string(50, 'b')}};
  auto ys = std::vector<covered>{{3, std::string(60, 'c')}, {4, ""}, {5, "e"}};
  auto* memory = ys[0].text.data();
  CHECK(decode_into(ys, encode(xs)) == ec::none);
  CHECK(ys == xs);
  CHECK(ys[0].text.data() == memory);
}

TEST_CASE("a deque has the bytes of a vector, wherever they start") {
  for (size_t n : {0, 1, 63, 64, 65, 127, 128, 129, 1000, 5000}) {
    std::deque<int32_t> xs;
    for (size_t i = 0; i < n; ++i)
      xs.push_back(static_cast<int32_t>(i * 77));
    // Pushed from the front, its first block starts in the middle.
    for (int32_t i = 0; i < 5; ++i)
      xs.push_front(i);
    auto ys = std::vector<int32_t>(xs.begin(), xs.end());
    for (auto* prefix : {"", "x", "xy", "xyz"}) {
      auto bytes = encode(std::string{prefix}, xs);
      CHECK(bytes == encode(std::string{prefix}, ys));
      std::pair<std::string, std::deque<int32_t>> copy;
      copy.second = {9, 9, 9};
      REQUIRE(decode_into(copy, bytes) == ec::none);
      CHECK(copy.second == xs);
    }
  }
}

TEST_CASE("bits behind the last one of a vector do not show") {
  for (size_t n : {1, 7, 8, 9, 63, 64, 65, 1000}) {
    std::vector<bool> xs(n + 100, true);
    xs.resize(n);
    auto bytes = encode(xs);
    CHECK(decode<std::vector<bool>>(bytes) == xs);
    if (n % 8 != 0)
      CHECK(bytes.back() == static_cast<std::byte>((1u << (n % 8)) - 1));
    std::vector<bool> used(n + 70, true);
    std::vector<bool> zeros(n, false);
    CHECK(decode_into(used, encode(zeros)) == ec::none);
    CHECK(used == zeros);
  }
}
