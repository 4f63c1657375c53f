// This file is part of cafwire. See the file LICENSE for license terms.

#include "evolution/versions.hpp"
#include "support/session_listener.hpp"

#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace {

struct listener : session_test::session_listener {
  using session_listener::session_listener;

  void testRunStarting(const Catch::TestRunInfo& info) override {
    session_listener::testRunStarting(info);
    cafwire::init_global_meta_objects<caf::id_block::cafwire_evolution_test>();
  }
};

} // namespace

CATCH_REGISTER_LISTENER(listener)
