// This file is part of cafwire. See the file LICENSE for license terms.

// A server: docs/migrating.md shows how a cluster moves node by node: this one is reached both
// ways.

#include "shop.hpp"

#include <cafwire/all.hpp>
#include <cafwire/remoting.hpp>

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <cstdlib>
#include <iostream>

struct config : caf::actor_system_config {
  uint16_t port = 0;
  uint16_t stock_port = 0;

  config() {
    opt_group{custom_options_, "global"}
      .add(port, "port,p", "where to listen for links")
      .add(stock_port, "stock-port,s", "where to listen for CAF's own networking");
  }
};

caf::behavior order_desk(caf::event_based_actor*) {
  return {[](const order& x) { return x.price * static_cast<double>(x.articles.size()); }};
}

int caf_main(caf::actor_system& sys, const config& cfg) {
  auto desk = sys.spawn(order_desk);
  cafwire::remoting net{sys};
  auto port = net.publish(desk, cfg.port);
  auto stock_port = sys.middleman().publish(desk, cfg.stock_port);
  if (!port || !stock_port) {
    std::cerr << "cannot publish: " << to_string(!port ? port.error() : stock_port.error()) << '\n';
    return EXIT_FAILURE;
  }
  std::cout << *stock_port << ' ' << *port << std::endl;
  std::cin.get(); // runs until somebody presses Enter
  caf::anon_send_exit(desk, caf::exit_reason::user_shutdown);
  return EXIT_SUCCESS;
}

CAFWIRE_MAIN(caf::id_block::shop, caf::io::middleman)
