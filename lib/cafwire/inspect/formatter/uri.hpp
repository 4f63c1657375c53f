// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <caf/fwd.hpp>

namespace cafwire {

/// URIs: their text, which is parsed on arrival. The parts that CAF inspects instead differ between
/// its versions.
template <>
struct formatter<caf::uri> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const caf::uri& x);

  static bool load(deserializer& f, caf::uri& x);

  static void schema(layout::schema_builder& f) {
    f.varying("caf::uri", 1);
  }
};

} // namespace cafwire
