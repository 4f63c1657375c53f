// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dataset.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

namespace demo {

/// Spawns the actor that the server publishes. Its messages:
///
/// | message | response |
/// |---|---|
/// | `begin_atom` | `caf::ok_atom`; a new stream starts |
/// | `flight`, `airport`, `flight_list`, `airport_list` | none; compares the records |
/// | `fence_atom` | `uint64_t`: messages of the stream handled so far |
/// | `report_atom` | `stream_report` |
/// | `store_atom, flight_list, airport_list` | `uint64_t`: records kept for the questions below |
/// | `mean_delays_atom` | `mean_delays` |
/// | `longest_flight_atom` | `flight`; an error if there are no flights |
/// | `airport_count_atom, string` | `uint64_t`; an error if no airport is in that state |
///
/// @param expected The records of the data files; must outlive the actor.
caf::actor spawn_collector(caf::actor_system& sys, const dataset& expected);

} // namespace demo
