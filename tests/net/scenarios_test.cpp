// This file is part of cafwire. See the file LICENSE for license terms.

// What CAF tests with its own networking, told anew with links; `docs/links.md` has the list. What
// other files test already is not repeated here.

#include "net/node.hpp"
#include "net/relay.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

namespace {

/// Answers `ping` with `pong`, so often, then says goodbye.
caf::behavior pong(caf::event_based_actor* self) {
  return {
    [](caf::ping_atom, int32_t x) { return caf::make_message(caf::pong_atom_v, x); },
    [self](caf::close_atom) { self->quit(caf::error{weather::snow}); },
  };
}

/// Plays against a `pong` until it has counted far enough, and tells so.
caf::behavior ping(caf::event_based_actor* self, const caf::actor& other, int32_t rounds,
                   const caf::actor& client) {
  self->link_to(other);
  send(self, other, caf::ping_atom_v, int32_t{1});
  return {
    [=](caf::pong_atom, int32_t x) {
      if (x < rounds) {
        send(self, other, caf::ping_atom_v, x + 1);
      } else {
        send(self, client, caf::ok_atom_v, x);
        send(self, other, caf::close_atom_v);
      }
    },
  };
}

/// Passes each message on to all who have subscribed: what CAF 0.18 has groups for.
caf::behavior topic(caf::event_based_actor* self) {
  auto subscribers = std::make_shared<std::set<caf::actor>>();
  auto forget = [=](const caf::actor_addr& gone) {
    std::erase_if(*subscribers, [&](auto& x) { return x.address() == gone; });
  };
  return {
    [=](caf::subscribe_atom, const caf::actor& x) {
      if (subscribers->insert(x).second)
        x->attach_functor([self = caf::actor_cast<caf::actor_addr>(self), gone = x.address()] {
          if (auto target = caf::actor_cast<caf::actor>(self))
            send_anonymously(target, caf::unsubscribe_atom_v, gone);
        });
      return caf::ok_atom_v;
    },
    [=](caf::unsubscribe_atom, const caf::actor_addr& x) { forget(x); },
    [=](caf::publish_atom, const std::string& what) {
      for (auto& x : *subscribers)
        send(self, x, what);
    },
    [=](caf::get_atom) { return static_cast<int32_t>(subscribers->size()); },
  };
}

/// Collects what it hears.
caf::behavior subscriber(caf::event_based_actor* self) {
  auto heard = std::make_shared<std::string>();
  return {
    [=](const std::string& what) { *heard += what; },
    [=](caf::get_atom) { return *heard; },
    [=](caf::close_atom) { self->quit(); },
  };
}

struct fixture {
  node near;
  node far;
  caf::scoped_actor& self = near.self;
  caf::actor me = caf::actor_cast<caf::actor>(self.ptr());
};

} // namespace

TEST_CASE_METHOD(fixture, "ping and pong play over a link, and end together") {
  auto partner = near.connect(far.publish(far.spawn(pong)));
  auto player = near.spawn(ping, partner, int32_t{100}, me);
  self->monitor(player);
  self->receive([](caf::ok_atom, int32_t rounds) { CHECK(rounds == 100); },
                caf::after(patience) >> [] { FAIL("no message"); });
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == weather::snow); },
                caf::after(patience) >> [] { FAIL("no message"); });
}

TEST_CASE_METHOD(fixture, "the sender of a message is who the receiver answers to") {
  // CAF: "custom message types work over the network", "remote actors see the sender".
  auto remote
    = near.connect(far.publish(far.spawn([](caf::event_based_actor* him) -> caf::behavior {
        return {[=](const chart& x) {
          send(him, caf::actor_cast<caf::actor>(him->current_sender()), x, x.name);
        }};
      })));
  auto picture = chart{"one", {1, 2, 3}, point{4, 5, 6}};
  send(self, remote, picture);
  self->receive(
    [&](const chart& x, const std::string& name) {
      CHECK(x == picture);
      CHECK(name == "one");
      CHECK(self->current_sender() == remote);
    },
    caf::after(patience) >> [] { FAIL("no message"); });
}

TEST_CASE_METHOD(fixture, "many requests are under way at a time, and each gets its own answer") {
  auto remote = near.connect(far.publish(far.spawn(server)));
  auto correct = std::make_shared<std::atomic<int>>(0);
  auto client = near.spawn([=, me = me](caf::event_based_actor* him) -> caf::behavior {
    auto left = std::make_shared<int>(500);
    for (int32_t i = 1; i <= 500; ++i)
      request(him, remote, caf::infinite, caf::div_atom_v, i * 2, int32_t{2}).then([=](int32_t x) {
        if (x == i)
          ++*correct;
        if (--*left == 0)
          send(him, me, caf::ok_atom_v);
      });
    return {[](caf::idle_atom) {}};
  });
  self->receive([](caf::ok_atom) {}, caf::after(patience) >> [] { FAIL("no message"); });
  CHECK(*correct == 500);
}

TEST_CASE_METHOD(fixture, "a request whose time is over ends, and its late answer does no harm") {
  auto remote = near.connect(far.publish(far.spawn(server)));
  caf::error reason;
  request(self, remote, 50ms, caf::pending_atom_v)
    .receive([](int32_t) { FAIL("answered"); }, [&](caf::error& x) { reason = std::move(x); });
  CHECK(reason == caf::sec::request_timeout);
  send(self, remote, caf::flush_atom_v);
  CHECK(ask<std::string>(self, remote, "alive"s) == "alive"s);
  send(self, remote, caf::close_atom_v);
}

TEST_CASE_METHOD(fixture, "a promise is kept later, or broken by the end of who gave it") {
  auto remote = near.connect(far.publish(far.spawn(server)));
  auto first = request(self, remote, patience, caf::pending_atom_v);
  send(self, remote, caf::flush_atom_v);
  std::move(first).receive([](int32_t x) { CHECK(x == 42); },
                           [](const caf::error& x) { FAIL(to_string(x)); });
  auto second = request(self, remote, patience, caf::pending_atom_v);
  send(self, remote, caf::close_atom_v);
  std::move(second).receive([](int32_t) { FAIL("answered"); },
                            [](const caf::error& x) {
                              CHECK((x == caf::sec::broken_promise
                                     || x == caf::sec::request_receiver_down));
                            });
}

TEST_CASE_METHOD(fixture, "who sends wrong messages gets CAF's own answers") {
  auto remote = near.connect(far.publish(far.spawn(server)));
  CHECK(ask_in_vain(self, remote, true, false, true) == caf::sec::unexpected_message);
  CHECK(ask_in_vain(self, remote, caf::sys_atom_v) == caf::sec::bad_function_call);
}

TEST_CASE_METHOD(fixture, "an exception on the other node ends the actor, and the request") {
#ifdef CAF_ENABLE_EXCEPTIONS
  auto remote = near.connect(far.publish(far.spawn([]() -> caf::behavior {
    return {[](caf::ok_atom) -> int32_t { throw std::runtime_error("no"); }};
  })));
  self->monitor(remote);
  CHECK_FALSE(ask_in_vain(self, remote, caf::ok_atom_v).empty());
  self->receive([](const caf::down_msg& x) { CHECK_FALSE(x.reason.empty()); },
                caf::after(patience) >> [] { FAIL("no message"); });
#endif
}

TEST_CASE_METHOD(fixture, "urgent messages overtake others in the mailbox of a remote actor") {
  auto started = std::make_shared<std::atomic<bool>>(false);
  auto go_on = std::make_shared<std::atomic<bool>>(false);
  auto order = std::make_shared<std::string>();
  auto remote = near.connect(far.publish(far.spawn([=]() -> caf::behavior {
    return {
      [=](caf::idle_atom) {
        *started = true;
        std::ignore = eventually([&] { return go_on->load(); });
      },
      [=](const std::string& x) { *order += x; },
      [=](caf::get_atom) { return *order; },
    };
  })));
  send(self, remote, caf::idle_atom_v);
  REQUIRE(eventually([&] { return started->load(); }));
  send(self, remote, "a"s);
  send(self, remote, "b"s);
  send_urgent(self, remote, "U"s);
  REQUIRE(eventually([&] { return far.net().statistics().messages_received == 4; }));
  *go_on = true;
  CHECK(ask<std::string>(self, remote, caf::get_atom_v) == "Uab"s);
}

TEST_CASE_METHOD(fixture, "actors on several nodes subscribe to a topic, and leave it") {
  auto local = far.spawn(topic);
  auto remote = near.connect(far.publish(local));
  node third;
  auto from_third = third.connect(far.publish(local));
  auto first = near.spawn(subscriber);
  auto second = third.spawn(subscriber);
  auto third_subscriber = far.spawn(subscriber);
  REQUIRE(ask<caf::ok_atom>(self, remote, caf::subscribe_atom_v, first));
  REQUIRE(ask<caf::ok_atom>(third.self, from_third, caf::subscribe_atom_v, second));
  REQUIRE(ask<caf::ok_atom>(far.self, local, caf::subscribe_atom_v, third_subscriber));
  send(third.self, from_third, caf::publish_atom_v, "one "s);
  auto hears = [](node& where, const caf::actor& who, const std::string& what) {
    return eventually([&] { return ask<std::string>(where.self, who, caf::get_atom_v) == what; });
  };
  CHECK(hears(near, first, "one "));
  CHECK(hears(third, second, "one "));
  CHECK(hears(far, third_subscriber, "one "));
  // Subscribers leave by ending, or with their node.
  send(self, first, caf::close_atom_v);
  CHECK(eventually([&] { return ask<int32_t>(far.self, local, caf::get_atom_v) == 2; }));
  third.end_links();
  CHECK(eventually([&] { return ask<int32_t>(far.self, local, caf::get_atom_v) == 1; }));
  send(self, remote, caf::publish_atom_v, "two"s);
  CHECK(hears(far, third_subscriber, "one two"));
  send_anonymously(third_subscriber, caf::close_atom_v);
}

TEST_CASE_METHOD(fixture, "an actor is unpublished while others are connected") {
  // CAF: "unpublished actors are no longer reachable".
  auto local = far.spawn(server);
  auto first = far.net().publish(local, 0, nullptr, true);
  REQUIRE(first);
  auto port = *first;
  auto remote = near.connect(port);
  REQUIRE(far.net().unpublish(local));
  node late;
  CHECK(error_of(late.net().remote_actor(loopback, port)) == caf::sec::cannot_connect_to_node);
  CHECK(ask<std::string>(self, remote, "hello"s) == "hello"s);
  // Another actor may take the port.
  auto other = far.spawn(pong);
  auto again = far.net().publish(other, port, nullptr, true);
  REQUIRE(again);
  CHECK(*again == port);
  CHECK(late.connect(port).id() == other.id());
}

TEST_CASE_METHOD(fixture, "a typed actor is found by any interface that is part of its own") {
  using both = caf::typed_actor<caf::result<int32_t>(caf::add_atom, int32_t, int32_t),
                                caf::result<int32_t>(caf::mul_atom, int32_t, int32_t)>;
  auto local = far.spawn([]() -> both::behavior_type {
    return {[](caf::add_atom, int32_t x, int32_t y) { return x + y; },
            [](caf::mul_atom, int32_t x, int32_t y) { return x * y; }};
  });
  auto port = far.publish(local);
  CHECK(ask<int32_t>(self, near.connect<adder>(port), caf::add_atom_v, int32_t{2}, int32_t{3})
        == 5);
  CHECK(ask<int32_t>(self, near.connect<multiplier>(port), caf::mul_atom_v, int32_t{2}, int32_t{3})
        == 6);
  CHECK(near.connect<adder>(port).address() == near.connect<both>(port).address());
  auto only_adds = far.spawn([]() -> adder::behavior_type {
    return {[](caf::add_atom, int32_t x, int32_t y) { return x + y; }};
  });
  CHECK(error_of(near.net().remote_actor<both>(loopback, far.publish(only_adds)))
        == caf::sec::unexpected_actor_messaging_interface);
  CHECK(error_of(near.net().remote_actor<caf::actor>(loopback, port)).empty() == false);
}
