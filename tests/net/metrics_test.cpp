// This file is part of cafwire. See the file LICENSE for license terms.

// What the metrics of an actor system say about links, in the form that a monitoring system reads.

#include <cafwire/session/serializer_session.hpp>

#include "net/node.hpp"
#include "net/raw_peer.hpp"
#include "net/server.hpp"

#include <caf/telemetry/collector/prometheus.hpp>
#include <caf/telemetry/metric_registry.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::link_options;

namespace {

using values = std::map<std::string, double, std::less<>>;

/// Returns all metrics of links, without the begin of their names.
values metrics_of(caf::actor_system& sys) {
  constexpr auto prefix = "cafwire_link_"sv;
  caf::telemetry::collector::prometheus collector;
  auto text = collector.collect_from(sys.metrics());
  auto rest = std::string_view{text.data(), text.size()};
  values result;
  while (!rest.empty()) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.substr(0, prefix.size()) != prefix)
      continue;
    line.remove_prefix(prefix.size());
    auto space = line.find(' ');
    result.emplace(line.substr(0, space), std::stod(std::string{line.substr(space + 1)}));
  }
  return result;
}

values updated(node& where) {
  where.net().update_metrics();
  return metrics_of(where.sys());
}

double at(const values& xs, std::string_view name) {
  auto i = xs.find(name);
  INFO("metric " << name);
  REQUIRE(i != xs.end());
  return i->second;
}

/// Options whose metrics change on demand only.
link_options quiet() {
  link_options result;
  result.metrics_interval = 0ms;
  return result;
}

struct fixture {
  node far{quiet()};
  node near{quiet()};
  caf::actor local = far.spawn(server);
  uint16_t port = far.publish(local);
};

} // namespace

TEST_CASE_METHOD(fixture, "metrics are those of the statistics") {
  auto remote = near.connect(port);
  for (auto i = 0; i < 40; ++i)
    REQUIRE(ask<std::string>(near.self, remote, "x"s) == "x"s);
  auto all = updated(near);
  auto stats = near.net().statistics();
  CHECK(at(all, "outbound_messages_total") == 40);
  CHECK(at(all, "inbound_messages_total") == 40);
  CHECK(at(all, "outbound_traffic_bytes_total") == static_cast<double>(stats.bytes_sent));
  CHECK(at(all, "inbound_traffic_bytes_total") == static_cast<double>(stats.bytes_received));
  CHECK(at(all, "outbound_frames_total") == static_cast<double>(stats.frames_sent));
  CHECK(at(all, "inbound_frames_total") == static_cast<double>(stats.frames_received));
  CHECK(at(all, "definitions_total") == static_cast<double>(stats.definitions_sent));
  CHECK(at(all, "manifest_hits_total") == 39); // the first message brings the list of its types
  CHECK(at(all, "saved_traffic_bytes_total") == static_cast<double>(stats.bytes_saved));
  CHECK(at(all, "refused_messages_total") == 0);
  CHECK(at(all, "encode_errors_total") == 0);
  CHECK(at(all, "undeliverable_messages_total") == 0);
  CHECK(at(all, "open") == 1);
  // The published actor, and the one that offers services.
  CHECK(at(all, "remote_actors") == static_cast<double>(stats.remote_actors));
  CHECK(at(all, "remote_actors") == 2);
  // Who asks.
  CHECK(at(all, "exported_actors") == static_cast<double>(stats.exported_actors));
  CHECK(at(all, "exported_actors") >= 1);
  CHECK(at(all, "output_buffer_size_bytes") == 0);
  // Each request was alone in its write, and every 16th was measured.
  CHECK(at(all, "messages_per_write_sum") == 40);
  CHECK(at(all, "response_time_seconds_count") == 3);
  CHECK(at(all, "response_time_seconds_sum") > 0);
  CHECK(at(all, "response_time_seconds_sum") < 60);
  // Nothing counts twice.
  CHECK(updated(near) == all);
}

TEST_CASE_METHOD(fixture, "bytes are saved for each message whose types are known already") {
  auto remote = near.connect(port);
  auto saved = [this] { return near.net().statistics().bytes_saved; };
  /// What the definitions of a message take if it is alone.
  auto alone = [](const caf::message& msg) {
    cafwire::serializer_session session;
    cafwire::output_buffer out;
    REQUIRE(session.write_message(out, msg) == cafwire::ec::none);
    return session.definition_bytes();
  };
  auto point_alone = alone(caf::make_message(point{1, 2, 3}));
  auto text_alone = alone(caf::make_message("x"s));
  auto point_ask = [&] { CHECK(ask<point>(near.self, remote, point{1, 2, 3}) == point{1, 2, 3}); };
  auto text_ask = [&] { CHECK(ask<std::string>(near.self, remote, "x"s) == "x"s); };
  // Both sides have the same types: a list of types is all that the first message brings. The slot
  // of a point takes two bytes, that of a string one.
  auto point_list = text_alone + 1;
  point_ask();
  CHECK(saved() == point_alone - point_list);
  text_ask();
  CHECK(saved() == point_alone - point_list);
  for (auto i = 0; i < 10; ++i) {
    point_ask();
    text_ask();
  }
  CHECK(saved() == 11 * point_alone - point_list + 10 * text_alone);
  // Large messages travel another way.
  auto bytes = caf::byte_buffer(size_t{1} << 20);
  auto bytes_alone = alone(caf::make_message(bytes));
  for (auto i = 0; i < 3; ++i)
    CHECK(ask<caf::byte_buffer>(near.self, remote, bytes) == bytes);
  CHECK(saved() == 11 * point_alone - point_list + 10 * text_alone + 2 * bytes_alone);
  CHECK(at(updated(near), "saved_traffic_bytes_total") == static_cast<double>(saved()));
}

TEST_CASE_METHOD(fixture, "metrics count what goes wrong by its cause") {
  SECTION("messages that cannot be decoded") {
    auto remote = near.connect(port);
    for (auto i = 0; i < 3; ++i)
      CHECK(ask_in_vain(near.self, remote, positive{-1}) != caf::error{});
    auto all = updated(far);
    auto sum = 0.;
    for (auto& [name, value] : all)
      if (name.substr(0, 19) == "decode_errors_total")
        sum += value;
    CHECK(sum == 3);
    CHECK(far.net().statistics().decode_errors == 3);
  }
  SECTION("connections that never stood") {
    auto peer = raw_socket::connect(port);
    auto nonsense = std::vector<std::byte>(100, std::byte{'x'});
    peer.send(nonsense);
    CHECK(peer.drain());
    CHECK(eventually([&] { return far.net().statistics().failed_handshakes == 1; }));
    auto all = updated(far);
    CHECK(at(all, R"(failed_handshakes_total{cause="wrong_peer"})") == 1);
    CHECK(at(all, "open") == 0);
  }
}

TEST_CASE_METHOD(fixture, "metrics change by themselves, and two objects share them") {
  cafwire::link_options fast;
  fast.metrics_interval = 10ms;
  cafwire::remoting first{near.sys(), fast};
  cafwire::remoting second{near.sys(), fast};
  auto one = first.remote_actor(loopback, port);
  auto two = second.remote_actor(loopback, port);
  REQUIRE(one);
  REQUIRE(two);
  CHECK(ask<std::string>(near.self, *one, "x"s) == "x"s);
  CHECK(ask<std::string>(near.self, *two, "x"s) == "x"s);
  CHECK(eventually([&] {
    auto all = metrics_of(near.sys());
    return at(all, "outbound_messages_total") == 2 && at(all, "open") == 2;
  }));
}

TEST_CASE_METHOD(fixture, "metrics outlive the links") {
  {
    cafwire::remoting net{near.sys()};
    auto remote = net.remote_actor(loopback, port);
    REQUIRE(remote);
    CHECK(ask<std::string>(near.self, *remote, "x"s) == "x"s);
  }
  auto all = metrics_of(near.sys());
  CHECK(at(all, "outbound_messages_total") == 1);
  CHECK(at(all, "open") == 0);
  CHECK(at(all, "output_buffer_size_bytes") == 0);
}
