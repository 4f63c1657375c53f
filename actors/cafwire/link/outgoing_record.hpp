// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/record.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// A record of a link that waits for its turn to be sent.
struct outgoing_record {
  record_head head;
  /// The message of the record, if it has one.
  caf::mailbox_element_ptr what;
  /// What follows the head of other records, and their source.
  output_buffer body;
  caf::strong_actor_ptr source;
  /// What must not be destroyed while the lock is held: it may have the last handle of an actor.
  std::vector<std::pair<uint64_t, caf::strong_actor_ptr>> dropped;
  caf::message replaced;
  /// Which actors of this side appear in what was encoded without the lock, and their keys.
  std::vector<std::pair<uint64_t, caf::strong_actor_ptr>> mentions;
};

} // namespace cafwire::detail
