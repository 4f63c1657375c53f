// This file is part of cafwire. See the file LICENSE for license terms.

// CAF_MAIN registers with CAF; the application adds cafwire at the top of its own function.

#include "net/caf_api.hpp"
#include "startup/thing.hpp"

#include <caf/all.hpp>

void caf_main(caf::actor_system& sys) {
  require(cafwire::known_types::global()->find("thing") == nullptr, "cafwire knows nothing yet");
  cafwire::init_global_meta_objects<caf::id_block::startup_test>();
  require_round_trip();
  caf::scoped_actor self{sys};
  net_test::send(self, self, thing{1, "one"});
  self->receive([](const thing& x) { require(x.text == "one", "messages inside of the system"); });
}

CAF_MAIN(caf::id_block::startup_test)
