// This file is part of cafwire. See the file LICENSE for license terms.

// What a node does for its peers by name: starting actors, finding them, and links without a
// published actor.

#include "net/node.hpp"
#include "net/relay.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>

#include <future>
#include <memory>
#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

adder::behavior_type add() {
  return {[](caf::add_atom, int32_t x, int32_t y) { return x + y; }};
}

/// Takes arguments.
caf::behavior greeter(caf::event_based_actor*, std::string greeting, int32_t times) {
  return {[=](const std::string& name) {
    std::string result;
    for (int32_t i = 0; i < times; ++i)
      result += greeting + ' ' + name + '.';
    return result;
  }};
}

/// Refuses to live.
caf::behavior stillborn(caf::event_based_actor* self) {
  self->quit(caf::error{weather::rain});
  return {};
}

struct server_of_types : caf::event_based_actor {
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return server(this);
  }
};

void add_types(caf::actor_system_config& config) {
  config.add_actor_type("adder", add);
  config.add_actor_type("greeter", greeter);
  config.add_actor_type("stillborn", stillborn);
  config.add_actor_type<server_of_types>("server");
}

cafwire::link_options no_services() {
  cafwire::link_options result;
  result.offers_services = false;
  return result;
}

struct fixture {
  node near;
  node far{{}, add_types};
  uint16_t port = open(far);
  caf::scoped_actor& self = near.self;
  caf::node_id far_id = link_to(port);

  static uint16_t open(node& where) {
    auto result = where.net().open(0);
    REQUIRE(result);
    return *result;
  }

  caf::node_id link_to(uint16_t where) {
    auto result = near.net().connect(loopback, where);
    REQUIRE(result);
    return *result;
  }

  template <class Handle>
  caf::expected<Handle> start(const std::string& name, caf::message args = caf::make_message()) {
    return near.net().remote_spawn<Handle>(far_id, name, std::move(args));
  }
};

} // namespace

TEST_CASE_METHOD(fixture, "nodes connect without a published actor") {
  CHECK(far_id == far.sys().node());
  CHECK(link_to(port) == far_id);
  CHECK(far.net().statistics().frames_received <= 1 + 1);
  CHECK(error_of(near.net().remote_actor(loopback, port)) == caf::sec::no_actor_published_at_port);
  // It leaves the connection alone.
  CHECK(start<caf::actor>("server"));
  // A published actor does not stand in the way.
  CHECK(link_to(far.publish(far.spawn(server))) == far_id);
}

TEST_CASE_METHOD(fixture, "nodes connect with options for one port and one connection") {
  auto secret = cafwire::link_options{};
  secret.key = cafwire::shared_key{"sixteen bytes or more"};
  auto secret_port = far.net().open(0, secret);
  REQUIRE(secret_port);
  node late;
  CHECK(error_of(late.net().connect(loopback, *secret_port)) == ec::authentication_required);
  CHECK(error_of(late.net().connect(loopback, port, secret)) == ec::unauthenticated_peer);
  CHECK(late.net().statistics().open_links == 0);
  CHECK(late.net().connect(loopback, *secret_port, secret) == far_id);
  CHECK(late.net().statistics().open_links == 1);
  auto started = late.net().remote_spawn<caf::actor>(far_id, "server", caf::make_message());
  REQUIRE(started);
  CHECK(ask<std::string>(late.self, *started, "hello"s) == "hello"s);
  // It is not shared, unlike that of other calls.
  CHECK(late.net().connect(loopback, *secret_port, secret) == far_id);
  CHECK(late.net().statistics().open_links == 2);
  CHECK(far.net().close(*secret_port));
  // Nobody becomes its own peer.
  CHECK(far.net().connect(loopback, port, cafwire::link_options{}) == far_id);
  CHECK(eventually([&] { return far.net().statistics().open_links == 3; }));
}

TEST_CASE_METHOD(fixture, "an open port is closed by its number") {
  CHECK(far.net().close(port));
  CHECK(error_of(far.net().close(port)) == caf::sec::no_actor_published_at_port);
  node late;
  CHECK(error_of(late.net().connect(loopback, port)) == caf::sec::cannot_connect_to_node);
  CHECK(start<caf::actor>("server"));
  auto published = far.publish(far.spawn(server));
  CHECK(far.net().close(published));
  CHECK(error_of(late.net().connect(loopback, published)) == caf::sec::cannot_connect_to_node);
}

TEST_CASE_METHOD(fixture, "actors start on another node, with arguments and interfaces") {
  auto plain = start<caf::actor>("server");
  REQUIRE(plain);
  CHECK(plain->node() == far_id);
  CHECK(ask<std::string>(self, *plain, "hello"s) == "hello"s);
  auto typed = start<adder>("adder");
  REQUIRE(typed);
  CHECK(ask<int32_t>(self, *typed, caf::add_atom_v, int32_t{1}, int32_t{2}) == 3);
  auto greeting = start<caf::actor>("greeter", caf::make_message("Hi"s, int32_t{2}));
  REQUIRE(greeting);
  CHECK(ask<std::string>(self, *greeting, "Bo"s) == "Hi Bo.Hi Bo."s);
  // Those that live on without a handle would keep the node from ending.
  send(self, *plain, caf::close_atom_v);
}

TEST_CASE_METHOD(fixture, "an actor that cannot be started is an error with a cause") {
  CHECK(error_of(start<caf::actor>("nobody")) == caf::sec::unknown_type);
  CHECK(error_of(start<caf::actor>("")) == caf::sec::invalid_argument);
  CHECK(error_of(start<caf::actor>("greeter", caf::make_message(int32_t{1})))
        == caf::sec::cannot_spawn_actor_from_arguments);
  CHECK(error_of(start<multiplier>("adder")) == caf::sec::unexpected_actor_messaging_interface);
  CHECK(error_of(start<adder>("server")) == caf::sec::unexpected_actor_messaging_interface);
  CHECK(error_of(start<caf::actor>("greeter", caf::make_message(stranger{1}, int32_t{1})))
        == cafwire::ec::unregistered_type);
  // An actor that ends at once is none of these.
  auto dead = start<caf::actor>("stillborn");
  if (dead)
    CHECK(ask_in_vain(self, *dead, "hello"s) == caf::sec::request_receiver_down);
  else
    CHECK(error_of(dead) == caf::sec::cannot_spawn_actor_from_arguments);
}

TEST_CASE_METHOD(fixture, "an actor that was started from afar ends when nobody needs it") {
  auto before = far.sys().registry().running();
  {
    auto greeting = start<caf::actor>("greeter", caf::make_message("Hi"s, int32_t{1}));
    REQUIRE(greeting);
    CHECK(far.sys().registry().running() == before + 1);
  }
  CHECK(eventually([&] { return far.sys().registry().running() == before; }));
}

TEST_CASE_METHOD(fixture, "actors are found by their names") {
  auto local = far.spawn(server);
  auto local_adder = far.spawn(add);
  far.sys().registry().put("the server", local);
  far.sys().registry().put("the adder", caf::actor_cast<caf::strong_actor_ptr>(local_adder));
  auto find = [&](const std::string& name) { return near.net().remote_lookup(name, far_id); };
  auto found = find("the server");
  REQUIRE(found);
  CHECK(found->id() == local.id());
  CHECK(ask<std::string>(self, *found, "hello"s) == "hello"s);
  CHECK(find("the server") == *found);
  auto found_adder = near.net().remote_lookup<adder>("the adder", far_id);
  REQUIRE(found_adder);
  CHECK(ask<int32_t>(self, *found_adder, caf::add_atom_v, int32_t{3}, int32_t{4}) == 7);
  CHECK(error_of(near.net().remote_lookup<multiplier>("the adder", far_id))
        == caf::sec::unexpected_actor_messaging_interface);
  CHECK(error_of(near.net().remote_lookup<adder>("the server", far_id))
        == caf::sec::unexpected_actor_messaging_interface);
  CHECK(error_of(find("nobody")) == caf::sec::no_such_key);
  CHECK(error_of(find("")) == caf::sec::invalid_argument);
  far.sys().registry().erase("the server");
  CHECK(error_of(find("the server")) == caf::sec::no_such_key);
  far.sys().registry().erase("the adder");
}

TEST_CASE_METHOD(fixture, "a node serves itself without a link") {
  auto own = far.sys().node();
  auto greeting = far.net().remote_spawn<caf::actor>(own, "greeter",
                                                     caf::make_message("Hi"s, int32_t{1}));
  REQUIRE(greeting);
  CHECK(greeting->node() == own);
  far.sys().registry().put("greeter", *greeting);
  auto found = far.net().remote_lookup("greeter", own);
  REQUIRE(found);
  CHECK(*found == *greeting);
  CHECK(error_of(far.net().remote_lookup("nobody", own)) == caf::sec::no_such_key);
  far.sys().registry().erase("greeter");
}

TEST_CASE_METHOD(fixture, "either side of a link serves the other one") {
  auto local = near.spawn(server);
  near.sys().registry().put("near", local);
  // The far side may still wait for the handshake of this one.
  auto served = eventually([&] {
    auto found = far.net().remote_lookup("near", near.sys().node());
    return found && ask<std::string>(far.self, *found, "hello"s) == "hello"s;
  });
  near.sys().registry().erase("near");
  CHECK(served);
}

TEST_CASE_METHOD(fixture, "services need a link, and a node that offers them") {
  node stranger_node;
  CHECK(error_of(near.net().remote_lookup("x", stranger_node.sys().node()))
        == caf::sec::no_route_to_receiving_node);
  CHECK(error_of(near.net().remote_spawn<caf::actor>(stranger_node.sys().node(), "server",
                                                     caf::make_message()))
        == caf::sec::no_route_to_receiving_node);
  CHECK(error_of(near.net().remote_lookup("x", caf::node_id{})) == caf::sec::invalid_argument);
  node closed{no_services(), add_types};
  auto closed_id = link_to(open(closed));
  CHECK(error_of(near.net().remote_lookup("x", closed_id)) == caf::sec::feature_disabled);
  CHECK(error_of(near.net().remote_spawn<caf::actor>(closed_id, "server", caf::make_message()))
        == caf::sec::feature_disabled);
}

TEST_CASE_METHOD(fixture, "threads that want the same connection share it") {
  auto local = far.spawn(server);
  relay wire{far.publish(local)};
  std::vector<std::future<caf::expected<caf::actor>>> results;
  for (auto i = 0; i < 8; ++i)
    results.push_back(std::async(std::launch::async,
                                 [&] { return near.net().remote_actor(loopback, wire.port()); }));
  std::vector<caf::strong_actor_ptr> handles;
  for (auto& result : results) {
    auto handle = result.get();
    REQUIRE(handle);
    handles.push_back(caf::actor_cast<caf::strong_actor_ptr>(*handle));
  }
  for (auto& handle : handles)
    CHECK(handle == handles.front());
  CHECK(wire.connections() == 1);
  CHECK(link_to(wire.port()) == far_id);
  CHECK(wire.connections() == 1);
}

TEST_CASE_METHOD(fixture, "threads that want the same closed port all hear about it") {
  auto closed = raw_listener{}.port();
  std::vector<std::future<caf::error>> results;
  for (auto i = 0; i < 4; ++i)
    results.push_back(std::async(std::launch::async, [&] {
      return error_of(near.net().remote_actor(loopback, closed));
    }));
  for (auto& result : results)
    CHECK(result.get() == caf::sec::cannot_connect_to_node);
}

TEST_CASE("a system that connects to itself gets its own actors, whichever remoting has them") {
  node one;
  auto local = one.spawn(server);
  auto port = one.publish(local);
  cafwire::remoting second{one.sys()};
  for (auto* net : {&one.net(), &second}) {
    auto found = net->remote_actor(loopback, port);
    REQUIRE(found);
    CHECK(caf::actor_cast<caf::strong_actor_ptr>(*found)
          == caf::actor_cast<caf::strong_actor_ptr>(local));
    auto id = net->connect(loopback, port);
    REQUIRE(id);
    CHECK(*id == one.sys().node());
  }
  CHECK(one.net().unpublish(local));
  CHECK(error_of(second.remote_actor(loopback, port)) == caf::sec::cannot_connect_to_node);
}

namespace {

/// Waits for the news that there is no link to a node.
void expect_node_down(caf::scoped_actor& self, const caf::node_id& node) {
  self->receive([&](const caf::node_down_msg& x) { CHECK(x.node == node); },
                caf::after(patience) >> [] { FAIL("no message"); });
}

} // namespace

TEST_CASE_METHOD(fixture, "whoever observes a node learns when its last link has ended") {
  auto other_port = far.publish(far.spawn(server));
  relay wire{other_port};
  link_to(wire.port());
  near.net().monitor(far_id, self);
  wire.cut();
  // There is one more.
  CHECK(error_of(start<caf::actor>("nobody")) == caf::sec::unknown_type);
  CHECK_FALSE(self->has_next_message());
  far.end_links();
  expect_node_down(self, far_id);
  // Once, and from now on at once.
  CHECK_FALSE(self->has_next_message());
  near.net().monitor(far_id, self);
  expect_node_down(self, far_id);
}

TEST_CASE_METHOD(fixture, "an actor that observes a node several times hears of it so often") {
  for (auto i = 0; i < 3; ++i)
    near.net().monitor(far_id, self);
  near.net().demonitor(far_id, self);
  // This one has no effect.
  near.net().demonitor(near.sys().node(), self);
  far.end_links();
  expect_node_down(self, far_id);
  expect_node_down(self, far_id);
  CHECK_FALSE(self->has_next_message());
}
