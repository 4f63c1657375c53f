// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/handle_codec.hpp"

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/node_id.hpp>

namespace cafwire {

handle_codec::~handle_codec() = default;

namespace detail {

bool save_handle(serializer& f, const caf::strong_actor_ptr& x) {
  if (x == nullptr)
    return f.byte(static_cast<uint8_t>(handle_tag::null));
  if (f.handles() == nullptr)
    return f.fail(ec::no_actor_context);
  auto code = f.handles()->save(f, x);
  return code == ec::none || f.fail(code);
}

bool load_handle(deserializer& f, caf::strong_actor_ptr& x) {
  auto tag = uint8_t{0};
  x = nullptr;
  if (!f.byte(tag))
    return false;
  if (tag == static_cast<uint8_t>(handle_tag::null))
    return true;
  if (tag > static_cast<uint8_t>(last_handle_tag))
    return f.fail(ec::invalid_tag);
  if (f.handles() == nullptr)
    return f.fail(ec::no_actor_context);
  auto code = f.handles()->load(f, static_cast<handle_tag>(tag), x);
  return code == ec::none || f.fail(code);
}

} // namespace detail

ec local_handle_codec::save(serializer& f, const caf::strong_actor_ptr& handle) {
  if (handle->nid == system_->node())
    system_->registry().put(handle->aid, handle);
  return f.byte(static_cast<uint8_t>(handle_tag::global)) && f.apply(handle->nid)
             && f.apply(uint64_t{handle->aid})
           ? ec::none
           : f.code();
}

ec local_handle_codec::load(deserializer& f, handle_tag tag, caf::strong_actor_ptr& handle) {
  if (tag != handle_tag::global)
    return ec::invalid_tag;
  caf::node_id node;
  uint64_t id = 0;
  if (!f.apply(node) || !f.apply(id))
    return f.code();
  if (node != system_->node())
    return ec::unreachable_actor;
  handle = system_->registry().get(static_cast<caf::actor_id>(id));
  return handle != nullptr ? ec::none : ec::unreachable_actor;
}

} // namespace cafwire
