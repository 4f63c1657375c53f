// This file is part of cafwire. See the file LICENSE for license terms.

// A client: docs/migrating.md shows how it moves from one networking to the other.

#include "shop.hpp"

#include <cafwire/all.hpp>
#include <cafwire/remoting.hpp>

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

struct config : caf::actor_system_config {
  std::string host = "127.0.0.1";
  uint16_t port = 0;

  config() {
    opt_group{custom_options_, "global"}
      .add(host, "host,H", "where the server runs")
      .add(port, "port,p", "where it listens");
  }
};

int caf_main(caf::actor_system& sys, const config& cfg) {
  cafwire::remoting net{sys};
  auto desk = net.remote_actor(cfg.host, cfg.port);
  if (!desk) {
    std::cerr << "cannot connect: " << to_string(desk.error()) << '\n';
    return EXIT_FAILURE;
  }
  auto ask = caf::make_function_view(*desk);
  auto total = ask(order{"Ada", {17, 4}, 2.5});
  std::cout << "to pay: " << to_string(total) << '\n';
  auto is_right = total && total->match_elements<double>() && total->get_as<double>(0) == 5.0;
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

CAFWIRE_MAIN(caf::id_block::shop, caf::io::middleman)
