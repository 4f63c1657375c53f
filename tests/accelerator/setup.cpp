// This file is part of cafwire. See the file LICENSE for license terms.

#include "accelerator/types.hpp"

#include <caf/init_global_meta_objects.hpp>
#include <caf/io/middleman.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

namespace {

/// Registers types with CAF alone: the accelerator must not need more.
class setup : public Catch::EventListenerBase {
public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    caf::init_global_meta_objects<caf::id_block::accelerator_test>();
    caf::io::middleman::init_global_meta_objects();
    caf::core::init_global_meta_objects();
  }
};

} // namespace

CATCH_REGISTER_LISTENER(setup)
