// This file is part of cafwire. See the file LICENSE for license terms.

#include "aggregates.hpp"

#include <algorithm>
#include <utility>

namespace demo {

mean_delays mean_delay_by_origin(const flight_list& flights) {
  std::map<std::string, std::pair<int64_t, int64_t>> sums;
  for (const auto& x : flights) {
    auto& [sum, count] = sums[std::string(x.origin.data(), x.origin.size())];
    sum += x.delay;
    ++count;
  }
  mean_delays result;
  for (const auto& [origin, entry] : sums)
    result.emplace(origin, static_cast<double>(entry.first) / static_cast<double>(entry.second));
  return result;
}

std::optional<flight> longest_flight(const flight_list& flights) {
  auto shorter = [](const flight& x, const flight& y) { return x.distance < y.distance; };
  auto i = std::max_element(flights.begin(), flights.end(), shorter);
  if (i == flights.end())
    return std::nullopt;
  return *i;
}

uint64_t count_airports(const airport_list& airports, std::string_view state) {
  auto in_state = [state](const airport& x) { return x.state == state; };
  return static_cast<uint64_t>(std::count_if(airports.begin(), airports.end(), in_state));
}

std::set<std::string> states_of(const airport_list& airports) {
  std::set<std::string> result;
  for (const auto& x : airports)
    result.insert(x.state);
  return result;
}

} // namespace demo
