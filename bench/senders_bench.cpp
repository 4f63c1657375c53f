// This file is part of cafwire. See the file LICENSE for license terms.

// Several actors that send over one link at the same time: `senders/BYTES/N`. Both ends of the link
// are in this process. All senders together send the same number of messages, whatever N is: where
// senders hinder each other, `items_per_second` falls with N.

#include "caf_api.hpp"
#include "child_process.hpp"
#include "program.hpp"
#include "remote/actors.hpp"

#include <benchmark/benchmark.h>

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace cafwire::bench {
namespace {

/// A system with a network.
struct node {
  remote_config config;
  caf::actor_system system{config};
  network_ptr connections = make_network("cafwire", system);
};

caf::behavior sink(caf::event_based_actor*) {
  return {
    [](const std::string&) {},
    [](caf::ping_atom) { return caf::pong_atom_v; },
  };
}

void run_senders(benchmark::State& state, size_t bytes, size_t num_senders) {
  deadline guard{"senders", 120};
  try {
    node server;
    node client;
    auto count = bytes > 1000 ? size_t{480} : size_t{24'000};
    auto text = std::string(bytes, 'x');
    auto target = server.system.spawn(sink);
    auto remote = client.connections->connect(server.connections->publish(target));
    std::vector<std::unique_ptr<caf::scoped_actor>> senders;
    for (size_t i = 0; i < num_senders; ++i)
      senders.push_back(std::make_unique<caf::scoped_actor>(client.system));
    for ([[maybe_unused]] auto unused : state) {
      std::vector<std::thread> threads;
      for (auto& self : senders)
        threads.emplace_back([&self, &remote, &text, n = count / num_senders] {
          for (size_t i = 0; i < n; ++i)
            send_from(*self, remote, text);
          round_trip(*self, remote); // when the last message has been handled
        });
      for (auto& x : threads)
        x.join();
    }
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * count));
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * count * bytes));
    send_exit(target);
  } catch (const std::exception& ex) {
    report_failure(state, ex.what());
  }
}

int run_program(int argc, char** argv) {
  initialize_types();
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  for (auto bytes : {size_t{64}, size_t{100'000}}) {
    for (auto n : {size_t{1}, size_t{2}, size_t{4}}) {
      auto name = "senders/" + std::to_string(bytes) + '/' + std::to_string(n);
      benchmark::RegisterBenchmark(name.c_str(), [bytes, n](benchmark::State& state) {
        run_senders(state, bytes, n);
      })->UseRealTime();
    }
  }
  return run();
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  return cafwire::bench::run_guarded(cafwire::bench::run_program, argc, argv);
}
