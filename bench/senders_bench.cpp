// This file is part of cafwire. See the file LICENSE for license terms.

// Several actors that send at the same time. Both ends are in this process.
//
// `senders/BYTES/N`: N of them over one link. All senders together send the same number of
// messages, whatever N is: where senders hinder each other, `items_per_second` falls with N.
//
// `connections/objects/N/TRANSPORT`: N of them, each with a system and a connection of its own to
// one server, in which four threads may decode at the same time, be it those of CAF's scheduler or
// the workers of its middleman. Messages take much longer to decode than to encode.

#include "caf_api.hpp"
#include "child_process.hpp"
#include "messages.hpp"
#include "program.hpp"
#include "remote/actors.hpp"

#include <benchmark/benchmark.h>

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace cafwire::bench {
namespace {

/// Two threads for actors, or more, and as many for what arrives over CAF's own networking.
class node_config : public remote_config {
public:
  explicit node_config(size_t threads) {
    set("caf.scheduler.max-threads", threads);
    set("caf.middleman.workers", threads);
  }
};

/// A system with a network.
struct node {
  explicit node(const char* transport = "cafwire", size_t threads = 2)
    : config(threads), connections(make_network(transport, system)) {
    // nop
  }

  node_config config;
  caf::actor_system system{config};
  network_ptr connections;
};

caf::behavior sink(caf::event_based_actor*) {
  return {
    [](const std::string&) {},
    [](const object_vector&) {},
    [](caf::ping_atom) { return caf::pong_atom_v; },
  };
}

/// Measures how long all senders take that act at the same time, each in a thread of its own.
template <class Sender, class Action>
void run_threads(benchmark::State& state, std::vector<std::unique_ptr<Sender>>& senders,
                 Action action) {
  for ([[maybe_unused]] auto unused : state) {
    std::vector<std::future<void>> threads;
    for (auto& x : senders)
      threads.push_back(std::async(std::launch::async, [&action, &x] { action(*x); }));
    for (auto& x : threads)
      x.get(); // throws what the thread has thrown
  }
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
    run_threads(state, senders, [&, n = count / num_senders](caf::scoped_actor& self) {
      for (size_t i = 0; i < n; ++i)
        send_from(self, remote, text);
      round_trip(self, remote); // when the last message has been handled
    });
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * count));
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * count * bytes));
    send_exit(target);
  } catch (const std::exception& ex) {
    report_failure(state, ex.what());
  }
}

/// An actor with a connection of its own.
struct lone_sender {
  lone_sender(const char* transport, node& server)
    : client(transport), target(server.system.spawn(sink)) {
    remote = client.connections->connect(server.connections->publish(target));
  }

  ~lone_sender() {
    send_exit(target);
  }

  /// Sends messages, a few of which are in flight at a time.
  void run(const caf::message& what, size_t count) {
    constexpr size_t window = 8;
    for (size_t i = 0; i < count; ++i) {
      send_anonymously(remote, what);
      if (i % window == window - 1)
        round_trip(self, remote);
    }
    round_trip(self, remote);
  }

  node client;
  caf::scoped_actor self{client.system};
  caf::actor target;
  caf::actor remote;
};

void run_connections(benchmark::State& state, const char* transport, size_t num_connections) {
  deadline guard{"connections", 120};
  try {
    node server{transport, 4};
    std::vector<std::unique_ptr<lone_sender>> senders;
    for (size_t i = 0; i < num_connections; ++i)
      senders.push_back(std::make_unique<lone_sender>(transport, server));
    constexpr size_t count = 800;
    auto what = caf::make_message(make_objects(100));
    run_threads(state, senders,
                [&, n = count / num_connections](lone_sender& x) { x.run(what, n); });
    state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * count));
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
  for (auto n : {size_t{1}, size_t{8}}) {
    for (auto* transport : {"cafwire", "basp"}) {
      auto name = "connections/objects/" + std::to_string(n) + '/' + transport;
      benchmark::RegisterBenchmark(name.c_str(), [transport, n](benchmark::State& state) {
        run_connections(state, transport, n);
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
