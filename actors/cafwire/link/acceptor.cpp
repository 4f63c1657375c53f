// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/acceptor.hpp"

#include "cafwire/link/link_broker.hpp"

#include <caf/io/scribe.hpp>
#include <caf/io/system_messages.hpp>

namespace cafwire::detail {

acceptor::acceptor(caf::actor_config& cfg, std::shared_ptr<link_table> links,
                   std::shared_ptr<published_actor> published, caf::io::doorman_ptr doorman)
  : caf::io::broker(cfg),
    links_(std::move(links)),
    published_(std::move(published)),
    doorman_(std::move(doorman)) {
  // nop
}

acceptor::~acceptor() = default;

caf::behavior acceptor::make_behavior() {
  add_doorman(std::move(doorman_));
  return {
    [this](const caf::io::new_connection_msg& msg) {
      links_->spawn(take(msg.handle), scribe_origin::accepted, published_);
    },
    [this](const caf::io::acceptor_closed_msg&) { quit(); },
  };
}

} // namespace cafwire::detail
