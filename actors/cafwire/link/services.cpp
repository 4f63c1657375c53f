// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/services.hpp"

#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/message.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/type_id.hpp>

#include <set>
#include <string>

namespace cafwire::detail {

caf::behavior serve_peers(caf::event_based_actor* self) {
  return {
    [self](caf::spawn_atom, const std::string& name, caf::message& args,
           const std::set<std::string>& interface) -> caf::result<caf::strong_actor_ptr> {
      return self->system().spawn<caf::strong_actor_ptr>(name, std::move(args), self->context(),
                                                         true, &interface);
    },
    [self](caf::registry_lookup_atom,
           const std::string& name) -> caf::result<caf::strong_actor_ptr, std::set<std::string>> {
      auto found = self->system().registry().get(name);
      if (found == nullptr)
        return caf::make_error(caf::sec::no_such_key, name);
      auto interface = found->get()->message_types();
      return {std::move(found), std::move(interface)};
    },
  };
}

} // namespace cafwire::detail
