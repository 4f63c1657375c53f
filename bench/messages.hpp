// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "workloads.hpp"

#include <cafwire/layout/type_traits.hpp>

#include <caf/default_enum_inspect.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace cafwire::bench {

// What the benchmarks of sessions and links send: types with CAF type IDs.

/// Three integers, as the first message that an application defines.
struct three_ints {
  int32_t x = 0;
  int32_t y = 0;
  int32_t z = 0;

  friend bool operator==(const three_ints&, const three_ints&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, three_ints& x) {
  return f.object(x).fields(f.field("x", x.x), f.field("y", x.y), f.field("z", x.z));
}

/// The smallest struct.
struct one_field {
  int64_t value = 0;

  friend bool operator==(const one_field&, const one_field&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, one_field& x) {
  return f.object(x).fields(f.field("value", x.value));
}

/// A struct with more fields than most have.
struct sixteen_fields {
  int32_t a = 0, b = 0, c = 0, d = 0, e = 0, g = 0, h = 0, i = 0;
  int32_t j = 0, k = 0, l = 0, m = 0, n = 0, o = 0, p = 0, q = 0;

  friend bool operator==(const sixteen_fields&, const sixteen_fields&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, sixteen_fields& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b), f.field("c", x.c),
                            f.field("d", x.d), f.field("e", x.e), f.field("g", x.g),
                            f.field("h", x.h), f.field("i", x.i), f.field("j", x.j),
                            f.field("k", x.k), f.field("l", x.l), f.field("m", x.m),
                            f.field("n", x.n), f.field("o", x.o), f.field("p", x.p),
                            f.field("q", x.q));
}

/// The same type without the fast path for structs: each field is written and read by itself.
template <class T>
struct fieldwise : T {};

using three_ints_vector = std::vector<three_ints>;

using fieldwise_vector = std::vector<fieldwise<three_ints>>;

template <class T>
using nested_map_of = std::map<std::string, std::map<std::string, T>>;

using nested_map = nested_map_of<three_ints>;

using fieldwise_nested_map = nested_map_of<fieldwise<three_ints>>;

/// What a sensor says: 24 bytes in memory, 20 on the wire.
struct sample {
  uint64_t id = 0;
  double value = 0;
  uint32_t flags = 0;

  friend bool operator==(const sample&, const sample&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, sample& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("value", x.value),
                            f.field("flags", x.flags));
}

/// A short text with a number.
struct note {
  uint32_t id = 0;
  std::string text;

  friend bool operator==(const note&, const note&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, note& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("text", x.text));
}

enum class color : uint8_t { red, green, blue };

std::string to_string(color x);

#if __has_include(<caf/anon_mail.hpp>)
bool from_string(std::string_view str, color& x);
#else
bool from_string(caf::string_view str, color& x);
#endif

bool from_integer(uint8_t value, color& x);

template <class Inspector>
bool inspect(Inspector& f, color& x) {
  return caf::default_enum_inspect(f, x);
}

/// A record with members of many kinds, about 150 bytes on the wire.
struct object {
  uint64_t id = 0;
  std::string name;
  double weight = 0;
  std::vector<int32_t> numbers;
  std::optional<std::string> note;
  std::map<std::string, int32_t> tags;
  color paint = color::red;

  friend bool operator==(const object&, const object&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, object& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("name", x.name),
                            f.field("weight", x.weight), f.field("numbers", x.numbers),
                            f.field("note", x.note), f.field("tags", x.tags),
                            f.field("paint", x.paint));
}

using object_vector = std::vector<object>;

/// Returns `n` objects, the same in every run.
object_vector make_objects(size_t n);

} // namespace cafwire::bench

namespace cafwire {

template <class T>
inline constexpr bool disable_blit<bench::fieldwise<T>> = true;

template <>
inline constexpr bool inspects_all_members<bench::object> = true;

} // namespace cafwire

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_bench, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::struct12))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::three_ints))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::matrix4x4))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::matrix_vector))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::color))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::object))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::object_vector))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::one_field))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::sixteen_fields))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::three_ints_vector))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::nested_map))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::fieldwise<cafwire::bench::one_field>) )
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::fieldwise<cafwire::bench::three_ints>) )
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::fieldwise<cafwire::bench::sixteen_fields>) )
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::fieldwise_vector))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::fieldwise_nested_map))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::mixed))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::sample))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::note))

CAF_END_TYPE_ID_BLOCK(cafwire_bench)
