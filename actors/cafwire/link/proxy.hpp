// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/link/link.hpp"

#include <atomic>

namespace cafwire::detail {

/// Stands for an actor of the peer, or for one that the peer relays messages to. Messages are
/// encoded in the thread that sends them.
class proxy final : public compat::proxy_base {
public:
  /// @param key what the peer knows the actor by.
  proxy(caf::actor_config& cfg, link_ptr owner, uint64_t key);

  link* owner() const noexcept {
    return link_.get();
  }

  uint64_t key() const noexcept {
    return key_;
  }

  /// Returns whether the actor, or the connection to it, is gone.
  bool is_dead() const noexcept {
    return dead_.load(std::memory_order_relaxed);
  }

  /// Returns whether somebody observes the actor or is linked to it.
  /// @pre nobody else has a reference to this object
  bool is_observed() const noexcept {
    return attachables_head_ != nullptr;
  }

protected:
  bool forward(caf::mailbox_element_ptr what) override;

  void linked(caf::abstract_actor* other) override;

  void unlinked(caf::abstract_actor* other) override;

  void killed() override;

private:
  link_ptr link_;
  uint64_t key_;
  std::atomic<bool> dead_{false};
};

} // namespace cafwire::detail
