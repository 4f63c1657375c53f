// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/config_value.hpp"

#include <caf/config_value.hpp>

namespace cafwire {

bool formatter<caf::config_value>::save(serializer& f, const caf::config_value& x) {
  return f.apply(x.get_data());
}

bool formatter<caf::config_value>::load(deserializer& f, caf::config_value& x) {
  return f.apply(x.get_data());
}

} // namespace cafwire
