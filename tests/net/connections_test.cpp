// This file is part of cafwire. See the file LICENSE for license terms.

// Publishing, connecting, and what becomes of connections.

#include "net/node.hpp"
#include "net/relay.hpp"
#include "net/server.hpp"

#include <chrono>
#include <future>
#include <list>
#include <string>
#include <thread>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

adder::behavior_type add() {
  return {
    [](caf::add_atom, int32_t x, int32_t y) { return x + y; },
  };
}

/// A port at which nobody listens.
uint16_t closed_port() {
  return raw_listener{}.port();
}

struct fixture {
  node near;
  node far;
  caf::actor local = far.spawn(server);
  uint16_t port = far.publish(local);
  caf::scoped_actor& self = near.self;
};

bool works(caf::scoped_actor& self, const caf::actor& remote) {
  return ask<std::string>(self, remote, "hello"s) == "hello"s;
}

} // namespace

TEST_CASE_METHOD(fixture, "several clients talk to one port") {
  std::list<node> clients(4);
  for (auto& client : clients)
    CHECK(works(client.self, client.connect(port)));
  CHECK(works(self, near.connect(port)));
}

TEST_CASE_METHOD(fixture, "one actor is reached at several ports, and several actors at theirs") {
  auto second_port = far.publish(local);
  auto other = far.spawn(server);
  auto other_port = far.publish(other);
  CHECK(second_port != port);
  auto first = near.connect(port);
  auto second = near.connect(second_port);
  auto third = near.connect(other_port);
  CHECK(first == second);
  CHECK(first != third);
  send(self, first, caf::tick_atom_v);
  // Two links have no common order.
  CHECK(ask<int32_t>(self, first, caf::get_atom_v) == 1);
  send(self, second, caf::tick_atom_v);
  CHECK(ask<int32_t>(self, second, caf::get_atom_v) == 2);
  CHECK(ask<int32_t>(self, third, caf::get_atom_v) == 0);
}

TEST_CASE_METHOD(fixture, "a closed port refuses newcomers and leaves old connections alone") {
  auto remote = near.connect(port);
  auto second_port = far.publish(local);
  REQUIRE(far.net().unpublish(local, port));
  node late;
  CHECK(error_of(late.net().remote_actor(loopback, port)) == caf::sec::cannot_connect_to_node);
  CHECK(works(self, remote));
  CHECK(works(late.self, late.connect(second_port)));
  SECTION("one more port by its number") {
    REQUIRE(far.net().unpublish(local, second_port));
  }
  SECTION("all ports of the actor") {
    REQUIRE(far.net().unpublish(local));
  }
  node later;
  CHECK(error_of(later.net().remote_actor(loopback, second_port))
        == caf::sec::cannot_connect_to_node);
  CHECK(error_of(far.net().unpublish(local)) == caf::sec::no_actor_published_at_port);
  CHECK(works(self, remote));
}

TEST_CASE_METHOD(fixture, "only what is published can be unpublished") {
  auto other = far.spawn(server);
  CHECK(error_of(far.net().unpublish(other)) == caf::sec::no_actor_published_at_port);
  CHECK(error_of(far.net().unpublish(local, closed_port()))
        == caf::sec::no_actor_published_at_port);
  CHECK(works(self, near.connect(port)));
}

TEST_CASE_METHOD(fixture, "connecting twice shares the connection") {
  relay wire{port};
  auto first = near.connect(wire.port());
  auto second = near.connect(wire.port());
  CHECK(first == second);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(first)
        == caf::actor_cast<caf::strong_actor_ptr>(second));
  CHECK(wire.connections() == 1);
}

TEST_CASE_METHOD(fixture, "after a lost connection a new one starts from nothing") {
  relay wire{port};
  auto picture = chart{"one", {1, 2, 3}, point{4, 5, 6}};
  std::vector<caf::actor> handles;
  for (auto i = 0; i < 3; ++i) {
    auto remote = near.connect(wire.port());
    handles.push_back(remote);
    CHECK(wire.connections() == static_cast<size_t>(i + 1));
    // The first message needs definitions again.
    CHECK(ask<chart>(self, remote, picture) == picture);
    CHECK(ask<point>(self, remote, point{i, i, i}) == point{i, i, i});
    self->monitor(remote);
    wire.cut();
    self->receive(
      [](const caf::down_msg& x) { CHECK(x.reason == caf::exit_reason::remote_link_unreachable); },
      caf::after(patience) >> [] { FAIL("no message"); });
  }
  // Handles of lost connections stay dead.
  for (auto& x : handles)
    CHECK(ask_in_vain(self, x, picture) == caf::sec::request_receiver_down);
}

TEST_CASE_METHOD(fixture, "a connection that breaks in the middle of a stream is reported") {
  relay wire{port};
  auto remote = near.connect(wire.port());
  std::atomic<bool> done{false};
  std::thread sender{[&] {
    while (!done)
      send_anonymously(remote, chart{"stream", std::vector<double>(100), {}});
  }};
  REQUIRE(eventually([&] { return far.net().statistics().messages_received > 100; }));
  wire.cut();
  self->monitor(remote);
  auto down = false;
  self->receive([&](const caf::down_msg&) { down = true; }, caf::after(patience) >> [] {});
  done = true;
  sender.join();
  CHECK(down);
  CHECK(works(self, near.connect(wire.port())));
}

TEST_CASE_METHOD(fixture, "a port that is in use cannot be published") {
  CHECK(error_of(far.net().publish(local, port)) == caf::sec::cannot_open_port);
  CHECK(error_of(near.net().publish(near.spawn(server), port)) == caf::sec::cannot_open_port);
  CHECK(works(self, near.connect(port)));
}

TEST_CASE_METHOD(fixture, "no actor cannot be published") {
  CHECK(error_of(far.net().publish(caf::actor{}, 0)) == caf::sec::cannot_publish_invalid_actor);
}

TEST_CASE_METHOD(fixture, "nobody listens at a closed port") {
  CHECK(error_of(near.net().remote_actor(loopback, closed_port()))
        == caf::sec::cannot_connect_to_node);
}

TEST_CASE_METHOD(fixture, "an actor that has terminated is published no longer") {
  auto remote = near.connect(port);
  self->monitor(remote);
  send(self, remote, caf::close_atom_v);
  self->receive([](const caf::down_msg&) {}, caf::after(patience) >> [] { FAIL("no message"); });
  SECTION("for newcomers") {
    node late;
    CHECK(error_of(late.net().remote_actor(loopback, port))
          == caf::sec::no_actor_published_at_port);
    // A second attempt gets the same answer.
    CHECK(error_of(late.net().remote_actor(loopback, port))
          == caf::sec::no_actor_published_at_port);
  }
  SECTION("for those who are connected") {
    CHECK(error_of(near.net().remote_actor(loopback, port))
          == caf::sec::no_actor_published_at_port);
  }
}

TEST_CASE_METHOD(fixture, "whoever hears of the end of an actor finds it published no longer") {
  // Attached last, so it is told first.
  node late;
  std::promise<caf::error> answer;
  local->attach_functor(
    [&] { answer.set_value(error_of(late.net().remote_actor(loopback, port))); });
  send(self, local, caf::close_atom_v);
  auto result = answer.get_future();
  REQUIRE(result.wait_for(patience) == std::future_status::ready);
  CHECK(result.get() == caf::sec::no_actor_published_at_port);
}

TEST_CASE_METHOD(fixture, "another actor takes over the port of one that has terminated") {
  auto first = far.spawn(server);
  auto reused = far.net().publish(first, 0, nullptr, true);
  REQUIRE(reused);
  auto remote = near.connect(*reused);
  self->monitor(remote);
  send(self, remote, caf::close_atom_v);
  self->receive([](const caf::down_msg&) {}, caf::after(patience) >> [] { FAIL("no message"); });
  REQUIRE(far.net().unpublish(first, *reused));
  auto next = far.spawn(server);
  CHECK(far.net().publish(next, *reused, nullptr, true) == *reused);
  auto remote_next = near.connect(*reused);
  CHECK(remote_next.id() == next.id());
  CHECK(works(self, remote_next));
}

TEST_CASE_METHOD(fixture, "typed actors are checked against the interface that is asked for") {
  auto typed = far.spawn(add);
  auto typed_port = far.publish(typed);
  SECTION("the same interface") {
    auto remote = near.connect<adder>(typed_port);
    CHECK(ask<int32_t>(self, remote, caf::add_atom_v, int32_t{40}, int32_t{2}) == 42);
  }
  SECTION("another interface") {
    auto remote = near.net().remote_actor<multiplier>(loopback, typed_port);
    CHECK(error_of(remote) == caf::sec::unexpected_actor_messaging_interface);
    // The connection is fine, only the handle is not.
    CHECK(near.net().remote_actor<adder>(loopback, typed_port));
  }
  SECTION("a typed actor instead of a dynamic one") {
    auto remote = near.net().remote_actor<caf::actor>(loopback, typed_port);
    CHECK(error_of(remote) == caf::sec::unexpected_actor_messaging_interface);
  }
  SECTION("a dynamic actor instead of a typed one") {
    auto remote = near.net().remote_actor<adder>(loopback, port);
    CHECK(error_of(remote) == caf::sec::unexpected_actor_messaging_interface);
  }
}

TEST_CASE("a system without CAF's middleman says what is missing") {
  caf::actor_system_config config;
  caf::actor_system system{config};
  cafwire::remoting net{system};
  auto actor = system.spawn(server);
  CHECK(error_of(net.publish(actor, 0)) == ec::io_module_missing);
  CHECK(error_of(net.remote_actor(loopback, closed_port())) == ec::io_module_missing);
}

TEST_CASE_METHOD(fixture, "two remotings of one system do not interfere") {
  cafwire::remoting second{near.sys()};
  auto first_remote = near.connect(port);
  auto second_remote = second.remote_actor(loopback, port);
  REQUIRE(second_remote);
  CHECK(works(self, first_remote));
  CHECK(works(self, *second_remote));
  near.end_links();
  CHECK(works(self, *second_remote));
  CHECK_FALSE(works(self, first_remote));
}

TEST_CASE_METHOD(fixture, "a system that connects to itself gets the actor or an error, no loop") {
  auto remote = far.net().remote_actor(loopback, port);
  if (remote) {
    CHECK(*remote == local);
    CHECK(works(far.self, *remote));
    CHECK(ask<handles>(far.self, *remote, caf::contact_atom_v, handles{*remote, {}, {}, {}, {}}));
    CHECK(works(far.self, *remote));
  } else {
    CHECK_FALSE(error_of(remote).empty());
  }
  CHECK(works(self, near.connect(port)));
}

TEST_CASE_METHOD(fixture, "many connections come and go") {
  for (auto i = 0; i < 50; ++i) {
    cafwire::remoting client{near.sys()};
    auto remote = client.remote_actor(loopback, port);
    REQUIRE(remote);
    REQUIRE(works(self, *remote));
  }
  CHECK(works(self, near.connect(port)));
}

TEST_CASE_METHOD(fixture, "several threads connect at the same time") {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (auto i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      auto remote = near.net().remote_actor(loopback, port);
      caf::scoped_actor asker{near.sys()};
      if (remote && works(asker, *remote))
        ++good;
    });
  }
  for (auto& x : threads)
    x.join();
  CHECK(good == 8);
}
