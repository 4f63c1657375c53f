// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "workloads.hpp"

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

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_bench, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::struct12))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::three_ints))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::matrix4x4))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::matrix_vector))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::color))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::object))
  CAF_ADD_TYPE_ID(cafwire_bench, (cafwire::bench::object_vector))

CAF_END_TYPE_ID_BLOCK(cafwire_bench)
