// This file is part of cafwire. See the file LICENSE for license terms.

// Peers that send faster than a node takes, and what stays behind of such times.

#include "net/node.hpp"
#include "net/raw_peer.hpp"
#include "net/server.hpp"

#include <sys/socket.h>

#include <caf/telemetry/metric_registry.hpp>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

using namespace net_test;
using namespace std::literals;

namespace {

/// Keeps all threads of a node's scheduler busy.
class roadblock {
public:
  explicit roadblock(node& where) {
    auto gate = released_.get_future().share();
    for (auto i = 0; i < 2; ++i) {
      auto started = std::make_shared<std::promise<void>>();
      auto has_started = started->get_future();
      where.spawn([gate, started](caf::event_based_actor*) {
        started->set_value();
        gate.wait();
      });
      REQUIRE(has_started.wait_for(patience) == std::future_status::ready);
    }
  }

  void release() {
    if (!std::exchange(open_, true))
      released_.set_value();
  }

  ~roadblock() {
    release();
  }

private:
  std::promise<void> released_;
  bool open_ = false;
};

/// Writes bytes until the socket has taken none for a while.
/// @returns how many bytes it has taken.
size_t write_until_stuck(const raw_socket& to, std::span<const std::byte> what) {
  size_t result = 0;
  auto last = std::chrono::steady_clock::now();
  while (result < what.size()) {
    auto rest = what.subspan(result);
    auto n = ::send(to.fd(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    auto now = std::chrono::steady_clock::now();
    if (n > 0) {
      last = now;
      result += static_cast<size_t>(n);
    } else if (now - last > 300ms) {
      break;
    } else {
      std::this_thread::sleep_for(1ms);
    }
  }
  return result;
}

} // namespace

TEST_CASE("a node that is busy takes a bounded number of bytes, and all of them in the end") {
  node far;
  auto local = far.spawn(server);
  auto port = far.publish(local);
  raw_peer peer{port};
  constexpr size_t megabyte = size_t{1} << 20;
  constexpr size_t max_count = 200;
  // Frames of 1 MiB with many messages each: none of them alone is large.
  std::vector<std::vector<std::byte>> frames;
  auto tick = caf::make_message(caf::tick_atom_v, std::string(250, 'x'));
  auto first = peer.message_record(tick); // defines the types
  auto one = peer.message_record(tick);
  std::vector<std::byte> body;
  while (body.size() < megabyte)
    body.insert(body.end(), one.begin(), one.end());
  auto per_frame = body.size() / one.size();
  peer.send_body(first);
  roadblock block{far};
  size_t sent = 0;
  for (auto stuck = false; sent < max_count && !stuck; ++sent) {
    std::vector<std::byte> frame(cafwire::frame_size(body.size()));
    cafwire::write_frame_header(frame.data(), peer.next_header(body.size()));
    std::memcpy(frame.data() + cafwire::frame_header_size, body.data(), body.size());
    auto written = write_until_stuck(peer.socket(), frame);
    stuck = written < frame.size();
    if (stuck) {
      // The rest follows when the node has time again.
      block.release();
      peer.socket().send(std::span{frame}.subspan(written));
    }
  }
  // 4 MiB wait for the scheduler, one buffer for its frame, and the rest in the two sockets.
  CHECK(sent < 40);
  block.release();
  node near;
  auto remote = near.connect(port);
  auto expected = static_cast<int32_t>(1 + sent * per_frame);
  int32_t count = 0;
  CHECK(eventually([&] {
    auto answer = ask<int32_t>(near.self, remote, caf::get_atom_v);
    count = answer ? *answer : -1;
    return count == expected;
  }));
  INFO("received " << count << " of " << expected);
}

TEST_CASE("a busy node ends when it shall") {
  auto far = std::make_optional<node>();
  auto port = far->publish(far->spawn(server));
  raw_peer peer{port};
  auto tick = caf::make_message(caf::tick_atom_v);
  auto block = std::make_optional<roadblock>(*far);
  for (auto i = 0; i < 100; ++i)
    peer.send_body(peer.message_record(tick));
  auto start = std::chrono::steady_clock::now();
  far->end_links();
  CHECK(std::chrono::steady_clock::now() - start < patience);
  block.reset();
  far.reset();
  CHECK(peer.is_cut_off());
}

namespace {

/// A peer that shakes hands and then takes no more bytes until it is told to.
class lazy_peer {
public:
  lazy_peer() {
    thread_ = std::thread{[this] {
      auto connection = listener_.accept();
      auto hello = good_handshake();
      hello.published = 17;
      connection.send(encode(hello));
      if (wakes_.get_future().get())
        std::ignore = connection.drain();
    }};
  }

  ~lazy_peer() {
    wake();
    thread_.join();
  }

  uint16_t port() const {
    return listener_.port();
  }

  /// Takes all bytes from now on.
  void wake() {
    go_on(true);
  }

  /// Ends the connection.
  void leave() {
    go_on(false);
  }

private:
  void go_on(bool drains) {
    if (!std::exchange(awake_, true))
      wakes_.set_value(drains);
  }

  raw_listener listener_;
  std::promise<bool> wakes_;
  bool awake_ = false;
  std::thread thread_;
};

} // namespace

TEST_CASE("with a bound, a peer that takes nothing does not exhaust memory") {
  constexpr size_t bound = size_t{8} << 20;
  constexpr size_t message_bytes = size_t{1} << 20;
  std::atomic<size_t> reported{0};
  cafwire::link_options options;
  options.max_buffered_bytes = bound;
  options.on_refused = [&](const caf::message& x) { reported += x.match_elements<std::string>(); };
  lazy_peer peer;
  node near{options};
  auto remote = near.net().remote_actor(loopback, peer.port());
  REQUIRE(remote);
  auto text = std::string(message_bytes, 'x');
  for (auto i = 0; i < 100; ++i)
    send_anonymously(*remote, text);
  auto what = near.net().statistics();
  CHECK(what.bytes_buffered >= bound);
  CHECK(what.bytes_buffered < bound + 2 * message_bytes);
  CHECK(what.refused > 0);
  CHECK(what.refused == reported);
  CHECK(what.messages_sent + what.refused == 100);
  near.net().update_metrics();
  auto& metrics = near.sys().metrics();
  auto* gauge = metrics.gauge_singleton("cafwire.link", "output-buffer-size", "", "bytes");
  CHECK(gauge->value() == static_cast<int64_t>(what.bytes_buffered));
  auto* counter = metrics.counter_singleton("cafwire.link", "refused-messages", "", "1", true);
  CHECK(counter->value() == static_cast<int64_t>(what.refused));
  SECTION("requests are answered at once") {
    auto start = std::chrono::steady_clock::now();
    CHECK(ask_in_vain(near.self, *remote, "hello"s) == cafwire::ec::buffer_full);
    CHECK(std::chrono::steady_clock::now() - start < patience / 2);
    CHECK(reported == what.refused);
    CHECK(near.net().statistics().refused == what.refused + 1);
  }
  SECTION("and messages pass again when the peer has taken some") {
    peer.wake();
    CHECK(eventually([&] { return near.net().statistics().bytes_buffered == 0; }));
    send_anonymously(*remote, text);
    CHECK(near.net().statistics().messages_sent == what.messages_sent + 1);
  }
  peer.wake(); // or else the end of the link takes its time
}

TEST_CASE("without a bound nothing is refused") {
  lazy_peer peer;
  node near;
  auto remote = near.net().remote_actor(loopback, peer.port());
  REQUIRE(remote);
  auto text = std::string(size_t{1} << 20, 'x');
  for (auto i = 0; i < 30; ++i)
    send_anonymously(*remote, text);
  auto what = near.net().statistics();
  CHECK(what.messages_sent == 30);
  CHECK(what.refused == 0);
  CHECK(what.bytes_buffered > (size_t{16} << 20));
  peer.wake();
  CHECK(eventually([&] { return near.net().statistics().bytes_buffered == 0; }));
}

TEST_CASE("messages that several threads may not send are all counted") {
  constexpr auto num_threads = 4;
  constexpr auto num_messages = 20'000;
  cafwire::link_options options;
  options.max_buffered_bytes = 0;
  std::atomic<size_t> reported{0};
  options.on_refused = [&](const caf::message&) { ++reported; };
  node far;
  node near{options};
  auto remote = near.connect(far.publish(far.spawn(server)));
  std::vector<std::thread> threads;
  for (auto i = 0; i < num_threads; ++i)
    threads.emplace_back([&] {
      for (auto n = 0; n < num_messages; ++n)
        send_anonymously(remote, caf::tick_atom_v);
    });
  for (auto& x : threads)
    x.join();
  CHECK(reported == num_threads * num_messages);
  CHECK(near.net().statistics().refused == num_threads * num_messages);
  CHECK(near.net().statistics().messages_sent == 0);
}

TEST_CASE("responses pass even if there is no room") {
  cafwire::link_options options;
  options.max_buffered_bytes = 0;
  node far{options};
  node near;
  auto remote = near.connect(far.publish(far.spawn(server)));
  CHECK(ask<std::string>(near.self, remote, "hello"s) == "hello"s);
  CHECK(far.net().statistics().refused == 0);
}

namespace {

/// Sends messages of 64 KiB, and each one only if there is room.
caf::behavior producer(caf::event_based_actor* self, cafwire::remoting* net, caf::actor remote,
                       int32_t count) {
  auto sent = std::make_shared<int32_t>(0);
  return {
    [=](caf::tick_atom) {
      send(self, remote, std::string(size_t{64} << 10, 'x'));
      if (++*sent < count)
        std::ignore = net->when_writable(remote, caf::actor{self},
                                         caf::make_message(caf::tick_atom_v));
    },
    [=](caf::get_atom) { return *sent; },
  };
}

} // namespace

TEST_CASE("a sender that waits for room is never refused and never fills memory") {
  constexpr size_t bound = size_t{1} << 20;
  constexpr auto count = int32_t{400}; // more than all sockets take
  lazy_peer peer;
  cafwire::link_options options;
  options.max_buffered_bytes = bound;
  node near{options};
  auto remote = near.net().remote_actor(loopback, peer.port());
  REQUIRE(remote);
  auto sender = near.spawn(producer, &near.net(), *remote, count);
  send_anonymously(sender, caf::tick_atom_v);
  // It stops when there is no more room. Sockets may take more after that, but not half of it.
  auto last = int32_t{-1};
  REQUIRE(eventually([&] {
    std::this_thread::sleep_for(50ms);
    auto now = ask<int32_t>(near.self, sender, caf::get_atom_v);
    return now && *now == std::exchange(last, *now);
  }));
  CHECK(last < count);
  auto what = near.net().statistics();
  CHECK(what.bytes_buffered > bound / 2);
  CHECK(what.bytes_buffered < bound + (size_t{128} << 10));
  SECTION("and goes on when there is") {
    peer.wake();
    CHECK(eventually([&] { return near.net().statistics().messages_sent == size_t{count}; }));
  }
  SECTION("and goes on when the link ends") {
    peer.leave();
    CHECK(eventually([&] {
      auto now = ask<int32_t>(near.self, sender, caf::get_atom_v);
      return now && *now > last;
    }));
  }
  CHECK(near.net().statistics().refused == 0);
  near.self->send_exit(sender, caf::exit_reason::kill);
  near.self->wait_for(sender);
}

TEST_CASE("where nothing can be full, there is room at once") {
  node far;
  node near;
  auto local = near.spawn(server);
  auto remote = near.connect(far.publish(far.spawn(server)));
  auto& net = near.net();
  auto me = caf::actor_cast<caf::actor>(near.self);
  auto note = caf::make_message(caf::tick_atom_v);
  auto has_come = [&] {
    auto result = false;
    near.self->receive([&](caf::tick_atom) { result = true; });
    return result;
  };
  CHECK(net.when_writable(remote, me, note).empty()); // no bound
  CHECK(has_come());
  CHECK(net.when_writable(local, me, note).empty());
  CHECK(has_come());
  CHECK(net.when_writable(caf::actor{}, me, note).empty());
  CHECK(has_come());
  CHECK(net.when_writable(remote, remote, note) == caf::sec::invalid_argument);
  CHECK(net.when_writable(remote, caf::actor{}, note) == caf::sec::invalid_argument);
  far.end_links();
  CHECK(eventually([&] { return net.statistics().open_links == 0; }));
  CHECK(net.when_writable(remote, me, note).empty());
  CHECK(has_come());
}
