// This file is part of cafwire. See the file LICENSE for license terms.

// Versions of C++ types, read by each other.

#include "evolution/converter.hpp"

#include <cafwire/evolution/aliases.hpp>

#include <caf/all.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "support/catch.hpp"

using namespace evolution_test;

namespace v1 {

enum class side : uint8_t { buy, sell };

struct item {
  std::string name;
  float price = 0;
  bool operator==(const item&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, item& x) {
  return f.object(x).fields(f.field("name", x.name), f.field("price", x.price));
}

struct order {
  int32_t id = 0;
  std::vector<item> items;
  side what = side::buy;
  std::map<std::string, item> by_name;
  std::string old_note;
  std::chrono::seconds age{0};
  bool operator==(const order&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("items", x.items), f.field("what", x.what),
                            f.field("by_name", x.by_name), f.field("old_note", x.old_note),
                            f.field("age", x.age));
}

struct pixel {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
};

template <class Inspector>
bool inspect(Inspector& f, pixel& x) {
  return f.object(x).fields(f.field("r", x.r), f.field("g", x.g), f.field("b", x.b));
}

struct loose {
  int64_t id = 0;
};

template <class Inspector>
bool inspect(Inspector& f, loose& x) {
  return f.object(x).fields(f.field("id", x.id));
}

} // namespace v1

namespace v2 {

enum class side : uint16_t { buy, sell, none };

struct item {
  double price = 1.25;
  std::string name = "unnamed";
  uint16_t quantity = 7;
  std::vector<std::string> tags{"new", std::string(300, 'x')};
  bool operator==(const item&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, item& x) {
  return f.object(x).fields(f.field("price", x.price), f.field("name", x.name),
                            f.field("quantity", x.quantity), f.field("tags", x.tags));
}

struct order {
  int64_t id = 0;
  std::vector<item> items;
  std::optional<side> what;
  std::unordered_map<std::string, item> by_name;
  std::optional<std::string> note;
  std::string text = "hello";
  std::chrono::milliseconds age{0};
  int32_t with_fallback = 0;
  bool operator==(const order&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("items", x.items), f.field("what", x.what),
                            f.field("by_name", x.by_name), f.field("note", x.note),
                            f.field("text", x.text), f.field("age", x.age),
                            f.field("with_fallback", x.with_fallback).fallback(99));
}

struct pixel {
  uint16_t r = 0;
  uint16_t g = 0;
  uint16_t b = 0;
  uint8_t alpha = 255;
};

template <class Inspector>
bool inspect(Inspector& f, pixel& x) {
  return f.object(x).fields(f.field("r", x.r), f.field("g", x.g), f.field("b", x.b),
                            f.field("alpha", x.alpha));
}

/// A new field without a usable default.
struct linked {
  uint8_t r = 0;
  std::shared_ptr<int32_t> link = std::make_shared<int32_t>(1);
};

template <class Inspector>
bool inspect(Inspector& f, linked& x) {
  return f.object(x).fields(f.field("r", x.r), f.field("link", x.link));
}

/// Refuses values that older versions sent.
struct strict {
  int32_t id = 0;
};

template <class Inspector>
bool inspect(Inspector& f, strict& x) {
  return f.object(x).fields(f.field("id", x.id).invariant([](int32_t id) { return id > 0; }));
}

} // namespace v2

namespace {

v1::order old_order() {
  v1::order x;
  x.id = -5;
  x.items = {{"apple", 0.5f}, {std::string(300, 'p'), 1.5f}};
  x.what = v1::side::sell;
  x.by_name = {{"a", {"apple", 0.5f}}};
  x.old_note = "remember";
  x.age = std::chrono::seconds{3};
  return x;
}

} // namespace

TEST_CASE("a new reader understands an old writer") {
  field_alias<v2::order>("note", "old_note");
  v2::order x;
  CHECK(convert_value(old_order(), x) == "");
  v2::order expected;
  expected.id = -5;
  v2::item apple;
  apple.name = "apple";
  apple.price = 0.5;
  auto pear = apple;
  pear.name = std::string(300, 'p');
  pear.price = 1.5;
  expected.items = {apple, pear};
  expected.what = v2::side::sell;
  expected.by_name = {{"a", apple}};
  expected.note = "remember";
  expected.age = std::chrono::milliseconds{3000};
  expected.with_fallback = 99;
  CHECK((x == expected));
  CHECK(x.items[0].quantity == 7);
  CHECK(x.items[1].tags.size() == 2);
  CHECK(x.text == "hello");
}

TEST_CASE("an old reader understands a new writer") {
  field_alias<v1::order>("old_note", "note");
  v2::order x;
  x.id = 6;
  x.items = {{2.5, "plum", 1, {}}};
  x.what = v2::side::buy;
  x.note = "later";
  x.age = std::chrono::milliseconds{2000};
  // An unordered map cannot become a sorted one.
  v1::order y;
  CHECK(convert_value(x, y).starts_with("no plan: by_name: umap("));
}

TEST_CASE("values that do not fit are refused with their place") {
  v2::strict x;
  CHECK(convert_value(v1::loose{int64_t{1} << 31}, x)
        == "[value_not_representable] id: a value of i64 there does not fit into i32 here");
}

TEST_CASE("rows of structs take constants and wider numbers") {
  std::vector<v1::pixel> xs(1000, {1, 2, 3});
  std::vector<v2::pixel> ys;
  CHECK(convert_value(xs, ys) == "");
  REQUIRE(ys.size() == 1000);
  CHECK(ys[999].r == 1);
  CHECK(ys[999].g == 2);
  CHECK(ys[999].b == 3);
  CHECK(ys[999].alpha == 255);
  xs.clear();
  CHECK(convert_value(ys, xs) == "");
  REQUIRE(xs.size() == 1000);
  CHECK(xs[999].b == 3);
  ys[500].g = 256;
  CHECK(convert_value(ys, xs)
        == "[value_not_representable] element.g: a value of u16 there does not fit into u8 here");
}

TEST_CASE("a new field whose default is an object that is shared has no default") {
  v2::linked x;
  CHECK(convert_value(v1::pixel{1, 2, 3}, x)
        == "no plan: link: missing there, and a new object has no value for it");
}

TEST_CASE("invariants of the own type are checked") {
  v2::strict x;
  CHECK(convert_value(v1::loose{1}, x) == "");
  CHECK(x.id == 1);
  CHECK(convert_value(v1::loose{-1}, x) == "cannot read: invariant_failed");
}
