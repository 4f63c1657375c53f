// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/handle_tag.hpp"

#include <caf/actor_control_block.hpp>

namespace cafwire {

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
