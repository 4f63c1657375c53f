// This file is part of cafwire. See the file LICENSE for license terms.

// What many links cost that have nothing to do: `links/N`. Both ends of all links are in this
// process. `bytes_per_link` is the growth of the process (resident memory) for one link: both ends,
// the actor and its proxy, and the open port that it was made through. The time is that for one
// request, over one link after the other. Stock networking has no counterpart: it keeps one
// connection per node.

#include "caf_api.hpp"
#include "child_process.hpp"
#include "program.hpp"
#include "remote/actors.hpp"

#include <benchmark/benchmark.h>

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace cafwire::bench {
namespace {

/// Links give their buffers back after two seconds.
constexpr auto idle_time = std::chrono::milliseconds{2500};

/// Returns the resident memory of this process in bytes.
double resident_bytes() {
  ::malloc_trim(0);
  std::ifstream in{"/proc/self/statm"};
  size_t total = 0;
  size_t resident = 0;
  in >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Three sockets for each connection, in this one process.
void allow_sockets(size_t links) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  auto wanted = static_cast<rlim_t>(3 * links + 100);
  if (limit.rlim_cur >= wanted)
    return;
  limit.rlim_cur = std::min(limit.rlim_max, wanted);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < wanted)
    throw std::runtime_error{"the system allows too few open files: ulimit -n"};
}

/// A system with a network.
struct node {
  remote_config config;
  caf::actor_system system{config};
  network_ptr connections = make_network("cafwire", system);
};

caf::behavior answer(caf::event_based_actor*) {
  return {
    [](caf::ping_atom) { return caf::pong_atom_v; },
  };
}

void run_links(benchmark::State& state, size_t count) {
  deadline guard{"links", 120};
  try {
    allow_sockets(count);
    node server;
    node client;
    caf::scoped_actor self{client.system};
    std::vector<caf::actor> targets;
    std::vector<caf::actor> remotes;
    auto connect = [&] {
      targets.push_back(server.system.spawn(answer));
      auto port = server.connections->publish(targets.back());
      remotes.push_back(client.connections->connect(port));
      round_trip(self, remotes.back());
    };
    connect(); // what is there once only
    auto before = resident_bytes();
    for (size_t i = 0; i < count; ++i)
      connect();
    std::this_thread::sleep_for(idle_time);
    auto grown_by = resident_bytes() - before;
    size_t next = 0;
    for ([[maybe_unused]] auto unused : state)
      round_trip(self, remotes[next++ % remotes.size()]);
    for (auto& x : targets)
      send_exit(x);
    state.counters["bytes_per_link"] = grown_by / static_cast<double>(count);
  } catch (const std::exception& ex) {
    report_failure(state, ex.what());
  }
}

int run_program(int argc, char** argv) {
  initialize_types();
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  for (auto count : {size_t{10}, size_t{1000}}) {
    auto name = "links/" + std::to_string(count);
    benchmark::RegisterBenchmark(name.c_str(),
                                 [count](benchmark::State& state) { run_links(state, count); });
  }
  return run();
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  return cafwire::bench::run_guarded(cafwire::bench::run_program, argc, argv);
}
