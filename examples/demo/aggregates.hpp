// This file is part of cafwire. See the file LICENSE for license terms.

/// @file
/// The questions that the client asks. The server answers them from the records
/// that it received, the client from those that it read itself.

#pragma once

#include "records.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

namespace demo {

/// Mean delay in minutes of the flights from each airport.
mean_delays mean_delay_by_origin(const flight_list& flights);

/// The flight over the largest distance, the first one if several are equal;
/// `nullopt` if there are no flights.
std::optional<flight> longest_flight(const flight_list& flights);

/// Number of airports in the state with the abbreviation `state`.
uint64_t count_airports(const airport_list& airports, std::string_view state);

/// All abbreviations of states in alphabetical order.
std::set<std::string> states_of(const airport_list& airports);

} // namespace demo
