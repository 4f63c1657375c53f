// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"
#include "cafwire/layout/schema.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/detail/padded_size.hpp>
#include <caf/is_error_code_enum.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>

namespace cafwire {

/// What cafwire must know of a type that occurs in messages. One object per type and program.
struct message_type {
  /// The ID of the type in this program. Never on the wire.
  caf::type_id_t id;

  /// The slot of a type that the format knows, or 0 for types of applications.
  uint16_t core_slot;

  /// The name of the type, which identifies it between programs.
  std::string_view name;

  /// Bytes of an object inside of a message, padding included.
  size_t padded_size;

  /// Creates an object.
  void (*construct)(void*);

  /// Writes an object.
  bool (*save)(serializer&, const void*);

  /// Reads into an object.
  bool (*load)(deserializer&, void*);

  /// Whether the type is an enum of error codes. Only such a type may be the category of an error:
  /// CAF reads the code of an error as an object of this type.
  bool is_error_code;

  /// Returns the schema of the type. Runs user code when called for the first time.
  const layout::type_schema& (*schema)();

  /// The list of IDs that has this type as its only element, as CAF stores it: size, then IDs.
  caf::type_id_t only_this[2];
};

namespace detail {

/// CAF puts elements of messages on multiples of 8 only. Objects that need more, such as a
/// `long double`, are copied to and from an aligned place.
template <class T>
inline constexpr bool is_misplaced_v = (alignof(T) > 8) && std::is_trivially_copyable_v<T>;

template <class T>
void construct_object(void* storage) {
  if constexpr (is_misplaced_v<T>) {
    auto object = T();
    std::memcpy(storage, &object, sizeof object);
  } else {
    new (storage) T();
  }
}

template <class T>
bool save_object(serializer& f, const void* storage) {
  if constexpr (caf::is_allowed_unsafe_message_type_v<T>) {
    return f.fail(ec::unsupported_type);
  } else if constexpr (is_misplaced_v<T>) {
    auto object = T();
    std::memcpy(&object, storage, sizeof object);
    return f.apply(object);
  } else {
    return f.apply(*static_cast<const T*>(storage));
  }
}

template <class T>
bool load_object(deserializer& f, void* storage) {
  if constexpr (caf::is_allowed_unsafe_message_type_v<T>) {
    return f.fail(ec::unsupported_type);
  } else if constexpr (is_misplaced_v<T>) {
    auto object = T();
    auto ok = f.apply(object);
    std::memcpy(storage, &object, sizeof object);
    return ok;
  } else {
    return f.apply(*static_cast<T*>(storage));
  }
}

/// The schema of types that never leave their process.
const layout::type_schema& unsupported_schema();

template <class T>
const layout::type_schema& schema_of_object() {
  if constexpr (caf::is_allowed_unsafe_message_type_v<T>)
    return unsupported_schema();
  else
    return layout::schema_of<T>();
}

template <class T>
const message_type& message_type_of(uint16_t core_slot = 0) {
  static const auto result = message_type{
    caf::type_id_v<T>,
    core_slot,
    compat::to_std(caf::type_name_by_id_v<caf::type_id_v<T>>),
    caf::detail::padded_size_v<T>,
    construct_object<T>,
    save_object<T>,
    load_object<T>,
    caf::is_error_code_enum_v<T>,
    schema_of_object<T>,
    {1, caf::type_id_v<T>},
  };
  return result;
}

} // namespace detail

} // namespace cafwire
