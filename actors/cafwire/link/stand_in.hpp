// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/actor_control_block.hpp>

#include <atomic>
#include <utility>

namespace cafwire::detail {

/// An actor of this node that passes everything on to a remote one. CAF's own networking can only
/// answer to actors of this node and of nodes that it is connected to itself: where a message
/// leaves a link for a stock connection, this stands for its sender.
class stand_in final : public compat::proxy_base {
public:
  stand_in(caf::actor_config& cfg, caf::strong_actor_ptr whom)
    : compat::proxy_base(cfg), whom_(std::move(whom)) {
    // nop
  }

  /// Starts a new one, which ends with the remote actor.
  static caf::strong_actor_ptr make(caf::actor_system& sys, const caf::strong_actor_ptr& whom);

protected:
  bool forward(caf::mailbox_element_ptr what) override;

  void linked(caf::abstract_actor* other) override;

  void unlinked(caf::abstract_actor* other) override;

  void killed() override;

private:
  caf::strong_actor_ptr whom_;
  std::atomic<bool> dead_{false};
};

} // namespace cafwire::detail
