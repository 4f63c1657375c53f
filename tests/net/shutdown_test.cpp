// This file is part of cafwire. See the file LICENSE for license terms.

// Links, remotings and actor systems that end while there is something to do.

#include "net/node.hpp"
#include "net/raw_peer.hpp"
#include "net/server.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

namespace {

/// Counts messages in a variable that outlives all nodes.
caf::actor spawn_counter(node& where, const std::shared_ptr<std::atomic<int64_t>>& bytes) {
  return where.spawn([bytes](caf::event_based_actor*) -> caf::behavior {
    return {
      [bytes](const std::string& x) { *bytes += static_cast<int64_t>(x.size()); },
      [](caf::pending_atom) { return caf::message{}; },
    };
  });
}

} // namespace

TEST_CASE("what was sent before the end of a remoting still arrives") {
  struct row {
    int count;
    size_t size;
  };
  auto [count, size] = GENERATE(row{1, 3}, row{50'000, 10}, row{20, size_t{1} << 20},
                                row{1, size_t{30} << 20});
  auto received = std::make_shared<std::atomic<int64_t>>(0);
  node far;
  auto port = far.publish(spawn_counter(far, received));
  {
    node near;
    auto remote = near.connect(port);
    auto text = std::string(size, 'x');
    for (auto i = 0; i < count; ++i)
      send_anonymously(remote, text);
    SECTION("explicitly") {
      near.end_links();
    }
    SECTION("together with its system") {
      // nop
    }
  }
  auto expected = static_cast<int64_t>(count) * static_cast<int64_t>(size);
  CHECK(eventually([&] { return *received == expected; }));
}

TEST_CASE("a remoting ends while a peer takes no bytes") {
  node near;
  raw_listener listener;
  // Answers the handshake in time, because it lies in the socket already when the client looks.
  std::thread player{[&] {
    auto connection = listener.accept();
    auto hello = good_handshake();
    hello.published = 17;
    connection.send(encode(hello));
    // Reads nothing until the client has closed its side or the time is over.
    std::this_thread::sleep_for(1s);
  }};
  auto remote = near.net().remote_actor(loopback, listener.port());
  REQUIRE(remote);
  send_anonymously(*remote, std::string(size_t{30} << 20, 'x'));
  auto start = std::chrono::steady_clock::now();
  near.end_links();
  CHECK(std::chrono::steady_clock::now() - start < patience);
  player.join();
}

TEST_CASE("the systems of a link end in either order") {
  auto received = std::make_shared<std::atomic<int64_t>>(0);
  auto far = std::make_optional<node>();
  auto near = std::make_optional<node>();
  auto port = far->publish(spawn_counter(*far, received));
  {
    auto remote = near->connect(port);
    REQUIRE(ask_in_vain(near->self, remote, "hello"s).empty());
    // Somebody holds a handle until the end, and observes it.
    near->spawn([remote](caf::event_based_actor* self) -> caf::behavior {
      self->link_to(remote);
      return {
        [remote](caf::get_atom) { return remote; },
      };
    });
  }
  SECTION("the client first") {
    near.reset();
    far.reset();
  }
  SECTION("the server first") {
    far.reset();
    near.reset();
  }
  CHECK(*received == 5);
}

TEST_CASE("systems end while actors send to each other") {
  auto far = std::make_optional<node>();
  auto near = std::make_optional<node>();
  auto player = [](caf::event_based_actor* self) -> caf::behavior {
    return {
      [self](caf::ping_atom, const caf::actor& partner) {
        send(self, partner, caf::ping_atom_v, caf::actor_cast<caf::actor>(self));
      },
    };
  };
  auto port = far->publish(far->spawn(player));
  {
    auto remote = near->connect(port);
    for (auto i = 0; i < 10; ++i)
      send_anonymously(remote, caf::ping_atom_v, near->spawn(player));
  }
  REQUIRE(eventually([&] { return far->net().statistics().messages_received > 1000; }));
  SECTION("the client first") {
    near.reset();
    far.reset();
  }
  SECTION("the server first") {
    far.reset();
    near.reset();
  }
  SECTION("the links of the client first") {
    near->end_links();
  }
  SECTION("the links of the server first") {
    far->end_links();
  }
}

TEST_CASE("handles outlive their links without harm") {
  auto received = std::make_shared<std::atomic<int64_t>>(0);
  node far;
  node near;
  auto remote = near.connect(far.publish(spawn_counter(far, received)));
  near.end_links();
  send(near.self, remote, "nobody hears this"s);
  near.self->send_exit(remote, caf::exit_reason::kill);
  CHECK(ask_in_vain(near.self, remote, "hello"s) == caf::sec::request_receiver_down);
  near.self->monitor(remote);
  auto down = false;
  near.self->receive([&](const caf::down_msg&) { down = true; },
                     caf::after(patience) >> [] { FAIL("no message"); });
  CHECK(down);
  CHECK(*received == 0);
}

TEST_CASE("many threads send while the links end") {
  auto received = std::make_shared<std::atomic<int64_t>>(0);
  node far;
  node near;
  auto remote = near.connect(far.publish(spawn_counter(far, received)));
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (auto i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      caf::scoped_actor self{near.sys()};
      while (!done) {
        send(self, remote, "x"s);
        request(self, remote, 1h, caf::pending_atom_v).receive([] {}, [](const caf::error&) {});
      }
    });
  }
  REQUIRE(eventually([&] { return *received > 1000; }));
  SECTION("of the client") {
    near.end_links();
  }
  SECTION("of the server") {
    far.end_links();
  }
  std::this_thread::sleep_for(20ms);
  done = true;
  for (auto& x : threads)
    x.join();
}
