// This file is part of cafwire. See the file LICENSE for license terms.

// CAFWIRE_MAIN stands where CAF_MAIN stood.

#include "net/caf_api.hpp"
#include "startup/thing.hpp"

#include <caf/all.hpp>

void caf_main(caf::actor_system& sys) {
  require_round_trip();
  caf::scoped_actor self{sys};
  net_test::send(self, self, thing{1, "one"});
  self->receive([](const thing& x) { require(x.text == "one", "messages inside of the system"); });
}

CAFWIRE_MAIN(caf::id_block::startup_test)
