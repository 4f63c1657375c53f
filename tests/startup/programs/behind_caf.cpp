// This file is part of cafwire. See the file LICENSE for license terms.

// A main function of the application: CAF first, also with the block of the application, then
// cafwire, and all of it twice.

#include "startup/thing.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

int main() {
  caf::core::init_global_meta_objects();
  caf::init_global_meta_objects<caf::id_block::startup_test>();
  for (auto i = 0; i < 2; ++i) {
    cafwire::init_global_meta_objects<caf::id_block::startup_test>();
    require_round_trip();
  }
  require(cafwire::known_types::global()->ranked().size() == 1, "registered once");
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  require_round_trip();
}
