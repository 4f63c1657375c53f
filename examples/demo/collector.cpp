// This file is part of cafwire. See the file LICENSE for license terms.

#include "collector.hpp"

#include "aggregates.hpp"
#include "stream_checker.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>

namespace demo {

namespace {

/// Belongs to one actor, so nothing in here needs a lock.
struct collector_data {
  explicit collector_data(const dataset& expected) : checker(expected) {
    // nop
  }

  stream_checker checker;
  dataset stored; ///< Received records that the questions are about.
};

caf::behavior collector(caf::event_based_actor*, std::shared_ptr<collector_data> data) {
  return {
    [data](begin_atom) {
      data->checker.begin();
      return caf::ok_atom_v;
    },
    [data](const flight& x) { data->checker.check(x); },
    [data](const airport& x) { data->checker.check(x); },
    [data](const flight_list& xs) { data->checker.check(xs); },
    [data](const airport_list& xs) { data->checker.check(xs); },
    [data](fence_atom) { return data->checker.report().messages; },
    [data](report_atom) { return data->checker.report(); },
    [data](store_atom, flight_list& flights, airport_list& airports) {
      data->stored = {std::move(flights), std::move(airports)};
      return uint64_t{data->stored.flights.size() + data->stored.airports.size()};
    },
    [data](mean_delays_atom) { return mean_delay_by_origin(data->stored.flights); },
    [data](longest_flight_atom) -> caf::result<flight> {
      if (auto x = longest_flight(data->stored.flights))
        return *x;
      return caf::make_error(caf::sec::runtime_error, "no flights");
    },
    [data](airport_count_atom, const std::string& state) -> caf::result<uint64_t> {
      if (auto n = count_airports(data->stored.airports, state); n > 0)
        return n;
      return caf::make_error(caf::sec::invalid_argument, "no such state", state);
    },
  };
}

} // namespace

caf::actor spawn_collector(caf::actor_system& sys, const dataset& expected) {
  return sys.spawn(collector, std::make_shared<collector_data>(expected));
}

} // namespace demo
