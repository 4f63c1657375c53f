// This file is part of cafwire. See the file LICENSE for license terms.

#include "stream.hpp"

#include "caf_api.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <stdexcept>

namespace demo {

namespace {

template <class T>
stream make_single_stream(const std::vector<T>& records, std::string name, size_t repetitions) {
  stream result;
  result.name = std::move(name);
  result.messages = records.size() * repetitions;
  result.window = 4096;
  result.steady_messages = 1000;
  result.record_bytes = static_cast<double>(demo::record_bytes(records))
                        / static_cast<double>(records.size());
  result.make_message = [&records](size_t i) {
    return caf::make_message(records[i % records.size()]);
  };
  return result;
}

template <class T>
stream make_list_stream(const std::vector<T>& records, std::string name, size_t messages,
                        size_t window, size_t steady_messages) {
  stream result;
  result.name = std::move(name);
  result.messages = messages;
  result.window = window;
  result.steady_messages = steady_messages;
  result.record_bytes = static_cast<double>(demo::record_bytes(records));
  // The list itself is copied once only: what is measured is the way to the receiver.
  result.make_message = [msg = caf::make_message(records)](size_t) { return msg; };
  return result;
}

std::string describe(const stream_report& x) {
  auto result = "fields that did not arrive as they were sent: " + std::to_string(x.mismatch_count);
  for (const auto& e : x.examples)
    result += "\n  message " + std::to_string(e.message) + ", record " + std::to_string(e.record)
              + ", " + e.field + ": sent " + e.expected + ", received " + e.received;
  return result;
}

} // namespace

std::vector<stream> make_streams(const dataset& data) {
  return {
    make_single_stream(data.flights, "flights, one by one", 100),
    make_list_stream(data.flights, "flights, all in a list", 5000, 50, 1000),
    make_single_stream(data.airports, "airports, one by one", 20),
    make_list_stream(data.airports, "airports, all in a list", 300, 4, 100),
  };
}

void send_messages(caf::scoped_actor& self, const caf::actor& dst, const stream& x, size_t first,
                   size_t last) {
  struct fence {
    uint64_t messages;
    decltype(request(self, dst, fence_atom_v)) handle;
  };
  std::deque<fence> fences;
  auto await_fence = [&fences] {
    auto [messages, handle] = std::move(fences.front());
    fences.pop_front();
    auto handled = value_of(response<uint64_t>(std::move(handle)), "no answer");
    if (handled != messages)
      throw std::runtime_error(std::to_string(messages) + " messages sent, "
                               + std::to_string(handled) + " received");
  };
  for (auto i = first; i < last;) {
    for (auto end = std::min(i + x.window, last); i < end; ++i)
      send(self, dst, x.make_message(i));
    fences.push_back({i, request(self, dst, fence_atom_v)});
    if (fences.size() == max_windows)
      await_fence();
  }
  while (!fences.empty())
    await_fence();
}

double timed_pass(caf::scoped_actor& self, const caf::actor& dst, const stream& x) {
  using clock_type = std::chrono::steady_clock;
  ask<caf::ok_atom>(self, dst, begin_atom_v);
  auto start = clock_type::now();
  send_messages(self, dst, x, 0, x.messages);
  auto stop = clock_type::now();
  check_report(self, dst, x.messages);
  return std::chrono::duration<double>(stop - start).count();
}

void check_report(caf::scoped_actor& self, const caf::actor& dst, size_t messages) {
  auto report = ask<stream_report>(self, dst, report_atom_v);
  if (report.messages != messages)
    throw std::runtime_error(std::to_string(messages) + " messages sent, "
                             + std::to_string(report.messages) + " received");
  if (report.mismatch_count != 0)
    throw std::runtime_error(describe(report));
}

} // namespace demo
