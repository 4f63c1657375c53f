// This file is part of cafwire. See the file LICENSE for license terms.

#include "questions.hpp"

#include "aggregates.hpp"
#include "caf_api.hpp"

#include <chrono>
#include <stdexcept>

namespace demo {

namespace {

void require(bool condition, const std::string& what) {
  if (!condition)
    throw std::runtime_error("wrong answer: " + what);
}

bool same(const flight& x, const flight& y) {
  return x.departure == y.departure && x.distance == y.distance && x.delay == y.delay
         && x.origin == y.origin && x.destination == y.destination;
}

} // namespace

questions::questions(const dataset& data) : data_(data) {
  for (const auto& state : states_of(data.airports))
    airport_counts_.emplace_back(state, count_airports(data.airports, state));
}

void questions::store(caf::scoped_actor& self, const caf::actor& dst) const {
  auto kept = ask<uint64_t>(self, dst, store_atom_v, data_.flights, data_.airports);
  require(kept == data_.flights.size() + data_.airports.size(), "number of stored records");
}

void questions::ask_each(caf::scoped_actor& self, const caf::actor& dst) const {
  require(ask<mean_delays>(self, dst, mean_delays_atom_v) == mean_delay_by_origin(data_.flights),
          "mean delay by origin");
  require(same(ask<flight>(self, dst, longest_flight_atom_v),
               longest_flight(data_.flights).value()),
          "longest flight");
  auto nowhere
    = response<uint64_t>(request(self, dst, airport_count_atom_v, std::string{"nowhere"}));
  require(!nowhere && nowhere.error() == caf::sec::invalid_argument,
          "airports in a state that does not exist");
}

double questions::ask_airport_counts(caf::scoped_actor& self, const caf::actor& dst,
                                     size_t count) const {
  using clock_type = std::chrono::steady_clock;
  auto start = clock_type::now();
  for (size_t i = 0; i < count; ++i) {
    const auto& [state, airports] = airport_counts_[i % airport_counts_.size()];
    require(ask<uint64_t>(self, dst, airport_count_atom_v, state) == airports,
            "number of airports in " + state);
  }
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

double questions::record_bytes() const {
  size_t result = 0;
  for (const auto& [state, airports] : airport_counts_)
    result += state.size() + sizeof(airports);
  return static_cast<double>(result) / static_cast<double>(airport_counts_.size());
}

} // namespace demo
