// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/reflect.hpp"

#include "cafwire/codec.hpp"
#include "cafwire/encoded_access.hpp"

#include "support/codec.hpp"
#include "support/stock_codec.hpp"
#include "support/wire_check.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

using cafwire::ec;
using cafwire::detail::num_members;
using cafwire::layout::schema_of;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace reflect_test {

struct point {
  int32_t x, y, z;

  friend bool operator==(const point&, const point&) = default;
};

struct named_point {
  int32_t x, y, z;
};

struct flags {
  int16_t number;
  bool a, b;
};

struct padded {
  int8_t a;
  int32_t b;
};

struct inner {
  std::string text;
  std::vector<int16_t> numbers;

  friend bool operator==(const inner&, const inner&) = default;
};

struct outer {
  inner first;
  std::optional<inner> second;
  std::map<std::string, point> points;
  std::array<int8_t, 2> pair;

  friend bool operator==(const outer&, const outer&) = default;
};

struct with_arrays {
  int16_t grid[2][3];
  char name[4];
  int32_t last;
};

struct only_array {
  int8_t xs[5];
};

struct with_inner_array {
  padded pairs[2];
  padded single;
  int8_t tail[1];
};

struct move_only {
  std::unique_ptr<int8_t> a;
  std::vector<std::unique_ptr<int8_t>> b;
};

struct nested_lists {
  std::vector<std::vector<std::unique_ptr<int8_t>>> a;
  std::optional<std::unique_ptr<int8_t>> b;
  std::string names[3];
  std::array<std::string, 2> more;
};

struct immovable {
  std::atomic<int32_t> hits;
  std::atomic<bool> open;
};

struct nothing {};

struct with_defaults {
  int8_t a = 1;
  std::variant<std::monostate, int8_t, std::string> b = std::string{"b"};
  std::tuple<int8_t, bool> c = {int8_t{2}, true};
};

struct many {
  int8_t a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
};

/// More elements than counting tries.
struct large {
  char text[200];
  int8_t last;
};

} // namespace reflect_test

using namespace reflect_test;

template <>
inline constexpr bool cafwire::reflect_members<point> = true;
template <>
inline constexpr bool cafwire::reflect_members<named_point> = true;
template <>
inline constexpr auto cafwire::member_names<named_point> = std::array<std::string_view, 3>{"x", "y",
                                                                                           "z"};
template <>
inline constexpr bool cafwire::reflect_members<flags> = true;
template <>
inline constexpr bool cafwire::reflect_members<padded> = true;
template <>
inline constexpr bool cafwire::reflect_members<inner> = true;
template <>
inline constexpr auto cafwire::member_names<inner> = std::array<std::string_view, 2>{"text",
                                                                                     "numbers"};
template <>
inline constexpr bool cafwire::reflect_members<outer> = true;
template <>
inline constexpr bool cafwire::reflect_members<with_arrays> = true;
template <>
inline constexpr bool cafwire::reflect_members<only_array> = true;
template <>
inline constexpr bool cafwire::reflect_members<with_inner_array> = true;
template <>
inline constexpr bool cafwire::reflect_members<move_only> = true;
template <>
inline constexpr bool cafwire::reflect_members<nested_lists> = true;
template <>
inline constexpr bool cafwire::reflect_members<immovable> = true;
template <>
inline constexpr bool cafwire::reflect_members<nothing> = true;
template <>
inline constexpr bool cafwire::reflect_members<with_defaults> = true;
template <>
inline constexpr bool cafwire::reflect_members<many> = true;
template <>
inline constexpr bool cafwire::reflect_members<large> = true;
template <>
inline constexpr auto cafwire::member_names<large> = std::array<std::string_view, 2>{"text",
                                                                                     "last"};

TEST_CASE("members are counted, arrays as one") {
  STATIC_CHECK(num_members<nothing>() == 0);
  STATIC_CHECK(num_members<point>() == 3);
  STATIC_CHECK(num_members<outer>() == 4);
  STATIC_CHECK(num_members<with_arrays>() == 3);
  STATIC_CHECK(num_members<only_array>() == 1);
  STATIC_CHECK(num_members<with_inner_array>() == 3);
  STATIC_CHECK(num_members<move_only>() == 2);
  STATIC_CHECK(num_members<nested_lists>() == 4);
  STATIC_CHECK(num_members<immovable>() == 2);
  STATIC_CHECK(num_members<with_defaults>() == 3);
  STATIC_CHECK(num_members<many>() == 24);
  STATIC_CHECK(num_members<large>() == 2);
}

TEST_CASE("an aggregate that opts in is its members") {
  test::check_wire(point{1, 2, -1}, point{9, 9, 9},
                   {"{0:i32,1:i32,2:i32}", "01000000 02000000 ffffffff"});
  CHECK(schema_of<named_point>().text == "{x:i32,y:i32,z:i32}");
  CHECK(schema_of<nothing>().text == "{}");
  CHECK(schema_of<many>().text.ends_with(",22:i8,23:i8}"));
  auto x = outer{{"a", {1}}, inner{"b", {}}, {{"p", {1, 2, 3}}}, {4, 5}};
  CHECK(to_hex(encode(x))
        == to_hex(from_hex("0161 01 0100  01 0162 00  01 0170 01000000 02000000 03000000  04 05")));
  auto old = outer{{"old", {9, 9}}, inner{"older", {}}, {{"q", {}}}, {}};
  CHECK(decode_into(old, encode(x)) == ec::none);
  CHECK(old == x);
  CHECK(decode_code<outer>(from_hex("0161 ff01")) == ec::length_exceeds_input);
}

TEST_CASE("arrays, empty, move-only and immovable members work") {
  auto x = with_arrays{{{1, 2, 3}, {4, 5, 6}}, "abc", 7};
  CHECK(to_hex(encode(x))
        == "010002000300040005000600"
           "61626300"
           "07000000");
  CHECK(schema_of<with_arrays>().text == "{0:[2][3]i16,1:[4]c8,2:i32}");
  auto y = with_arrays{};
  CHECK(decode_into(y, encode(x)) == ec::none);
  CHECK(to_hex(encode(y)) == to_hex(encode(x)));
  CHECK(schema_of<with_inner_array>().text == "{0:[2]{0:i8,1:i32},1:{0:i8,1:i32},2:[1]i8}");
  auto pointers = move_only{std::make_unique<int8_t>(int8_t{1}), {}};
  pointers.b.push_back(nullptr);
  CHECK(to_hex(encode(pointers))
        == "0101"
           "01"
           "00");
  auto other = move_only{};
  CHECK(decode_into(other, encode(pointers)) == ec::none);
  CHECK(*other.a == 1);
  auto lists = nested_lists{};
  lists.names[1] = "a";
  CHECK(to_hex(encode(lists))
        == "00"
           "00"
           "00016100"
           "0000");
  immovable z{5, true};
  CHECK(to_hex(encode(z)) == "0500000001");
  CHECK(encode(nothing{}).empty());
  auto defaults = with_defaults{};
  CHECK(to_hex(encode(defaults))
        == "01"
           "020162"
           "0201");
  CHECK(decode_into(defaults, from_hex("05 00 0700")) == ec::none);
  CHECK(defaults.b.index() == 0);
}

TEST_CASE("aggregates without padding are copied in bulk") {
  STATIC_CHECK(cafwire::layout::blit_candidate<point>);
  CHECK(cafwire::layout::may_blit_save<point>());
  CHECK(cafwire::layout::may_blit_load<point>());
  CHECK(cafwire::layout::may_blit_save<with_arrays>());
  CHECK_FALSE(cafwire::layout::may_blit_save<padded>());
  CHECK_FALSE(cafwire::layout::may_blit_load<padded>());
  CHECK(cafwire::layout::may_blit_load<flags>());
  auto xs = std::vector<point>(100, {1, 2, 3});
  auto ys = std::vector<point>{};
  auto bytes = encode(xs);
  CHECK(bytes.size() == 16 + 1200);
  CHECK(decode_into(ys, bytes) == ec::none);
  CHECK(ys == xs);
  // Values are still judged.
  CHECK(decode_code<flags>(from_hex("0100 01 02")) == ec::invalid_bool);
  CHECK(decode_code<std::vector<flags>>(from_hex("01 0100 02 01")) == ec::invalid_bool);
}

TEST_CASE("CAF's own inspectors know the aggregates, too") {
  auto x = outer{{"a", {1}}, inner{"b", {}}, {{"p", {1, 2, 3}}}, {4, 5}};
  auto y = outer{};
  CHECK(test::stock_round_trip(x, y));
  CHECK(y == x);
  CHECK(test::to_json(point{1, 2, 3}).find(R"("0": 1, "1": 2, "2": 3)") != std::string::npos);
  CHECK(test::to_json(named_point{1, 2, 3}).find(R"("x": 1, "y": 2, "z": 3)") != std::string::npos);
  auto z = outer{};
  CHECK(test::from_json(test::to_json(x), z));
  CHECK(z == x);
  CHECK(caf::deep_to_string(named_point{1, 2, 3}) == "anonymous(1, 2, 3)");
}
