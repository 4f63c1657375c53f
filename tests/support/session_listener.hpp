// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "support/session_types.hpp"

#include <catch2/reporters/catch_reporter_event_listener.hpp>

namespace session_test {

/// Registers the types of the tests before the first of them runs. Each program of tests registers
/// it once, with CATCH_REGISTER_LISTENER.
class session_listener : public Catch::EventListenerBase {
public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    register_types();
  }
};

} // namespace session_test
