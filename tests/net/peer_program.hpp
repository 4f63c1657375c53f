// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// The helper programs: an actor at a port, until the standard input ends. Which types they know
// depends on CAFWIRE_NET_TEST_OTHER_REGISTRY.

#include "cafwire/init_global_meta_objects.hpp"
#include "cafwire/remoting.hpp"

#include "net/caf_api.hpp"
#include "net/types.hpp"

#include <caf/init_global_meta_objects.hpp>
#include <caf/io/middleman.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace net_test {

/// What has arrived from one of several senders that number their messages.
struct tally {
  uint64_t count = 0;
  uint64_t checksum = 0;
  bool in_order = true;

  void add(uint64_t number, uint64_t value) {
    in_order &= number == count++;
    checksum = checksum * 31 + value;
  }
};

/// Tells what it has been sent, in types that all programs know.
inline caf::behavior describer(caf::event_based_actor* self, const cafwire::remoting* net) {
  auto kept = std::make_shared<caf::actor>();
  auto promises = std::make_shared<std::vector<caf::response_promise>>();
  auto tallies = std::make_shared<std::map<uint32_t, tally>>();
  return {
    [tallies](uint32_t sender, uint64_t number, uint64_t value) {
      (*tallies)[sender].add(number, value);
    },
    // Answers with 0 if anything is missing or out of order.
    [tallies](caf::get_atom, uint32_t sender, uint64_t count) {
      auto& x = (*tallies)[sender];
      return x.in_order && x.count == count ? x.checksum : uint64_t{0};
    },
    [](const point& p) {
      return "point " + std::to_string(p.x) + ' ' + std::to_string(p.y) + ' ' + std::to_string(p.z);
    },
    [](const color& c) {
      return "color " + std::to_string(c.red) + ' ' + std::to_string(c.green) + ' '
             + std::to_string(c.blue);
    },
    [](const chart& x) { return "chart " + x.name + ' ' + std::to_string(x.values.size()); },
    [](const positive& x) { return "positive " + std::to_string(x.value); },
    [](const changed&) { return std::string{"changed"}; },
    [](const evolved& x) { return "evolved " + std::to_string(x.id) + ' ' + x.rest(); },
    [](std::string& x) { return std::move(x); },
    // What a peer does not know.
    [](caf::get_atom, int32_t what) -> caf::result<caf::message> {
      switch (what) {
#ifdef CAFWIRE_NET_TEST_OTHER_REGISTRY
        case 0:
          return caf::make_message(only_there{1});
        case 1:
          return caf::make_message(caf::join_atom_v, caf::make_message(only_there{1}));
        case 2:
          return caf::make_error(mood::bad);
#endif
        case 3:
          return caf::make_message(color{1, 2, 3});
        case 4:
          return caf::make_message(changed{});
        case 5: {
          evolved result;
          result.id = 9;
          return caf::make_message(std::move(result));
        }
#ifdef CAFWIRE_NET_TEST_OTHER_REGISTRY
        case 6: {
          evolved result;
          result.id = int64_t{1} << 40;
          return caf::make_message(std::move(result));
        }
#endif
        default:
          return caf::sec::invalid_argument;
      }
    },
    [net](caf::get_atom) { return static_cast<uint64_t>(net->statistics().decode_errors); },
    [kept](caf::put_atom, const caf::actor& x) { *kept = x; },
    [kept](caf::get_atom, caf::contact_atom) { return *kept; },
    [self, kept](caf::redirect_atom, const point& x) { return delegate(self, *kept, x); },
    [self, promises](caf::pending_atom) {
      promises->push_back(self->make_response_promise());
      return promises->back();
    },
    [self](caf::close_atom, caf::error& reason) { self->quit(std::move(reason)); },
  };
}

inline int run_peer() {
  // Should the parent not be there to close the pipe.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  cafwire::init_global_meta_objects<caf::id_block::net_test>();
  caf::io::middleman::init_global_meta_objects();
  caf::core::init_global_meta_objects();
  caf::actor_system_config config;
  config.load<caf::io::middleman>();
  config.set("caf.scheduler.max-threads", 2);
  caf::actor_system system{config};
  cafwire::remoting net{system};
  auto port = net.publish(system.spawn(describer, &net), 0);
  if (!port) {
    std::fprintf(stderr, "%s\n", to_string(port.error()).c_str());
    return 1;
  }
  std::printf("%d\n", static_cast<int>(*port));
  std::fflush(stdout);
  char c = 0;
  while (::read(STDIN_FILENO, &c, 1) > 0) {
    // nop
  }
  return 0;
}

} // namespace net_test
