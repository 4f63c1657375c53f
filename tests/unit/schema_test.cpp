// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/schema.hpp"

#include "cafwire/codec.hpp"

#include "support/cases/all.hpp"
#include "support/codec.hpp"
#include "support/wire_size.hpp"

#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

using cafwire::layout::schema_of;
using namespace test::cases;

namespace schema_test {

/// Is called like a word of the grammar.
struct word {
  int32_t value = 0;
  std::vector<word> next;
};

template <class Inspector>
bool inspect(Inspector& f, word& x) {
  return f.object(x).fields(f.field("i32", x.value), f.field("next", x.next));
}

} // namespace schema_test

template <>
struct caf::type_name<schema_test::word> {
  static constexpr auto value = decltype(caf::type_name<void>::value){"i32", 3};
};

namespace {

template <class T>
std::string text() {
  return schema_of<T>().text;
}

/// A type that holds others of its kind.
struct tree {
  int32_t value = 0;
  std::vector<tree> children;
};

template <class Inspector>
bool inspect(Inspector& f, tree& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("children", x.children));
}

/// Two types that hold each other.
struct outer_ring;

struct inner_ring {
  std::vector<outer_ring> items;
};

struct outer_ring {
  std::vector<inner_ring> items;
};

template <class Inspector>
bool inspect(Inspector& f, inner_ring& x) {
  return f.object(x).fields(f.field("items", x.items));
}

template <class Inspector>
bool inspect(Inspector& f, outer_ring& x) {
  return f.object(x).fields(f.field("items", x.items));
}

struct with_odd_name {
  int32_t a;
};

template <class Inspector>
bool inspect(Inspector& f, with_odd_name& x) {
  return f.object(x).fields(f.field("a:b,(c)", x.a));
}

/// Writes its fields through the inspector's own functions.
struct manual {
  int32_t a;
  int64_t b;
};

template <class Inspector>
bool inspect(Inspector& f, manual& x) {
  return f.begin_object(caf::invalid_type_id, "manual") && f.begin_field("a") && f.apply(x.a)
         && f.end_field() && f.begin_field("b") && f.apply(x.b) && f.end_field() && f.end_object();
}

} // namespace

TEST_CASE("numbers are named after kind and bits") {
  CHECK(text<bool>() == "bool");
  CHECK(text<int8_t>() == "i8");
  CHECK(text<uint8_t>() == "u8");
  CHECK(text<int16_t>() == "i16");
  CHECK(text<uint16_t>() == "u16");
  CHECK(text<int32_t>() == "i32");
  CHECK(text<uint32_t>() == "u32");
  CHECK(text<int64_t>() == "i64");
  CHECK(text<uint64_t>() == "u64");
  CHECK(text<float>() == "f32");
  CHECK(text<double>() == "f64");
  CHECK(text<long double>() == "f80");
  CHECK(text<char>() == "c8");
  CHECK(text<char16_t>() == "c16");
  CHECK(text<char32_t>() == "c32");
  CHECK(text<std::byte>() == "u8");
  CHECK(text<cafwire::compat::byte>() == "u8");
}

TEST_CASE("types of the same encoding have the same schema, whatever their C++ type") {
  CHECK(text<long>() == text<long long>());
  CHECK(text<std::vector<int32_t>>() == text<std::deque<int32_t>>());
  CHECK(text<std::vector<int32_t>>() == text<std::list<int32_t>>());
  CHECK(text<std::string>() == text<std::vector<char>>());
  CHECK(text<std::pair<int32_t, bool>>() == text<std::tuple<int32_t, bool>>());
  CHECK(text<std::array<int32_t, 3>>() == text<int32_t[3]>());
  CHECK(text<std::set<int32_t>>() == text<std::multiset<int32_t>>());
}

TEST_CASE("types of different meaning have different schemas") {
  std::set<std::string> texts{
    text<std::vector<int32_t>>(),
    text<std::set<int32_t>>(),
    text<std::unordered_set<int32_t>>(),
    text<std::optional<int32_t>>(),
    text<std::variant<int32_t>>(),
    text<std::variant<int32_t, int32_t>>(),
    text<std::map<int32_t, int32_t>>(),
    text<std::unordered_map<int32_t, int32_t>>(),
    text<std::vector<bool>>(),
    text<std::vector<std::vector<int32_t>>>(),
    text<std::array<int32_t, 2>>(),
    text<std::array<int32_t, 3>>(),
    text<std::tuple<int32_t>>(),
    text<int32_t>(),
    text<std::chrono::seconds>(),
    text<std::chrono::milliseconds>(),
    text<std::chrono::system_clock::time_point>(),
  };
  CHECK(texts.size() == 17);
}

TEST_CASE("structs list the names and types of their fields") {
  CHECK(text<point>() == "{x:i32,y:i32,z:i32}");
  CHECK(text<padded_tail>() == "{a:f64,b:i32}");
  CHECK(text<matrix>() == "{cells:[16]f32}");
  CHECK(text<path>() == "{length:f64,start:{x:i32,y:i32,z:i32},stops:[3]{x:i32,y:i32,z:i32}}");
  CHECK(text<get_and_set>() == "{a:i32,b:i32}");
  CHECK(text<with_fallback>() == "{a:i32,b?:i32}");
  CHECK(text<with_computed_fallback>() == "{a:i32,b?:i32}");
  CHECK(text<maybe_b>() == "{a:i32,b?:i32}");
  CHECK(text<with_optional>() == "{a:i32,b:opt(i32)}");
  CHECK(text<with_variant>() == "{v:var(i32,f64)}");
  CHECK(text<omits_middle>() == "{a:i32,c:i32}");
  CHECK(text<nothing>() == "{}");
  CHECK(text<by_apply>() == "{i32,f32}");
  CHECK(text<colored>() == "{c:enum(i32),number:i32}");
}

TEST_CASE("fields that are written by hand look like others") {
  CHECK(text<manual>() == "{a:i32,b:i64}");
  CHECK(text<by_hand>() == "{a:i32,b:u32}");
}

TEST_CASE("an enum that is written as another type has the schema of that type") {
  CHECK(text<with_narrow>() == "{n:u8,a:i32}");
}

TEST_CASE("names cannot be mistaken for grammar") {
  CHECK(text<with_odd_name>() == "{a\\:b\\,\\(c\\):i32}");
}

TEST_CASE("structs that are called like a number or an actor have a backslash in front") {
  CHECK(text<schema_test::word>() == "\\i32;\\i32{i32:i32,next:seq(\\i32)}");
  CHECK(text<std::tuple<schema_test::word, int32_t>>()
        == "(\\i32,i32);\\i32{i32:i32,next:seq(\\i32)}");
}

TEST_CASE("types that hold others of their kind have finite schemas") {
  CHECK(text<tree>() == "{value:i32,children:seq(^1)}");
  CHECK(schema_of<tree>().min_size == 5);
  CHECK_FALSE(schema_of<tree>().fixed_size);
  CHECK(text<outer_ring>() == "{items:seq({items:seq(^2)})}");
  CHECK(text<inner_ring>() == "{items:seq({items:seq(^2)})}");
}

TEST_CASE("padding and byte order leave no trace in a fingerprint") {
  CHECK(text<omits_last>() == text<get_and_set>());
  CHECK(schema_of<omits_last>().fingerprint == schema_of<get_and_set>().fingerprint);
}

TEST_CASE("fingerprints are XXH3 of the text") {
  CHECK(schema_of<point>().fingerprint == cafwire::layout::fingerprint_of("{x:i32,y:i32,z:i32}"));
  CHECK(schema_of<point>().fingerprint != schema_of<by_apply>().fingerprint);
  // Published by the authors of the hash for no input.
  CHECK(cafwire::layout::fingerprint_of("") == 0x2d06800538d394c2u);
}

namespace {

template <class T>
void check_size() {
  auto& schema = schema_of<T>();
  INFO(schema.text);
  CHECK(cafwire::layout::fixed_size_of<T>() == test::fixed_wire_size<T>());
  if (schema.fixed_size)
    CHECK(test::encode(T{}).size() == schema.min_size);
  else
    CHECK(test::encode(T{}).size() >= schema.min_size);
}

template <class... Ts>
void check_sizes() {
  (check_size<Ts>(), ...);
}

} // namespace

TEST_CASE("sizes in schemas are those of the encoding") {
  check_sizes<bool, int8_t, uint64_t, double, long double, color, narrow, point, matrix, std_arrays,
              c_arrays, path, numbers, moments, some_bytes, byte_span, by_apply, by_hand, derived,
              roomy_base, fills_tail, with_hidden_nothing, nothing, simd, simd3, packed, flags,
              nested_flags, padded_middle, padded_inside, extended, extended_duration, omits_middle,
              one_field_twice, bit_field, get_and_set, opaque_number, packed_number, with_narrow>();
  check_sizes<with_fallback, with_computed_fallback, maybe_b, with_optional, with_variant,
              with_containers, std::string, std::vector<point>, std::vector<bool>,
              std::optional<int32_t>, std::map<int32_t, int32_t>, std::set<int32_t>>();
  check_sizes<std::pair<int32_t, bool>, std::tuple<int8_t, double, point>,
              std::array<padded_middle, 3>, std::array<std::string, 2>,
              std::tuple<int32_t, std::string>>();
}
