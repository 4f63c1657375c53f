// This file is part of cafwire. See the file LICENSE for license terms.

// Versions of C++ types, read by each other.

#include "evolution/converter.hpp"
#include "evolution/versions.hpp"

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
  CHECK(convert_value(v1::strict{int64_t{1} << 31}, x)
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
  CHECK(convert_value(v1::strict{1}, x) == "");
  CHECK(x.id == 1);
  CHECK(convert_value(v1::strict{-1}, x) == "cannot read: invariant_failed");
}
