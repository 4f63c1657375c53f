// This file is part of cafwire. See the file LICENSE for license terms.

#include "view/types.hpp"

#include <caf/init_global_meta_objects.hpp>
#include <caf/io/middleman.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace {

class setup : public Catch::EventListenerBase {
public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    cafwire::init_global_meta_objects<caf::id_block::view_test>();
    caf::io::middleman::init_global_meta_objects();
    caf::core::init_global_meta_objects();
  }
};

} // namespace

CATCH_REGISTER_LISTENER(setup)
