// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/proxy.hpp"

#include "cafwire/link/bounce.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include <utility>

namespace cafwire::detail {

namespace {

bool has_terminated(const caf::actor_addr& x) {
  if (!x)
    return false;
  auto ptr = caf::actor_cast<caf::strong_actor_ptr>(x);
  return ptr == nullptr || ptr->get()->getf(caf::abstract_actor::is_terminated_flag);
}

} // namespace

proxy::proxy(caf::actor_config& cfg, link_ptr owner, uint64_t key)
  : compat::proxy_base(cfg), link_(std::move(owner)), key_(key) {
  // nop
}

bool proxy::forward(caf::mailbox_element_ptr what) {
  if (is_dead()) {
    detail::bounce(what->sender, what->mid);
    return false;
  }
  // An actor that has terminated says so to the actors that are linked to it. The peer hears of its
  // end anyway and tells them: once is enough.
  if (auto types = what->payload.types();
      types.size() == 1 && types[0] == caf::type_id_v<caf::exit_msg>)
    if (has_terminated(what->payload.get_as<caf::exit_msg>(0).source))
      return true;
  return link_->send(key_, std::move(what));
}

void proxy::linked(caf::abstract_actor* other) {
  link_->send_control(link_op::link, key_, caf::strong_actor_ptr{other->ctrl()});
}

void proxy::unlinked(caf::abstract_actor* other) {
  link_->send_control(link_op::unlink, key_, caf::strong_actor_ptr{other->ctrl()});
}

void proxy::killed() {
  dead_.store(true, std::memory_order_relaxed);
}

} // namespace cafwire::detail
