// This file is part of cafwire. See the file LICENSE for license terms.

// Monitors, links, exit messages: what remote actors learn of each other's end.

#include "net/node.hpp"
#include "net/relay.hpp"
#include "net/server.hpp"

#include <chrono>
#include <memory>
#include <string>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

struct fixture {
  node near;
  node far;
  caf::actor local = far.spawn(server);
  relay wire{far.publish(local)};
  caf::actor remote = near.connect(wire.port());
  caf::scoped_actor& self = near.self;

  ~fixture() {
    // It may owe answers, and hence hold itself.
    send_anonymously(local, caf::close_atom_v);
  }

  /// Waits for the news that an actor has terminated.
  template <class Handle>
  caf::error end_of(caf::scoped_actor& observer, const Handle& whom) {
    caf::error result{caf::sec::runtime_error};
    observer->receive(
      [&](const caf::down_msg& x) {
        CHECK(x.source == whom.address());
        result = x.reason;
      },
      caf::after(patience) >> [] { FAIL("no message"); });
    return result;
  }

  /// Starts an actor that has linked itself to another one.
  caf::actor spawn_linked(node& where, const caf::actor& other) {
    auto result = where.spawn([other](caf::event_based_actor* me) -> caf::behavior {
      me->link_to(other);
      return {
        [](caf::ok_atom) { return caf::ok_atom_v; },
        [me](caf::close_atom, caf::error& reason) { me->quit(std::move(reason)); },
        [me, other](caf::unlink_atom) { me->unlink_from(other); },
      };
    });
    // It runs, so it is linked.
    REQUIRE(ask<caf::ok_atom>(where.self, result, caf::ok_atom_v));
    return result;
  }
};

/// Notes the exit messages that it gets, and lives on.
struct exit_log {
  std::atomic<int> count{0};
  std::mutex mutex;
  caf::error reason;
  caf::actor_addr source;
};

caf::actor spawn_survivor(node& where, const std::shared_ptr<exit_log>& log) {
  return where.spawn([log](caf::event_based_actor* me) -> caf::behavior {
    auto on_exit = [log](caf::exit_msg& x) {
      std::lock_guard guard{log->mutex};
      log->reason = x.reason;
      log->source = x.source;
      ++log->count;
    };
    set_exit_handler(me, on_exit);
    return {
      on_exit,
      [](std::string& x) { return std::move(x); },
      [me](caf::link_atom, const caf::actor& other) {
        me->link_to(other);
        return caf::ok_atom_v;
      },
      [me](caf::close_atom) { me->quit(caf::error{weather::snow}); },
    };
  });
}

} // namespace

TEST_CASE_METHOD(fixture, "the real reason of an end arrives") {
  self->monitor(remote);
  SECTION("normal") {
    send(self, remote, caf::close_atom_v);
    CHECK(end_of(self, remote) == caf::error{});
  }
  SECTION("killed by its own node") {
    far.self->send_exit(local, caf::exit_reason::user_shutdown);
    CHECK(end_of(self, remote) == caf::exit_reason::user_shutdown);
  }
  SECTION("killed by a remote node") {
    self->send_exit(remote, caf::exit_reason::kill);
    CHECK(end_of(self, remote) == caf::exit_reason::kill);
  }
  SECTION("an error of the application, details included") {
    auto reason = caf::make_error(weather::snow, "a lot of it"s);
    send(self, remote, caf::close_atom_v, reason);
    CHECK(end_of(self, remote) == reason);
  }
  SECTION("an error that cannot be written") {
    send_anonymously(local, caf::close_atom_v, caf::make_error(weather::snow, stranger{1}));
    CHECK(end_of(self, remote) == caf::exit_reason::unknown);
  }
}

TEST_CASE_METHOD(fixture, "several observers on several nodes learn of an end, once each") {
  node second;
  auto from_second = second.connect(wire.port());
  caf::scoped_actor another{near.sys()};
  self->monitor(remote);
  another->monitor(remote);
  second.self->monitor(from_second);
  send_anonymously(local, caf::close_atom_v, caf::make_error(weather::rain));
  CHECK(end_of(self, remote) == weather::rain);
  CHECK(end_of(another, remote) == weather::rain);
  CHECK(end_of(second.self, from_second) == weather::rain);
  for (auto* observer : {&self, &another, &second.self})
    CHECK_FALSE((*observer)->has_next_message());
}

TEST_CASE_METHOD(fixture, "whoever observes an actor that is gone learns that at once") {
  self->monitor(remote);
  send(self, remote, caf::close_atom_v, caf::make_error(weather::rain));
  REQUIRE(end_of(self, remote) == weather::rain);
  self->monitor(remote);
  CHECK(end_of(self, remote) == weather::rain);
  // Linking kills, as it does for local actors.
  auto linked = near.spawn([remote = remote](caf::event_based_actor* me) -> caf::behavior {
    me->link_to(remote);
    return {[](int32_t) {}};
  });
  self->monitor(linked);
  CHECK(end_of(self, linked) == weather::rain);
  CHECK(ask_in_vain(self, remote, "hello"s) == caf::sec::request_receiver_down);
}

TEST_CASE_METHOD(fixture, "the handle of an actor that is gone arrives, and observers learn that") {
  auto dead = far.spawn(server);
  far.self->monitor(dead);
  far.self->send_exit(dead, caf::exit_reason::kill);
  REQUIRE(end_of(far.self, dead) == caf::exit_reason::kill);
  handles xs;
  xs.one = dead;
  auto reply_to = caf::actor_cast<caf::actor>(self.ptr());
  // The far node sends the handle by itself.
  auto sender = far.spawn([=](caf::event_based_actor* me) -> caf::behavior {
    return {
      [=](caf::put_atom, const caf::actor& target) { send(me, target, xs); },
    };
  });
  auto remote_sender = near.connect(far.publish(sender));
  send(self, remote_sender, caf::put_atom_v, reply_to);
  caf::actor arrived;
  self->receive([&](const handles& ys) { arrived = ys.one; },
                caf::after(patience) >> [] { FAIL("no message"); });
  REQUIRE(arrived);
  self->monitor(arrived);
  CHECK(end_of(self, arrived) == caf::exit_reason::kill);
  CHECK(ask_in_vain(self, arrived, "hello"s) == caf::sec::request_receiver_down);
}

TEST_CASE_METHOD(fixture, "demonitoring a remote actor stops the news") {
  self->monitor(remote);
  self->demonitor(remote);
  send(self, remote, caf::close_atom_v);
  CHECK(eventually([&] { return !ask<std::string>(self, remote, ""s); }));
  CHECK_FALSE(self->has_next_message());
}

TEST_CASE_METHOD(fixture, "an error travels over a link of two actors, from either side") {
  auto linked = spawn_linked(near, remote);
  self->monitor(linked);
  self->monitor(remote);
  SECTION("from the actor that linked itself") {
    send(self, linked, caf::close_atom_v, caf::make_error(weather::snow));
    auto seen = 0;
    while (seen < 2)
      self->receive(
        [&](const caf::down_msg& x) {
          CHECK(x.reason == weather::snow);
          ++seen;
        },
        caf::after(patience) >> [] { FAIL("no message"); });
  }
  SECTION("from the remote actor") {
    send(self, remote, caf::close_atom_v, caf::make_error(weather::snow));
    auto seen = 0;
    while (seen < 2)
      self->receive(
        [&](const caf::down_msg& x) {
          CHECK(x.reason == weather::snow);
          ++seen;
        },
        caf::after(patience) >> [] { FAIL("no message"); });
  }
}

TEST_CASE_METHOD(fixture,
                 "an actor that traps exits gets exactly one message, with reason and source") {
  auto log = std::make_shared<exit_log>();
  auto check = [&](const caf::actor& source, const caf::actor& survivor, caf::scoped_actor& asker) {
    REQUIRE(eventually([&] { return log->count > 0; }));
    // What else is on its way arrives before an answer does.
    for (auto i = 0; i < 3; ++i)
      CHECK(ask<std::string>(asker, survivor, "alive"s) == "alive"s);
    CHECK(log->count == 1);
    std::lock_guard guard{log->mutex};
    CHECK(log->reason == weather::snow);
    CHECK(log->source == source.address());
  };
  SECTION("if it linked itself to a remote actor") {
    auto survivor = spawn_survivor(near, log);
    REQUIRE(ask<caf::ok_atom>(self, survivor, caf::link_atom_v, remote));
    send(self, remote, caf::close_atom_v, caf::make_error(weather::snow));
    check(remote, survivor, self);
  }
  SECTION("if a remote actor linked itself to it") {
    auto survivor = spawn_survivor(far, log);
    auto remote_survivor = near.connect(far.publish(survivor));
    auto linked = spawn_linked(near, remote_survivor);
    send(self, linked, caf::close_atom_v, caf::make_error(weather::snow));
    check(linked, remote_survivor, self);
  }
}

TEST_CASE_METHOD(fixture, "actors that have unlinked themselves do not share their end") {
  auto linked = spawn_linked(near, remote);
  send(self, linked, caf::unlink_atom_v);
  self->monitor(linked);
  self->monitor(remote);
  SECTION("when the one ends") {
    send(self, linked, caf::close_atom_v, caf::make_error(weather::snow));
    CHECK(end_of(self, linked) == weather::snow);
    CHECK(ask<std::string>(self, remote, "alive"s) == "alive"s);
  }
  SECTION("when the other one ends") {
    // Unlinking happens at once on this side.
    REQUIRE(ask<caf::ok_atom>(self, linked, caf::ok_atom_v));
    send(self, remote, caf::close_atom_v, caf::make_error(weather::snow));
    CHECK(end_of(self, remote) == weather::snow);
    CHECK(ask<caf::ok_atom>(self, linked, caf::ok_atom_v));
  }
}

TEST_CASE_METHOD(fixture, "exit messages kill remote actors and may be trapped") {
  SECTION("an actor that does not trap them") {
    self->monitor(remote);
    self->send_exit(remote, caf::exit_reason::user_shutdown);
    CHECK(end_of(self, remote) == caf::exit_reason::user_shutdown);
  }
  SECTION("an actor that does") {
    auto log = std::make_shared<exit_log>();
    auto survivor = near.connect(far.publish(spawn_survivor(far, log)));
    self->send_exit(survivor, caf::exit_reason::user_shutdown);
    CHECK(ask<std::string>(self, survivor, "alive"s) == "alive"s);
    CHECK(log->count == 1);
  }
}

TEST_CASE_METHOD(fixture, "a lost connection is the end of its remote actors") {
  auto linked = spawn_linked(near, remote);
  auto other = far.spawn(server);
  auto remote_other = near.connect(far.publish(other));
  REQUIRE(ask<std::string>(self, remote, "linked"s));
  far.self->monitor(local);
  self->monitor(remote);
  self->monitor(linked);
  wire.cut();
  auto seen = 0;
  while (seen < 2)
    self->receive(
      [&](const caf::down_msg& x) {
        CHECK(x.reason == caf::exit_reason::remote_link_unreachable);
        ++seen;
      },
      caf::after(patience) >> [] { FAIL("no message"); });
  CHECK(ask_in_vain(self, remote, "hello"s) == caf::sec::request_receiver_down);
  // The link of the two actors has another end.
  CHECK(end_of(far.self, local) == caf::exit_reason::remote_link_unreachable);
  // Other connections of the two nodes go on.
  CHECK(ask<std::string>(self, remote_other, "alive"s) == "alive"s);
}

TEST_CASE_METHOD(fixture, "both sides of a link of two actors learn of a lost connection") {
  auto log = std::make_shared<exit_log>();
  auto survivor = spawn_survivor(near, log);
  auto far_log = std::make_shared<exit_log>();
  auto far_survivor = spawn_survivor(far, far_log);
  relay second_wire{far.publish(far_survivor)};
  auto remote_survivor = near.connect(second_wire.port());
  REQUIRE(ask<caf::ok_atom>(self, survivor, caf::link_atom_v, remote_survivor));
  // The request makes sure that the link has reached the other side.
  REQUIRE(ask<std::string>(self, remote_survivor, ""s));
  second_wire.cut();
  CHECK(eventually([&] { return log->count > 0 && far_log->count > 0; }));
  std::lock_guard guard{log->mutex};
  CHECK(log->reason == caf::exit_reason::remote_link_unreachable);
  std::lock_guard far_guard{far_log->mutex};
  CHECK(far_log->reason == caf::exit_reason::remote_link_unreachable);
  CHECK(far_log->source == survivor.address());
}

TEST_CASE_METHOD(fixture,
                 "pending requests end with the connection, long before their time is over") {
  auto start = std::chrono::steady_clock::now();
  auto handle = request(self, remote, 1h, caf::pending_atom_v);
  // It has arrived.
  REQUIRE(ask<std::string>(self, remote, ""s));
  SECTION("that breaks") {
    wire.cut();
  }
  SECTION("that the other side ends") {
    far.end_links();
  }
  SECTION("that this side ends") {
    near.end_links();
  }
  caf::error reason;
  std::move(handle).receive([](int32_t) { FAIL("answered"); },
                            [&](caf::error& x) { reason = std::move(x); });
  CHECK(reason == caf::sec::request_receiver_down);
  CHECK(std::chrono::steady_clock::now() - start < patience);
}

TEST_CASE_METHOD(fixture, "pending requests end with the remote actor") {
  auto first = request(self, remote, 1h, caf::pending_atom_v);
  auto second = request(self, remote, 1h, caf::pending_atom_v);
  send_anonymously(remote, caf::close_atom_v);
  for (auto* handle : {&first, &second}) {
    caf::error reason;
    std::move(*handle).receive([](int32_t) { FAIL("answered"); },
                               [&](caf::error& x) { reason = std::move(x); });
    // CAF says so on the node of the actor: it owed an answer.
    CHECK((reason == caf::sec::broken_promise || reason == caf::sec::request_receiver_down));
  }
}

TEST_CASE_METHOD(fixture, "requests that no one has looked at end with the remote actor") {
  auto asked = std::make_shared<std::atomic<bool>>(false);
  auto go_on = std::make_shared<std::atomic<bool>>(false);
  auto sleeper
    = near.connect(far.publish(far.spawn([=](caf::event_based_actor* me) -> caf::behavior {
        return {
          [=](caf::idle_atom) {
            *asked = true;
            std::ignore = eventually([&] { return go_on->load(); });
            me->quit();
          },
          [](std::string& x) { return std::move(x); },
        };
      })));
  send(self, sleeper, caf::idle_atom_v);
  REQUIRE(eventually([&] { return asked->load(); }));
  auto handle = request(self, sleeper, 1h, "hello"s);
  REQUIRE(eventually([&] { return far.net().statistics().messages_received == 2; }));
  *go_on = true;
  caf::error reason;
  std::move(handle).receive([](const std::string&) { FAIL("answered"); },
                            [&](caf::error& x) { reason = std::move(x); });
  CHECK(reason == caf::sec::request_receiver_down);
}
