// This file is part of cafwire. See the file LICENSE for license terms.

// A main function of the application: cafwire first, the types of CAF behind it.

#include "startup/thing.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

int main() {
  cafwire::init_global_meta_objects<caf::id_block::startup_test>();
  caf::core::init_global_meta_objects();
  require_round_trip();
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  require_round_trip();
}
