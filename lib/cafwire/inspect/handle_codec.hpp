// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/wire/error.hpp"

#include <caf/actor_control_block.hpp>

namespace cafwire {

/// Tells how a handle was written.
enum class handle_tag : uint8_t {
  /// No actor.
  null = 0,
  /// Node and ID of the actor follow.
  global = 1,
  /// An actor on the node of the writer: its ID follows. On links only.
  of_writer = 2,
  /// An actor on the node of the reader: its ID follows. On links only.
  of_reader = 3,
  /// An actor of another node that the writer relays messages to: the number under which it does,
  /// node and ID of the actor follow. On links only.
  relayed_by_writer = 4,
  /// An actor of another node that the reader relays messages to: its number follows. On links
  /// only.
  relayed_by_reader = 5,
};

/// Translates between actor handles and bytes: the part of the codec that must know who lives
/// where. Serializers and deserializers without one refuse all handles that are not null.
class handle_codec {
public:
  virtual ~handle_codec();

  /// Writes the handle of an actor.
  /// @pre `handle != nullptr`
  virtual ec save(serializer& f, const caf::strong_actor_ptr& handle) = 0;

  /// Reads what `save` wrote behind its tag.
  virtual ec load(deserializer& f, handle_tag tag, caf::strong_actor_ptr& handle) = 0;
};

/// Handles for use without a link: written with their node, and resolved to actors of the local
/// node by `caf::actor_registry`. Handles of other nodes come back as
/// `ec::unreachable_actor`. Exported actors stay in the registry until they terminate, as with
/// CAF's own networking.
class local_handle_codec : public handle_codec {
public:
  explicit local_handle_codec(caf::actor_system& sys) noexcept : system_(&sys) {
    // nop
  }

  ec save(serializer& f, const caf::strong_actor_ptr& handle) override;

  ec load(deserializer& f, handle_tag tag, caf::strong_actor_ptr& handle) override;

private:
  caf::actor_system* system_;
};

} // namespace cafwire
