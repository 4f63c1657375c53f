// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/init_global_meta_objects.hpp"

#include "net/types.hpp"

#include <caf/init_global_meta_objects.hpp>
#include <caf/io/middleman.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>

#include <unistd.h>

#include <csignal>
#include <string>
#include <tuple>

namespace {

/// No test takes longer, not even with a sanitizer on a busy machine.
constexpr unsigned seconds_per_test = 120;

std::string overdue;

void give_up(int) {
  std::ignore = ::write(STDERR_FILENO, overdue.data(), overdue.size());
  ::_exit(124);
}

class net_setup : public Catch::EventListenerBase {
public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    cafwire::init_global_meta_objects<caf::id_block::net_test>();
    caf::init_global_meta_objects<caf::id_block::net_test_strangers>();
    caf::io::middleman::init_global_meta_objects();
    caf::core::init_global_meta_objects();
    std::signal(SIGALRM, give_up);
  }

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    overdue = "\nThis test never ends: " + info.name + '\n';
    ::alarm(seconds_per_test);
  }

  void testCaseEnded(const Catch::TestCaseStats&) override {
    ::alarm(0);
  }
};

} // namespace

CATCH_REGISTER_LISTENER(net_setup)
