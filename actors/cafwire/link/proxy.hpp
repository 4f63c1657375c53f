// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/link/link.hpp"

#include <atomic>

namespace cafwire::detail {

/// Stands for an actor of the peer. Messages are encoded in the thread that sends them.
class proxy final : public compat::proxy_base {
public:
  proxy(caf::actor_config& cfg, link_ptr owner);

  link& owner() const noexcept {
    return *link_;
  }

  /// Returns whether the actor, or the connection to it, is gone.
  bool is_dead() const noexcept {
    return dead_.load(std::memory_order_relaxed);
  }

protected:
  bool forward(caf::mailbox_element_ptr what) override;

  void linked(caf::abstract_actor* other) override;

  void unlinked(caf::abstract_actor* other) override;

  void killed() override;

private:
  link_ptr link_;
  std::atomic<bool> dead_{false};
};

} // namespace cafwire::detail
