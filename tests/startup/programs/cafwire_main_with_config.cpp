// This file is part of cafwire. See the file LICENSE for license terms.

// CAFWIRE_MAIN with modules, and with a configuration of the application.

#include "startup/thing.hpp"

#include <caf/all.hpp>

#if __has_include(<caf/io/middleman.hpp>)
#  include <caf/io/middleman.hpp>
#  define CAFWIRE_TEST_MODULES , caf::io::middleman
#else
#  define CAFWIRE_TEST_MODULES
#endif

struct config : caf::actor_system_config {
  int answer = 42;

  config() {
    opt_group{custom_options_, "global"}.add(answer, "answer,a", "a number");
  }
};

void caf_main(caf::actor_system&, const config& cfg) {
  require(cfg.answer == 42, "the configuration of the application");
  require_round_trip();
}

CAFWIRE_MAIN(caf::id_block::startup_test CAFWIRE_TEST_MODULES)
