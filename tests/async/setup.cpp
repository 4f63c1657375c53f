// This file is part of cafwire. See the file LICENSE for license terms.

#include "async/types.hpp"

#include <caf/init_global_meta_objects.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace {

class setup : public Catch::EventListenerBase {
public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    cafwire::init_global_meta_objects<caf::id_block::async_test>();
    caf::core::init_global_meta_objects();
  }
};

} // namespace

CATCH_REGISTER_LISTENER(setup)
