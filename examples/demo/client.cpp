// This file is part of cafwire. See the file LICENSE for license terms.

#include "client.hpp"

#include "caf_api.hpp"
#include "server.hpp"
#include "supervisor.hpp"
#include "table.hpp"

#include <caf/config.hpp>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace demo {

namespace {

constexpr auto max_start_time = std::chrono::seconds{20};

constexpr auto max_stop_time = std::chrono::seconds{15};

constexpr size_t questions_per_pass = 500;

/// Time for everything; generous, because tests run this on busy machines.
std::chrono::seconds time_limit(size_t rounds) {
  return std::chrono::seconds{120} + rounds * std::chrono::seconds{60};
}

/// Everything that both the counting and the timing need.
struct session {
  supervisor& watch;
  server_ports ports;
  const std::vector<stream>& streams;
  const questions& asked;
  const std::string& record_to;
  std::vector<table_entry> entries; ///< One for each stream, then the questions.
  std::string step = "starting";    ///< What happens now.

  /// Tells the supervisor what happens now, too.
  void set_step(std::string what) {
    step = what;
    watch.step(std::move(what));
  }
};

std::vector<table_entry> make_entries(const std::vector<stream>& streams, const questions& asked) {
  std::vector<table_entry> result;
  for (const auto& x : streams)
    result.push_back({x.name, x.messages, x.record_bytes, {}, {}});
  result.push_back({"questions, one at a time", questions_per_pass, asked.record_bytes(), {}, {}});
  return result;
}

void count_all(session& run) {
  for (size_t i = 0; i < run.entries.size(); ++i) {
    auto& entry = run.entries[i];
    auto what = "counting bytes: " + entry.name;
    std::fprintf(stderr, "%s\n", what.c_str());
    for (auto how : transports) {
      run.set_step(what + " over " + to_string(how));
      entry.of(how).bytes = i < run.streams.size()
                              ? count_bytes(how, run.ports, run.streams[i], run.record_to)
                              : count_bytes(how, run.ports, run.asked, questions_per_pass,
                                            run.record_to);
    }
  }
}

double timed_questions(caf::scoped_actor& self, const caf::actor& dst, const questions& asked) {
  asked.store(self, dst);
  asked.ask_each(self, dst);
  return asked.ask_airport_counts(self, dst, questions_per_pass);
}

void time_all(session& run, size_t rounds) {
  node local;
  caf::scoped_actor self{local.system()};
  std::array<caf::actor, transports.size()> remotes;
  for (size_t t = 0; t < transports.size(); ++t) {
    run.set_step("connecting");
    remotes[t] = local.connect(transports[t], run.ports.of(transports[t]));
  }
  for (size_t round = 0; round < rounds; ++round) {
    auto phase = "round " + std::to_string(round + 1) + " of " + std::to_string(rounds) + ": ";
    for (size_t i = 0; i < run.entries.size(); ++i) {
      auto& entry = run.entries[i];
      std::fprintf(stderr, "%s%s:", phase.c_str(), entry.name.c_str());
      for (size_t t = 0; t < transports.size(); ++t) {
        auto how = transports[t];
        run.set_step(phase + entry.name + " over " + to_string(how));
        auto seconds = i < run.streams.size() ? timed_pass(self, remotes[t], run.streams[i])
                                              : timed_questions(self, remotes[t], run.asked);
        entry.of(how).seconds.push_back(seconds);
        std::fprintf(stderr, " %s %.3f s", to_string(how), seconds);
      }
      std::fprintf(stderr, "\n");
    }
  }
}

void print_results(const session& run, size_t rounds) {
  std::printf("\nAll records arrived intact, all answers were right. "
              "Two processes on loopback, CAF %d.%d.%d.\n\n%s\n",
              CAF_MAJOR_VERSION, CAF_MINOR_VERSION, CAF_PATCH_VERSION, render(run.entries).c_str());
  std::printf(
    "bytes: what crossed the socket in both directions for the first message of a connection "
    "(handshake\n  apart), and for each of the next %zu (lists of airports: %zu); "
    "counted by a relay, in passes without a clock\n"
    "messages/s: median of %zu round%s without the relay, at most %zu windows in flight; the "
    "clock stops when the\n  receiver has compared the last record\n"
    "MB/s: counts the fields of the records alone, for both alike\n",
    run.streams.front().steady_messages, run.streams.back().steady_messages, rounds,
    rounds == 1 ? "" : "s", max_windows);
}

} // namespace

void run_client(const std::filesystem::path& data_dir, size_t rounds,
                const std::string& record_to) {
  auto data = load_dataset(data_dir);
  auto streams = make_streams(data);
  questions asked{data};
  child_process server{{"demo", "--serve", "--data", data_dir.string()}};
  auto ports = parse_ports(server.read_line(max_start_time));
  std::fprintf(stderr, "server process started; cafwire at port %u, stock CAF at port %u\n",
               unsigned{ports.cafwire}, unsigned{ports.stock});
  {
    supervisor watch{server, time_limit(rounds)};
    session run{watch, ports, streams, asked, record_to, make_entries(streams, asked)};
    try {
      count_all(run);
      time_all(run, rounds);
    } catch (const std::runtime_error& x) {
      std::fprintf(stderr, "\n"); // ends the line of progress
      auto why = run.step + ": " + x.what();
      // A dead server is the better explanation for a lost connection.
      if (auto how = server.ended_within(std::chrono::milliseconds{500}))
        why += " (the server process ended early, with " + *how + ")";
      throw std::runtime_error(why);
    }
    run.set_step("printing");
    print_results(run, rounds);
  }
  server.stop(max_stop_time);
}

} // namespace demo
