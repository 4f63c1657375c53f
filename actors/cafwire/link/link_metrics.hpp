// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/link_options.hpp"
#include "cafwire/wire/error.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/telemetry/counter.hpp>
#include <caf/telemetry/gauge.hpp>
#include <caf/telemetry/histogram.hpp>
#include <caf/telemetry/metric_family_impl.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace cafwire::detail {

/// Shows in the metrics of an actor system what the links of one `remoting` do: names begin with
/// `cafwire.link`. Links count for themselves (`link_statistics`), and `update` adds what is new
/// from time to time: sending and receiving cost nothing more. Only what is rare is counted right
/// away. Several objects may feed the same system. Thread-safe except for `update`.
class link_metrics {
public:
  explicit link_metrics(caf::actor_system& sys);

  /// Adds what has happened since the last call. For one thread at a time.
  /// @param now the sums of all links, those that have ended included.
  void update(const link_statistics& now);

  /// Counts one write to a socket.
  /// @param num_messages how many messages went out together.
  void wrote(size_t num_messages) noexcept {
    messages_per_write_->observe(static_cast<int64_t>(num_messages));
  }

  /// Counts the time from sending a request to the arrival of its response.
  void response_time(std::chrono::nanoseconds time) noexcept {
    response_time_->observe(std::chrono::duration<double>{time}.count());
  }

  /// Counts a message that could not be decoded.
  void decode_error(const caf::error& cause);

  /// Counts a connection that ended before its handshake was done.
  void handshake_failed(const caf::error& cause);

private:
  using counter = caf::telemetry::int_counter;
  using counter_family = caf::telemetry::metric_family_impl<counter>;

  /// Raises a counter by the difference of a member of the statistics.
  void raise(counter* what, size_t link_statistics::*member, const link_statistics& now);

  static void count(counter_family* family, const caf::error& cause);

  counter* inbound_messages_;
  counter* outbound_messages_;
  counter* inbound_traffic_;
  counter* outbound_traffic_;
  counter* inbound_frames_;
  counter* outbound_frames_;
  counter* definitions_;
  counter* manifest_hits_;
  counter* saved_;
  counter* refused_;
  counter* encode_errors_;
  counter* undeliverable_;
  counter_family* decode_errors_;
  counter_family* failed_handshakes_;
  caf::telemetry::int_gauge* buffered_;
  caf::telemetry::int_gauge* open_;
  caf::telemetry::int_gauge* remote_actors_;
  caf::telemetry::int_gauge* exported_actors_;
  caf::telemetry::int_histogram* messages_per_write_;
  caf::telemetry::dbl_histogram* response_time_;

  link_statistics shown_;
};

} // namespace cafwire::detail
