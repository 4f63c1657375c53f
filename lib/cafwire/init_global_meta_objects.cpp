// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/init_global_meta_objects.hpp"

#include "cafwire/message/raw_message.hpp"
#include "cafwire/wire/array_view.hpp"

namespace cafwire::detail {

void init_own_meta_objects() {
  if (compat::meta_object_of(caf::id_block::cafwire::begin) == nullptr)
    caf::init_global_meta_objects<caf::id_block::cafwire>();
}

} // namespace cafwire::detail
