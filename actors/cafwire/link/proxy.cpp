// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/proxy.hpp"

#include "cafwire/link/bounce.hpp"

#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include <utility>

namespace cafwire::detail {

proxy::proxy(caf::actor_config& cfg, link_ptr owner)
  : compat::proxy_base(cfg), link_(std::move(owner)) {
  // nop
}

bool proxy::forward(caf::mailbox_element_ptr what) {
  if (dead_.load(std::memory_order_relaxed)) {
    detail::bounce(what->sender, what->mid);
    return false;
  }
  // Whoever sends an exit message to a linked actor is about to go away: drop the link here too.
  if (what->payload.match_elements<caf::exit_msg>())
    unlink_from(what->payload.get_as<caf::exit_msg>(0).source);
  return link_->send(id(), std::move(what));
}

void proxy::linked(caf::abstract_actor* other) {
  link_->export_actor(other->ctrl());
  link_->send_control(link_op::link, id(), other->id());
}

void proxy::unlinked(caf::abstract_actor* other) {
  link_->send_control(link_op::unlink, id(), other->id());
}

void proxy::killed() {
  dead_.store(true, std::memory_order_relaxed);
}

} // namespace cafwire::detail
