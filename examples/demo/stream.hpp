// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dataset.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>
#include <caf/scoped_actor.hpp>

#include <functional>
#include <string>
#include <vector>

namespace demo {

/// One kind of one-way traffic. Nothing in here knows over which transport it
/// goes.
struct stream {
  std::string name;
  size_t messages = 0;        ///< Messages in a timed pass.
  size_t window = 0;          ///< Messages between two fences.
  size_t steady_messages = 0; ///< Messages after the first one when bytes are counted.
  double record_bytes = 0;    ///< Mean of the bytes of all fields in one message.
  std::function<caf::message(size_t)> make_message; ///< Makes the message with a number.
};

/// The flights and the airports, as single messages and as whole lists.
/// @param data Must outlive the result.
std::vector<stream> make_streams(const dataset& data);

/// Sends the messages `first` to `last - 1` of `x` and returns as soon as `dst`
/// has handled all of them.
///
/// After each window follows a fence, a request that `dst` answers when it has
/// handled what came before. At most `max_windows` windows are in flight, so
/// that neither side piles up memory.
/// @throws std::runtime_error if messages were lost or `dst` cannot be reached.
void send_messages(caf::scoped_actor& self, const caf::actor& dst, const stream& x, size_t first,
                   size_t last);

/// Windows that may be in flight.
constexpr size_t max_windows = 3;

/// Sends a whole pass of `x` and returns the seconds until the last message was
/// handled.
/// @throws std::runtime_error unless every record arrived intact.
double timed_pass(caf::scoped_actor& self, const caf::actor& dst, const stream& x);

/// Asks `dst` what it found since it was told to begin.
/// @throws std::runtime_error unless it got `messages` messages and each
///         field of each record was right.
void check_report(caf::scoped_actor& self, const caf::actor& dst, size_t messages);

} // namespace demo
