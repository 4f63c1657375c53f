// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

namespace cafwire::detail {

/// What a node does for its peers: starts actors by the names of their types, and finds actors by
/// their names in the registry. The messages are those of CAF's own networking, so that they need
/// no types of ours.
///
/// | message | response |
/// |---|---|
/// | `spawn_atom`, name, arguments, interface | `strong_actor_ptr` |
/// | `registry_lookup_atom`, name | `strong_actor_ptr`, interface |
caf::behavior serve_peers(caf::event_based_actor* self);

} // namespace cafwire::detail
