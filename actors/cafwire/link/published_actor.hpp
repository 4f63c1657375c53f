// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <optional>
#include <set>
#include <string>

namespace cafwire::detail {

/// What an accepting side offers to whoever connects.
struct published_actor {
  caf::strong_actor_ptr handle;
  std::set<std::string> interface;

  /// Returns whether there is an actor that has not terminated. Thread-safe.
  bool is_alive() const {
    // CAF sets the flag before it tells anybody of the end.
    return handle != nullptr && !handle->get()->getf(caf::abstract_actor::is_terminated_flag);
  }
};

/// What a connecting side learns from the handshake.
struct link_result {
  caf::error reason;
  caf::strong_actor_ptr published;
  std::set<std::string> interface;
  /// Whether the system has connected to itself.
  bool is_self = false;
  /// If so: the ID of the published actor.
  std::optional<caf::actor_id> local_id;
};

} // namespace cafwire::detail
