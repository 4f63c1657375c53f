// This file is part of cafwire. See the file LICENSE for license terms.

// Actors that are known through CAF's own networking, passed on over a link: `near` has a link to
// `middle`, which has a stock connection to `third`.

#include "net/node.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>

#include <memory>
#include <string>

using namespace net_test;
using namespace std::literals;

namespace {

struct fixture {
  node near;
  node middle;
  node third;
  caf::actor target = third.spawn(server);
  caf::actor stock = stock_connection(target);
  caf::actor giver = middle.spawn(
    [this]() -> caf::behavior { return {[handle = stock](caf::get_atom) { return handle; }}; });
  caf::actor remote_giver = near.connect(middle.publish(giver));
  caf::scoped_actor& self = near.self;
  caf::actor remote = get(remote_giver);

  ~fixture() {
    send_anonymously(target, caf::close_atom_v);
  }

  caf::actor stock_connection(const caf::actor& whom) {
    auto port = third.sys().middleman().publish(whom, 0, loopback);
    REQUIRE(port);
    auto result = middle.sys().middleman().remote_actor(loopback, *port);
    REQUIRE(result);
    return *result;
  }

  caf::actor get(const caf::actor& from) {
    auto result = ask<caf::actor>(self, from, caf::get_atom_v);
    REQUIRE(result);
    REQUIRE(*result);
    return *result;
  }
};

} // namespace

TEST_CASE_METHOD(fixture, "an actor of a stock connection is reached over a link") {
  CHECK(remote.node() == third.sys().node());
  CHECK(remote.id() == target.id());
  CHECK(ask<std::string>(self, remote, "hello"s) == "hello"s);
  CHECK(ask<point>(self, remote, point{1, 2, 3}) == point{1, 2, 3});
  CHECK(ask_in_vain(self, remote, caf::div_atom_v, int32_t{1}, int32_t{0}) == weather::rain);
}

TEST_CASE_METHOD(fixture, "an actor of a stock connection is the same, however it is known") {
  auto link = near.connect(third.publish(target));
  CHECK(link == remote);
  auto port = third.sys().middleman().publish(target, 0, loopback);
  REQUIRE(port);
  auto direct = near.sys().middleman().remote_actor(loopback, *port);
  REQUIRE(direct);
  CHECK(*direct == remote);
  CHECK(*direct == link);
  CHECK(std::hash<caf::actor>{}(*direct) == std::hash<caf::actor>{}(link));
  // Each handle has its own way.
  auto before = near.net().statistics().messages_sent;
  CHECK(ask<std::string>(self, *direct, "stock"s) == "stock"s);
  CHECK(near.net().statistics().messages_sent == before);
  CHECK(ask<std::string>(self, link, "link"s) == "link"s);
  CHECK(near.net().statistics().messages_sent == before + 1);
}

TEST_CASE_METHOD(fixture, "either side of a link passes on actors of its stock connections") {
  // Now the connecting side is the relay, and the accepting one the client.
  auto port = third.sys().middleman().publish(target, 0, loopback);
  REQUIRE(port);
  auto known_to_near = near.sys().middleman().remote_actor(loopback, *port);
  REQUIRE(known_to_near);
  auto taker = middle.spawn([](caf::event_based_actor* me) -> caf::behavior {
    auto kept = std::make_shared<caf::actor>();
    return {
      [=](caf::put_atom, const caf::actor& x) { *kept = x; },
      [=](caf::get_atom) { return *kept; },
      [=](caf::redirect_atom, std::string& x) { return delegate(me, *kept, std::move(x)); },
      [=](caf::close_atom) {
        *kept = nullptr;
        me->quit();
      },
    };
  });
  auto remote_taker = near.connect(middle.publish(taker));
  REQUIRE(ask_in_vain(self, remote_taker, caf::put_atom_v, *known_to_near).empty());
  auto known_to_middle = ask<caf::actor>(middle.self, taker, caf::get_atom_v);
  REQUIRE(known_to_middle);
  CHECK(*known_to_middle == *known_to_near);
  CHECK(*known_to_middle == stock);
  auto before = middle.net().statistics().messages_sent;
  CHECK(ask<std::string>(middle.self, *known_to_middle, "hello"s) == "hello"s);
  CHECK(ask_in_vain(middle.self, *known_to_middle, caf::div_atom_v, int32_t{1}, int32_t{0})
        == weather::rain);
  CHECK(middle.net().statistics().messages_sent == before + 2);
  // It goes home as what it was there, and requests that come back are answered.
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(get(remote_taker))
        == caf::actor_cast<caf::strong_actor_ptr>(*known_to_near));
  CHECK(ask<std::string>(self, remote_taker, caf::redirect_atom_v, "around"s) == "around"s);
  send_anonymously(taker, caf::close_atom_v);
}

TEST_CASE_METHOD(fixture, "an actor of a stock connection can answer to who has sent over a link") {
  auto listener = third.spawn([](caf::event_based_actor* me) -> caf::behavior {
    return {[me](caf::ping_atom) {
      send(me, caf::actor_cast<caf::actor>(me->current_sender()), caf::pong_atom_v);
    }};
  });
  auto handle = stock_connection(listener);
  auto at_middle = middle.spawn(
    [handle]() -> caf::behavior { return {[handle](caf::get_atom) { return handle; }}; });
  auto remote_listener = get(near.connect(middle.publish(at_middle)));
  for (auto i = 0; i < 3; ++i) {
    send(self, remote_listener, caf::ping_atom_v);
    self->receive([&](caf::pong_atom) { CHECK(self->current_sender() == remote_listener); },
                  caf::after(patience) >> [] { FAIL("no message"); });
  }
  // CAF's own networking keeps what it has exported.
  third.self->send_exit(listener, caf::exit_reason::user_shutdown);
}

TEST_CASE_METHOD(fixture, "the end of an actor of a stock connection is known over a link") {
  self->monitor(remote);
  send(self, remote, caf::close_atom_v, caf::make_error(weather::snow));
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == weather::snow); },
                caf::after(patience) >> [] { FAIL("no message"); });
  CHECK(ask_in_vain(self, remote, "hello"s) == caf::sec::request_receiver_down);
}
