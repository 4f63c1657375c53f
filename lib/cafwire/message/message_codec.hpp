// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/message_type.hpp"

#include <caf/message.hpp>
#include <caf/type_id_list.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace cafwire {

/// The types of a message, prepared for writing and building many messages of the kind.
struct message_layout {
  /// The list of IDs, which lives as long as the program.
  caf::type_id_list ids = caf::make_type_id_list();

  /// The types in the same order.
  std::vector<const message_type*> types;

  /// Bytes of all elements in memory.
  size_t storage_size = 0;
};

/// Prepares a layout. Takes a global lock of CAF if there are several types.
message_layout make_message_layout(std::vector<const message_type*> types);

/// Writes the elements of a message one behind the other.
/// @pre the message holds exactly `types`.
inline bool save_elements(serializer& f, std::span<const message_type* const> types,
                          const caf::message& msg) {
  if (types.empty())
    return true;
  auto* object = msg.cdata().storage();
  for (auto* type : types) {
    if (!type->save(f, object))
      return false;
    object += type->padded_size;
  }
  return true;
}

/// Builds a message and reads its elements into the storage of the message. Allocates once, apart
/// from what the elements do, and takes no locks. `msg` is unchanged after an error.
bool load_elements(deserializer& f, const message_layout& layout, caf::message& msg);

} // namespace cafwire
