// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>

namespace cafwire {

/// Messages inside of other values: the number of elements, their types, their values. Types are
/// known by name or by a slot of the format, so the bytes mean the same in every program. The
/// definitions live on the next floor (`cafwire/message/nested_message.cpp`), where the functions
/// of all message types are known.
template <>
struct formatter<caf::message> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const caf::message& x);

  static bool load(deserializer& f, caf::message& x);

  static void schema(layout::schema_builder& f) {
    f.varying("caf::message", 1);
  }
};

/// Errors: the code, and unless it is 0 the type of the enum and the context. An enum that is not
/// known here arrives as `ec::foreign_error` with a text that names it.
template <>
struct formatter<caf::error> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const caf::error& x);

  static bool load(deserializer& f, caf::error& x);

  static void schema(layout::schema_builder& f) {
    f.varying("caf::error", 1);
  }
};

} // namespace cafwire
