// This file is part of cafwire. See the file LICENSE for license terms.

// Asks an actor of a second process again and again, one request at a time: `pingpong/TRANSPORT`.
// `p50_ns` and `p99_ns` are the times from a request to its response, `cpu_ns` is the CPU time that
// both processes use for one round trip.

#include "child_process.hpp"
#include "program.hpp"
#include "remote/actors.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace cafwire::bench {
namespace {

/// Returns the value that a share of the samples does not exceed.
/// @pre `samples` is sorted and not empty
double percentile(const std::vector<double>& samples, double share) {
  auto last = samples.size() - 1;
  return samples[static_cast<size_t>(share * static_cast<double>(last))];
}

void run_pingpong(benchmark::State& state, const std::string& name) {
  using clock = std::chrono::steady_clock;
  deadline guard{"pingpong", 120};
  try {
    actor_transport connection{name};
    constexpr auto warm_up = 100;
    for (auto i = 0; i < warm_up; ++i)
      connection.round_trip();
    std::vector<double> samples;
    samples.reserve(static_cast<size_t>(state.max_iterations));
    auto cpu_seconds = [&] { return own_cpu_seconds() + connection.receiver().cpu_seconds(); };
    auto cpu_start = cpu_seconds();
    for ([[maybe_unused]] auto unused : state) {
      auto start = clock::now();
      connection.round_trip();
      samples.push_back(std::chrono::duration<double, std::nano>(clock::now() - start).count());
    }
    auto cpu_ns = (cpu_seconds() - cpu_start) * 1e9 / static_cast<double>(samples.size());
    std::sort(samples.begin(), samples.end());
    state.counters["p50_ns"] = percentile(samples, 0.50);
    state.counters["p99_ns"] = percentile(samples, 0.99);
    state.counters["cpu_ns"] = cpu_ns;
  } catch (const std::exception& ex) {
    report_failure(state, ex.what());
  }
}

int run_program(int argc, char** argv) {
  initialize_types();
  if (argc == 3 && argv[1] == std::string_view{"--serve"}) {
    end_with_parent();
    serve_actors(argv[2]);
    return EXIT_SUCCESS;
  }
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  for (auto* name : {"cafwire", "basp"}) {
    auto full_name = std::string{"pingpong/"} + name;
    benchmark::RegisterBenchmark(full_name.c_str(),
                                 [name](benchmark::State& state) { run_pingpong(state, name); });
  }
  return run();
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  return cafwire::bench::run_guarded(cafwire::bench::run_program, argc, argv);
}
