// This file is part of cafwire. See the file LICENSE for license terms.

// Handles of actors on a third node: `near` knows `middle`, which knows `third`.

#include "net/node.hpp"
#include "net/relay.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

/// Keeps a handle, gives it back, and hands requests over to it.
caf::behavior keeper(caf::event_based_actor* self) {
  auto kept = std::make_shared<caf::actor>();
  auto promise = std::make_shared<caf::response_promise>();
  auto text = std::make_shared<std::string>();
  return {
    [=](caf::put_atom, const caf::actor& x) { *kept = x; },
    [=](caf::get_atom) { return *kept; },
    [=](caf::redirect_atom, std::string& x) { return delegate(self, *kept, std::move(x)); },
    [=](caf::redirect_atom, caf::pending_atom) {
      return delegate(self, *kept, caf::pending_atom_v);
    },
    [=](caf::redirect_atom, int32_t x, int32_t y) {
      return delegate(self, *kept, caf::div_atom_v, x, y);
    },
    // -- later: the request waits for `flush_atom` ----------------------------------------------
    [=](caf::pending_atom, std::string& x) {
      *promise = self->make_response_promise();
      *text = std::move(x);
      return *promise;
    },
    [=](caf::flush_atom) { promise->delegate(*kept, std::move(*text)); },
    [=](caf::flush_atom, int32_t x, int32_t y) { promise->delegate(*kept, caf::div_atom_v, x, y); },
    [=](caf::forward_atom, caf::tick_atom) { send(self, *kept, caf::tick_atom_v); },
    [](caf::contact_atom, adder& x) { return std::move(x); },
    [](caf::contact_atom, handles& xs) { return std::move(xs); },
    [=](caf::close_atom) {
      *kept = nullptr;
      self->quit();
    },
  };
}

/// Answers with who has asked, sends it a message back, and keeps numbers.
caf::behavior witness(caf::event_based_actor* self) {
  auto numbers = std::make_shared<std::vector<int32_t>>();
  return {
    [=](caf::contact_atom) { return caf::actor_cast<caf::actor>(self->current_sender()); },
    [=](caf::ping_atom) {
      send(self, caf::actor_cast<caf::actor>(self->current_sender()), caf::pong_atom_v);
    },
    [=](int32_t x) { numbers->push_back(x); },
    [=](caf::get_atom) { return *numbers; },
    [](std::string& x) { return std::move(x); },
  };
}

struct fixture {
  node near;
  node middle;
  node third;
  caf::actor broker = middle.spawn(keeper);
  caf::actor target = third.spawn(server);
  relay first_wire{middle.publish(broker)};
  relay second_wire{third.publish(target)};
  caf::actor remote_broker = near.connect(first_wire.port());
  caf::actor seen_by_middle = middle.connect(second_wire.port());
  caf::scoped_actor& self = near.self;
  caf::actor remote = pass_on(seen_by_middle);

  ~fixture() {
    send_anonymously(broker, caf::close_atom_v);
    send_anonymously(target, caf::close_atom_v);
  }

  /// Gives a handle of `middle` to `near`.
  caf::actor pass_on(const caf::actor& what) {
    REQUIRE(ask_in_vain(middle.self, broker, caf::put_atom_v, what).empty());
    auto result = ask<caf::actor>(self, remote_broker, caf::get_atom_v);
    REQUIRE(result);
    REQUIRE(*result);
    return *result;
  }

  /// Gives a handle of an actor on `third` to `near`.
  caf::actor introduce(const caf::actor& what) {
    return pass_on(middle.connect(third.publish(what)));
  }

  caf::error next_reason() {
    caf::error result{caf::sec::runtime_error};
    self->receive([&](const caf::down_msg& x) { result = x.reason; },
                  caf::after(patience) >> [] { FAIL("no message"); });
    return result;
  }
};

} // namespace

TEST_CASE_METHOD(fixture, "an actor on a third node is reached, and is who it is") {
  CHECK(remote.node() == third.sys().node());
  CHECK(remote.id() == target.id());
  CHECK(ask<std::string>(self, remote, "hello"s) == "hello"s);
  CHECK(ask<point>(self, remote, point{1, 2, 3}) == point{1, 2, 3});
  CHECK(ask<int32_t>(self, remote, caf::div_atom_v, int32_t{6}, int32_t{2}) == 3);
  CHECK(ask_in_vain(self, remote, caf::div_atom_v, int32_t{6}, int32_t{0}) == weather::rain);
}

TEST_CASE_METHOD(fixture, "the handle is equal to one of a direct connection") {
  auto direct = near.connect(second_wire.port());
  CHECK(direct == remote);
  CHECK(direct.address() == remote.address());
  CHECK(std::hash<caf::actor>{}(direct) == std::hash<caf::actor>{}(remote));
  CHECK(ask<std::string>(self, direct, "direct"s) == "direct"s);
  CHECK(ask<std::string>(self, remote, "relayed"s) == "relayed"s);
}

TEST_CASE_METHOD(fixture, "the handle arrives once, however often it is sent") {
  auto again = pass_on(seen_by_middle);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(again)
        == caf::actor_cast<caf::strong_actor_ptr>(remote));
  CHECK(again.address() == remote.address());
}

TEST_CASE_METHOD(fixture, "a handle goes back the way that it came") {
  REQUIRE(ask_in_vain(self, remote_broker, caf::put_atom_v, remote).empty());
  auto back = ask<caf::actor>(middle.self, broker, caf::get_atom_v);
  REQUIRE(back);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(*back)
        == caf::actor_cast<caf::strong_actor_ptr>(seen_by_middle));
}

TEST_CASE_METHOD(fixture, "a handle arrives at the node of its actor as the actor itself") {
  auto listener = third.spawn(keeper);
  SECTION("over the relay") {
    auto via_middle = introduce(listener);
    REQUIRE(ask_in_vain(self, via_middle, caf::put_atom_v, remote).empty());
  }
  SECTION("over a direct connection") {
    auto direct = near.connect(third.publish(listener));
    REQUIRE(ask_in_vain(self, direct, caf::put_atom_v, remote).empty());
  }
  auto own = ask<caf::actor>(third.self, listener, caf::get_atom_v);
  REQUIRE(own);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(*own)
        == caf::actor_cast<caf::strong_actor_ptr>(target));
}

TEST_CASE_METHOD(fixture, "the actor of a third node sees who sends, and can answer") {
  auto listener = introduce(third.spawn(witness));
  auto me = caf::actor_cast<caf::actor>(self.ptr());
  CHECK(ask<caf::actor>(self, listener, caf::contact_atom_v) == me);
  send(self, listener, caf::ping_atom_v);
  self->receive([&](caf::pong_atom) { CHECK(self->current_sender() == listener); },
                caf::after(patience) >> [] { FAIL("no message"); });
}

TEST_CASE_METHOD(fixture, "handles of all nodes travel over a relay") {
  auto listener = introduce(third.spawn(keeper));
  handles xs;
  xs.one = near.spawn(server);
  xs.maybe = remote;
  xs.address = remote_broker.address();
  xs.pointer = caf::actor_cast<caf::strong_actor_ptr>(listener);
  xs.many = {remote, xs.one, remote_broker, caf::actor{}, listener};
  auto ys = ask<handles>(self, listener, caf::contact_atom_v, xs);
  REQUIRE(ys);
  CHECK(ys->one == xs.one);
  CHECK(ys->maybe == xs.maybe);
  CHECK(ys->address == xs.address);
  CHECK(ys->pointer == xs.pointer);
  CHECK(ys->many == xs.many);
  CHECK(ask<std::string>(self, ys->many[0], "works"s) == "works"s);
}

TEST_CASE_METHOD(fixture, "messages over a relay arrive in order") {
  auto listener = introduce(third.spawn(witness));
  std::vector<int32_t> expected;
  for (int32_t i = 0; i < 2000; ++i) {
    send(self, listener, i);
    expected.push_back(i);
  }
  CHECK(ask<std::vector<int32_t>>(self, listener, caf::get_atom_v) == expected);
}

TEST_CASE_METHOD(fixture, "typed actors keep their type over a relay") {
  auto add = third.spawn([]() -> adder::behavior_type {
    return {[](caf::add_atom, int32_t x, int32_t y) { return x + y; }};
  });
  auto seen = middle.connect<adder>(third.publish(add));
  auto arrived = ask<adder>(middle.self, broker, caf::contact_atom_v, seen);
  REQUIRE(arrived);
  auto via_near = ask<adder>(self, remote_broker, caf::contact_atom_v,
                             caf::actor_cast<adder>(pass_on(caf::actor_cast<caf::actor>(seen))));
  REQUIRE(via_near);
  CHECK(ask<int32_t>(self, *via_near, caf::add_atom_v, int32_t{1}, int32_t{2}) == 3);
}

TEST_CASE_METHOD(fixture, "a request is delegated to a third node, and answered over the relay") {
  REQUIRE(ask_in_vain(middle.self, broker, caf::put_atom_v, seen_by_middle).empty());
  for (auto i = 0; i < 3; ++i)
    CHECK(ask<std::string>(self, remote_broker, caf::redirect_atom_v, "hello"s) == "hello"s);
}

TEST_CASE_METHOD(fixture, "the error of who a request was delegated to arrives over the relay") {
  REQUIRE(ask_in_vain(middle.self, broker, caf::put_atom_v, seen_by_middle).empty());
  CHECK(ask<int32_t>(self, remote_broker, caf::redirect_atom_v, int32_t{6}, int32_t{2}) == 3);
  CHECK(ask_in_vain(self, remote_broker, caf::redirect_atom_v, int32_t{6}, int32_t{0})
        == weather::rain);
}

TEST_CASE_METHOD(fixture, "a promise is handed over to another node, and kept there") {
  auto put = [&](node& where, const caf::actor& how, const caf::actor& whom) {
    REQUIRE(ask_in_vain(where.self, how, caf::put_atom_v, whom).empty());
  };
  /// Asks the broker, which hands its promise over when the request has been kept for a while.
  auto outcome = [&](auto&&... what) {
    auto result = caf::expected<caf::message>{caf::error{caf::sec::runtime_error}};
    auto handle = request(self, remote_broker, patience, caf::pending_atom_v, "promised"s);
    REQUIRE(ask<caf::actor>(self, remote_broker, caf::get_atom_v)); // the request was first
    send(self, remote_broker, caf::flush_atom_v, what...);
    std::move(handle).receive([&](std::string& x) { result = caf::make_message(std::move(x)); },
                              [&](caf::error& x) { result = std::move(x); });
    return result;
  };
  auto is_kept = [](const caf::expected<caf::message>& x) {
    return x && x->match_elements<std::string>() && x->get_as<std::string>(0) == "promised";
  };
  SECTION("to a third node") {
    put(middle, broker, seen_by_middle);
    CHECK(is_kept(outcome()));
    CHECK(error_of(outcome(int32_t{6}, int32_t{0})) == weather::rain);
    CHECK(is_kept(outcome()));
  }
  SECTION("to a third node that the requester has told of") {
    auto direct = near.connect(second_wire.port());
    put(near, remote_broker, direct);
    CHECK(is_kept(outcome()));
  }
  SECTION("back to the node of the requester") {
    put(near, remote_broker, near.spawn(server));
    CHECK(is_kept(outcome()));
    CHECK(error_of(outcome(int32_t{6}, int32_t{0})) == weather::rain);
  }
  SECTION("by an actor of the third node, to one of the relay") {
    auto next = third.spawn(keeper);
    put(third, next, third.connect(middle.publish(middle.spawn(server))));
    auto remote_next = introduce(next);
    CHECK(ask<std::string>(self, remote_next, caf::redirect_atom_v, "around"s) == "around"s);
    CHECK(ask_in_vain(self, remote_next, caf::redirect_atom_v, int32_t{6}, int32_t{0})
          == weather::rain);
    put(third, next, caf::actor{});
  }
  SECTION("to somebody who is gone") {
    put(middle, broker, seen_by_middle);
    middle.self->monitor(seen_by_middle);
    send_anonymously(target, caf::close_atom_v);
    middle.self->receive([](const caf::down_msg&) {},
                         caf::after(patience) >> [] { FAIL("no message"); });
    CHECK(error_of(outcome()) == caf::sec::request_receiver_down);
  }
}

TEST_CASE_METHOD(fixture, "two clients meet at a server that neither of them listens for") {
  // Both have connected to the server, as in the scenario "rendezvous" of CAF.
  auto pong = third.spawn(witness);
  REQUIRE(ask_in_vain(third.self, third.connect(first_wire.port()), caf::put_atom_v, pong).empty());
  auto met = ask<caf::actor>(self, remote_broker, caf::get_atom_v);
  REQUIRE(met);
  CHECK(met->id() == pong.id());
  CHECK(met->node() == third.sys().node());
  for (auto i = 0; i < 3; ++i) {
    send(self, *met, caf::ping_atom_v);
    self->receive([&](caf::pong_atom) { CHECK(self->current_sender() == *met); },
                  caf::after(patience) >> [] { FAIL("no message"); });
  }
}

TEST_CASE_METHOD(fixture, "the end of an actor on a third node is known everywhere") {
  self->monitor(remote);
  auto linked = near.spawn([this](caf::event_based_actor* me) -> caf::behavior {
    me->link_to(remote);
    return {[](caf::ok_atom) { return caf::ok_atom_v; }};
  });
  REQUIRE(ask<caf::ok_atom>(self, linked, caf::ok_atom_v));
  self->monitor(linked);
  send(self, remote, caf::close_atom_v, caf::make_error(weather::snow, "deep"s));
  CHECK(next_reason() == weather::snow);
  CHECK(next_reason() == weather::snow);
  CHECK(ask_in_vain(self, remote, "hello"s) == caf::sec::request_receiver_down);
}

TEST_CASE_METHOD(fixture, "links and exit messages reach a third node") {
  third.self->monitor(target);
  auto reason_at_third = [&] {
    caf::error result{caf::sec::runtime_error};
    third.self->receive([&](const caf::down_msg& x) { result = x.reason; },
                        caf::after(patience) >> [] { FAIL("no message"); });
    return result;
  };
  SECTION("an exit message") {
    self->send_exit(remote, caf::exit_reason::user_shutdown);
    CHECK(reason_at_third() == caf::exit_reason::user_shutdown);
  }
  SECTION("the end of a linked actor") {
    auto linked = near.spawn([this](caf::event_based_actor* me) -> caf::behavior {
      me->link_to(remote);
      return {
        [](caf::ok_atom) { return caf::ok_atom_v; },
        [me](caf::close_atom) { me->quit(caf::make_error(weather::rain)); },
      };
    });
    REQUIRE(ask<caf::ok_atom>(self, linked, caf::ok_atom_v));
    REQUIRE(ask<std::string>(self, remote, "linked by now"s));
    send(self, linked, caf::close_atom_v);
    CHECK(reason_at_third() == weather::rain);
  }
  SECTION("the end of the node of a linked actor") {
    auto linked = near.spawn([this](caf::event_based_actor* me) -> caf::behavior {
      me->link_to(remote);
      return {[](caf::ok_atom) { return caf::ok_atom_v; }};
    });
    REQUIRE(ask<caf::ok_atom>(self, linked, caf::ok_atom_v));
    REQUIRE(ask<std::string>(self, remote, "linked by now"s));
    first_wire.cut();
    CHECK(reason_at_third() == caf::exit_reason::remote_link_unreachable);
  }
}

TEST_CASE_METHOD(fixture, "requests and observers learn of a lost connection, whichever it is") {
  auto start = std::chrono::steady_clock::now();
  self->monitor(remote);
  auto handle = request(self, remote, 1h, caf::pending_atom_v);
  REQUIRE(ask<std::string>(self, remote, "it has arrived"s));
  SECTION("the one to the relay") {
    first_wire.cut();
  }
  SECTION("the one of the relay") {
    second_wire.cut();
  }
  SECTION("the relay ends its links") {
    middle.end_links();
  }
  SECTION("the third node ends its links") {
    third.end_links();
  }
  caf::error reason;
  std::move(handle).receive([](int32_t) { FAIL("answered"); },
                            [&](caf::error& x) { reason = std::move(x); });
  CHECK(reason == caf::sec::request_receiver_down);
  CHECK(next_reason() == caf::exit_reason::remote_link_unreachable);
  CHECK(ask_in_vain(self, remote, "hello"s) == caf::sec::request_receiver_down);
  CHECK(std::chrono::steady_clock::now() - start < patience);
}

TEST_CASE_METHOD(fixture, "a delegated request ends with the connection of the relay") {
  REQUIRE(ask_in_vain(middle.self, broker, caf::put_atom_v, seen_by_middle).empty());
  auto handle = request(self, remote_broker, 1h, caf::redirect_atom_v, caf::pending_atom_v);
  REQUIRE(ask<caf::actor>(self, remote_broker, caf::get_atom_v));
  REQUIRE(ask<std::string>(middle.self, seen_by_middle, "it has arrived"s));
  second_wire.cut();
  caf::error reason;
  std::move(handle).receive([](int32_t) { FAIL("answered"); },
                            [&](caf::error& x) { reason = std::move(x); });
  CHECK(reason == caf::sec::request_receiver_down);
}

TEST_CASE_METHOD(fixture, "a relay that knows a type less says so to the requester") {
  // It was never registered, so it does not even leave this node.
  CHECK(ask_in_vain(self, remote, stranger{1}) == ec::unregistered_type);
  CHECK(ask_in_vain(self, remote, positive{-1}) == ec::invariant_failed);
  CHECK(ask<std::string>(self, remote, "alive"s) == "alive"s);
}

TEST_CASE_METHOD(fixture, "relays form chains, and handles find home over all of them") {
  node fourth;
  auto last = fourth.spawn(keeper);
  // fourth - third - middle - near
  auto at_third = third.connect(fourth.publish(last));
  auto keeper_at_third = third.spawn(keeper);
  REQUIRE(ask_in_vain(third.self, keeper_at_third, caf::put_atom_v, at_third).empty());
  auto at_middle = ask<caf::actor>(middle.self, middle.connect(third.publish(keeper_at_third)),
                                   caf::get_atom_v);
  REQUIRE(at_middle);
  auto at_near = pass_on(*at_middle);
  CHECK(at_near.node() == fourth.sys().node());
  auto mine = near.spawn(server);
  REQUIRE(ask_in_vain(self, at_near, caf::put_atom_v, mine).empty());
  auto at_fourth = ask<caf::actor>(fourth.self, last, caf::get_atom_v);
  REQUIRE(at_fourth);
  CHECK(ask<std::string>(fourth.self, *at_fourth, "a long way"s) == "a long way"s);
  CHECK(ask<caf::actor>(self, at_near, caf::get_atom_v) == mine);
  send_anonymously(last, caf::close_atom_v);
  send_anonymously(keeper_at_third, caf::close_atom_v);
}

TEST_CASE_METHOD(fixture, "what nobody needs any longer is let go along the whole way") {
  auto ended = std::make_shared<std::atomic<bool>>(false);
  {
    auto hidden = third.spawn(server);
    hidden->attach_functor([=] { *ended = true; });
    auto listener = third.spawn(keeper);
    auto at_middle = middle.connect(third.publish(listener));
    REQUIRE(ask_in_vain(third.self, listener, caf::put_atom_v, hidden).empty());
    auto handle = ask<caf::actor>(middle.self, at_middle, caf::get_atom_v);
    REQUIRE(handle);
    auto mine = pass_on(*handle);
    REQUIRE(ask_in_vain(middle.self, broker, caf::put_atom_v, caf::actor{}).empty());
    send_anonymously(listener, caf::close_atom_v);
    hidden = nullptr;
    *handle = nullptr;
    std::this_thread::sleep_for(3s);
    CHECK(ask<std::string>(self, mine, "still there"s) == "still there"s);
    CHECK_FALSE(*ended);
  }
  CHECK(eventually([&] { return ended->load(); }));
}
