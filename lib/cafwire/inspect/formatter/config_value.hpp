// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <caf/fwd.hpp>

namespace cafwire {

/// Configuration values: the variant inside of them. CAF's own inspection reads back a value
/// without content as another configuration value, without end if the input likes.
template <>
struct formatter<caf::config_value> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const caf::config_value& x);

  static bool load(deserializer& f, caf::config_value& x);

  static void schema(layout::schema_builder& f) {
    f.varying("caf::config_value", 1);
  }
};

} // namespace cafwire
