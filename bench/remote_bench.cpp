// This file is part of cafwire. See the file LICENSE for license terms.

// Sends messages to a second process over loopback, one way: `remote/PAYLOAD/TRANSPORT`. The clock
// stops when the receiver has handled the last message.

#include "child_process.hpp"
#include "program.hpp"
#include "remote/actors.hpp"
#include "remote/payload.hpp"
#include "remote/tcp.hpp"
#include "remote/transport.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace cafwire::bench {
namespace {

/// Connections stay open between benchmarks, as they do in an application.
class transports {
public:
  /// Returns the transport with this name, and starts its second process if there is none yet.
  transport& get(const std::string& name) {
    auto& result = open_[name];
    if (result == nullptr) {
      if (name == "tcp")
        result = std::make_unique<tcp_transport>();
      else
        result = std::make_unique<actor_transport>(name);
    }
    return *result;
  }

  /// Closes a connection that no longer works.
  void drop(const std::string& name) {
    open_.erase(name);
  }

private:
  std::map<std::string, std::unique_ptr<transport>> open_;
};

void run_remote(benchmark::State& state, transports& open, const std::string& name,
                const payload& what) {
  using clock = std::chrono::steady_clock;
  auto label = "remote/" + what.name() + '/' + name;
  deadline guard{label.c_str(), 120};
  try {
    auto& connection = open.get(name);
    auto count = static_cast<size_t>(state.max_iterations);
    connection.prepare(what, count);
    auto cpu_seconds = [&] { return own_cpu_seconds() + connection.receiver().cpu_seconds(); };
    auto cpu_start = cpu_seconds();
    auto start = clock::now();
    while (state.KeepRunningBatch(state.max_iterations))
      connection.run(what, count);
    auto seconds = std::chrono::duration<double>(clock::now() - start).count();
    // Less sensitive to other programs on the machine than the rates.
    auto cpu_ns = (cpu_seconds() - cpu_start) * 1e9 / static_cast<double>(count);
    // Rates of Google Benchmark refer to the CPU time of this thread, which mostly waits.
    auto rate = static_cast<double>(count) / seconds;
    state.counters["items_per_second"] = rate;
    state.counters["bytes_per_second"] = rate * static_cast<double>(what.encoded_bytes());
    state.counters["cpu_ns"] = cpu_ns;
    state.counters["window"] = static_cast<double>(connection.window(what));
  } catch (const std::exception& ex) {
    open.drop(name);
    report_failure(state, ex.what());
  }
}

void add_benchmark(transports& open, const payload_ptr& what, const char* name) {
  auto full_name = "remote/" + what->name() + '/' + name;
  benchmark::RegisterBenchmark(full_name.c_str(), [&open, what, name](benchmark::State& state) {
    run_remote(state, open, name, *what);
  });
}

void add_benchmarks(transports& open) {
  for (auto& what : make_payloads())
    for (auto* name : {"cafwire", "basp", "tcp"})
      add_benchmark(open, what, name);
  for (auto& what : make_accelerated_payloads())
    add_benchmark(open, what, "accelerated");
}

/// Runs the second process.
void serve(const std::string& name) {
  end_with_parent();
  if (name == "tcp")
    serve_tcp();
  else
    serve_actors(name);
}

int run_program(int argc, char** argv) {
  initialize_types();
  if (argc == 3 && argv[1] == std::string_view{"--serve"}) {
    serve(argv[2]);
    return EXIT_SUCCESS;
  }
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  transports open;
  add_benchmarks(open);
  auto result = run();
  // Registered benchmarks refer to the transports.
  benchmark::ClearRegisteredBenchmarks();
  return result;
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  return cafwire::bench::run_guarded(cafwire::bench::run_program, argc, argv);
}
