// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/stand_in.hpp"

#include "cafwire/link/bounce.hpp"

#include <caf/make_actor.hpp>

namespace cafwire::detail {

caf::strong_actor_ptr stand_in::make(caf::actor_system& sys, const caf::strong_actor_ptr& whom) {
  caf::actor_config cfg;
  auto result = caf::make_actor<stand_in, caf::strong_actor_ptr>(sys.next_actor_id(), sys.node(),
                                                                 &sys, cfg, whom);
  whom->get()->attach_functor([weak = caf::weak_actor_ptr{result.get()}](const caf::error& reason) {
    if (auto ptr = weak.lock())
      static_cast<stand_in*>(ptr->get())->kill_proxy(nullptr, reason);
  });
  return result;
}

bool stand_in::forward(caf::mailbox_element_ptr what) {
  if (!dead_.load(std::memory_order_relaxed))
    return whom_->get()->enqueue(std::move(what), nullptr);
  detail::bounce(what->sender, what->mid);
  return false;
}

void stand_in::linked(caf::abstract_actor*) {
  // nop: it ends with the remote actor anyway
}

void stand_in::unlinked(caf::abstract_actor*) {
  // nop
}

void stand_in::killed() {
  dead_.store(true, std::memory_order_relaxed);
}

} // namespace cafwire::detail
