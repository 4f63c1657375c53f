// This file is part of cafwire. See the file LICENSE for license terms.

// A server: docs/migrating.md shows how it moves from one networking to the other.

#include "shop.hpp"

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <cstdlib>
#include <iostream>

struct config : caf::actor_system_config {
  uint16_t port = 0;

  config() {
    opt_group{custom_options_, "global"}.add(port, "port,p", "where to listen");
  }
};

caf::behavior order_desk(caf::event_based_actor*) {
  return {[](const order& x) { return x.price * static_cast<double>(x.articles.size()); }};
}

int caf_main(caf::actor_system& sys, const config& cfg) {
  auto desk = sys.spawn(order_desk);
  auto port = sys.middleman().publish(desk, cfg.port);
  if (!port) {
    std::cerr << "cannot publish: " << to_string(port.error()) << '\n';
    return EXIT_FAILURE;
  }
  std::cout << *port << std::endl;
  std::cin.get(); // runs until somebody presses Enter
  caf::anon_send_exit(desk, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

CAF_MAIN(caf::id_block::shop, caf::io::middleman)
