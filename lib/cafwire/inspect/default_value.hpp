// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/serializer.hpp"
#include "cafwire/layout/factory.hpp"
#include "cafwire/layout/schema.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"

namespace cafwire::layout {

// One function per struct, which hardly ever runs: fields that a peer does not know yet take their
// values from here.
template <class T>
ec save_default(output_buffer& out) {
  serializer f{out};
  const auto object = make_element<T>();
  return f.apply(object) ? ec::none : f.code();
}

} // namespace cafwire::layout
