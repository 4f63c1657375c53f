// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_metrics.hpp"

#include <caf/actor_system.hpp>
#include <caf/telemetry/metric_registry.hpp>

#include <array>
#include <string>
#include <string_view>

namespace cafwire::detail {

namespace {

constexpr std::string_view prefix = "cafwire.link";

constexpr auto write_bounds = std::array<int64_t, 8>{1, 2, 4, 8, 16, 64, 256, 1024};

constexpr auto time_bounds = std::array<double, 9>{.000'05, .000'1, .000'2, .000'5, .001,
                                                   .01,     .1,     1.,     10.};

template <class T, size_t N>
caf::span<const T> view(const std::array<T, N>& xs) {
  return {xs.data(), xs.size()};
}

/// Peers must not choose the values of labels: they would grow the registry without end.
std::string label_of(const caf::error& cause) {
  return cause.category() == caf::type_id_v<ec> ? to_string(static_cast<ec>(cause.code()))
                                                : std::string{"other"};
}

} // namespace

link_metrics::link_metrics(caf::actor_system& sys) {
  auto& registry = sys.metrics();
  auto sum = [&](std::string_view name, std::string_view text, std::string_view unit = "1") {
    return registry.counter_singleton(prefix, name, text, unit, true);
  };
  auto by_cause = [&](std::string_view name, std::string_view text) {
    return registry.counter_family(prefix, name, {"cause"}, text, "1", true);
  };
  inbound_messages_ = sum("inbound-messages", "Messages that arrived for actors.");
  outbound_messages_ = sum("outbound-messages", "Messages that were sent.");
  inbound_traffic_ = sum("inbound-traffic", "Bytes that arrived.", "bytes");
  outbound_traffic_ = sum("outbound-traffic", "Bytes that were handed to sockets.", "bytes");
  inbound_frames_ = sum("inbound-frames", "Frames that arrived.");
  outbound_frames_ = sum("outbound-frames", "Frames that were sent.");
  definitions_ = sum("definitions", "Types and lists of types that were described to peers.");
  manifest_hits_ = sum("manifest-hits", "Sent messages whose types needed no description.");
  saved_ = sum("saved-traffic",
               "Bytes of definitions that messages did not need to carry, minus those sent.",
               "bytes");
  refused_ = sum("refused-messages", "Messages that were not sent for want of room.");
  encode_errors_ = sum("encode-errors", "Messages that could not be encoded.");
  undeliverable_ = sum("undeliverable-messages", "Messages for actors that no longer run.");
  decode_errors_ = by_cause("decode-errors", "Messages that could not be decoded.");
  failed_handshakes_ = by_cause("failed-handshakes", "Connections that ended before they stood.");
  buffered_ = registry.gauge_singleton(prefix, "output-buffer-size", "Bytes that wait for peers.",
                                       "bytes");
  open_ = registry.gauge_singleton(prefix, "open", "Links that are open.");
  remote_actors_ = registry.gauge_singleton(prefix, "remote-actors",
                                            "Actors of peers that are known here.");
  exported_actors_ = registry.gauge_singleton(prefix, "exported-actors",
                                              "Actors that peers know and keep alive.");
  messages_per_write_ = registry.histogram_singleton<int64_t>(prefix, "messages-per-write",
                                                              view(write_bounds),
                                                              "Messages that went out together.");
  response_time_ = registry.histogram_singleton<double>(
    prefix, "response-time", view(time_bounds),
    "Time from sending a request to the arrival of its response, of every 16th request.",
    "seconds");
}

void link_metrics::update(const link_statistics& now) {
  using stats = link_statistics;
  raise(inbound_messages_, &stats::messages_received, now);
  raise(outbound_messages_, &stats::messages_sent, now);
  raise(inbound_traffic_, &stats::bytes_received, now);
  raise(outbound_traffic_, &stats::bytes_sent, now);
  raise(inbound_frames_, &stats::frames_received, now);
  raise(outbound_frames_, &stats::frames_sent, now);
  raise(definitions_, &stats::definitions_sent, now);
  raise(manifest_hits_, &stats::manifest_hits, now);
  raise(saved_, &stats::bytes_saved, now);
  raise(refused_, &stats::refused, now);
  raise(encode_errors_, &stats::encode_errors, now);
  raise(undeliverable_, &stats::undeliverable, now);
  auto move = [&](auto* gauge, size_t stats::*member) {
    gauge->inc(static_cast<int64_t>(now.*member) - static_cast<int64_t>(shown_.*member));
  };
  move(buffered_, &stats::bytes_buffered);
  move(open_, &stats::open_links);
  move(remote_actors_, &stats::remote_actors);
  move(exported_actors_, &stats::exported_actors);
  shown_ = now;
}

void link_metrics::decode_error(const caf::error& cause) {
  count(decode_errors_, cause);
}

void link_metrics::handshake_failed(const caf::error& cause) {
  count(failed_handshakes_, cause);
}

void link_metrics::raise(counter* what, size_t link_statistics::*member,
                         const link_statistics& now) {
  if (auto difference = now.*member - shown_.*member; difference > 0)
    what->inc(static_cast<int64_t>(difference));
}

void link_metrics::count(counter_family* family, const caf::error& cause) {
  auto label = label_of(cause);
  family->get_or_add({{"cause", label}})->inc();
}

} // namespace cafwire::detail
