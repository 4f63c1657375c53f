// This file is part of cafwire. See the file LICENSE for license terms.

// Which actors a peer may talk to: what records mention, what becomes of records that are not sent,
// and numbers of actors of third nodes that several records have got at a time.

#include "cafwire/link/export_table.hpp"

#include "net/catch.hpp"
#include "net/node.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>

using namespace net_test;

using cafwire::detail::export_table;
using cafwire::detail::relayed_bit;

namespace {

struct fixture {
  node here;
  caf::strong_actor_ptr one = start();
  caf::strong_actor_ptr two = start();
  export_table table;

  caf::strong_actor_ptr start() {
    return caf::actor_cast<caf::strong_actor_ptr>(here.spawn(server));
  }

  /// Sends a record that mentions an actor.
  void send(uint64_t key, const caf::strong_actor_ptr& actor, uint64_t record) {
    table.mention(key, actor);
    table.commit(record);
  }

  /// Writes a record that mentions an actor, and cannot send it.
  void fail(uint64_t key, const caf::strong_actor_ptr& actor) {
    table.mention(key, actor);
    auto dropped = table.roll_back();
    REQUIRE(dropped.size() == 1);
    CHECK(dropped[0].second == actor);
  }
};

} // namespace

TEST_CASE_METHOD(fixture, "an actor is known from the record on that mentions it") {
  table.mention(one->id(), one);
  CHECK(table.find(one->id()) == nullptr);
  table.commit(1);
  CHECK(table.find(one->id()) == one);
  fail(two->id(), two);
  CHECK(table.find(two->id()) == nullptr);
  // A record that fails takes nothing back of those before it.
  fail(one->id(), one);
  CHECK(table.find(one->id()) == one);
  CHECK(table.size() == 1);
  CHECK(table.clear().size() == 1);
  CHECK(table.size() == 0);
}

TEST_CASE_METHOD(fixture, "an actor is let go of when the peer has seen all that mentions it") {
  send(one->id(), one, 1);
  send(one->id(), one, 5);
  CHECK(table.release(one->id(), 4).handle == nullptr);
  CHECK(table.release(two->id(), 9).handle == nullptr);
  CHECK(table.find(one->id()) == one);
  CHECK(table.release(one->id(), 5).handle == one);
  CHECK(table.find(one->id()) == nullptr);
}

TEST_CASE_METHOD(fixture, "actors that the peer could not read about are let go of") {
  send(one->id(), one, 1);
  send(two->id(), two, 2);
  CHECK(table.monitor(one->id()));
  CHECK_FALSE(table.monitor(one->id()));
  CHECK(table.release_unknown(1).empty());
  auto gone = table.release_unknown(2);
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].handle == two);
  CHECK_FALSE(gone[0].monitored);
  send(two->id(), two, 2);
  CHECK(table.release_unknown(2).empty()); // nothing new since the last time
  CHECK(table.erase(one->id()).monitored);
}

TEST_CASE_METHOD(fixture, "an actor of a third node keeps its number while somebody needs it") {
  auto key = table.relay_key(one);
  CHECK((key & relayed_bit) != 0);
  CHECK(table.relay_key(one) == key);
  CHECK(table.relay_key(two) != key);
  SECTION("no record has been sent") {
    fail(key, one);
    CHECK(table.relay_key(one) != key);
  }
  SECTION("a record has been sent") {
    send(key, one, 1);
    fail(key, one);
    CHECK(table.relay_key(one) == key);
    CHECK(table.release(key, 1).handle == one);
    CHECK(table.relay_key(one) != key);
  }
  SECTION("the table has been cleared") {
    send(key, one, 1);
    CHECK(table.clear().size() == 1);
    CHECK(table.relay_key(one) != key);
  }
}

TEST_CASE_METHOD(fixture, "a number stays good for a record that is still being written") {
  // That record is encoded apart, so others come in between.
  auto key = table.relay_key(one);
  SECTION("another one with the number fails") {
    fail(table.relay_key(one), one);
    SECTION("and nothing else happens") {
      send(key, one, 2);
      CHECK(table.relay_key(one) == key);
    }
    SECTION("and a third one gets another number") {
      auto other = table.relay_key(one);
      CHECK(other != key);
      send(other, one, 2);
      send(key, one, 3);
      CHECK(table.find(key) == one);
      CHECK(table.find(other) == one);
      // The end of one number is not that of the other one.
      CHECK(table.release(key, 3).handle == one);
      CHECK(table.find(other) == one);
      CHECK(table.relay_key(one) == other);
      CHECK(table.release(other, 3).handle == one);
    }
    SECTION("and a third one fails with another number") {
      auto other = table.relay_key(one);
      send(key, one, 2);
      fail(other, one);
      CHECK(table.find(key) == one);
      CHECK(table.find(other) == nullptr);
    }
  }
  SECTION("another one with the number is sent, and the peer lets go of the actor") {
    send(key, one, 1);
    CHECK(table.release(key, 1).handle == one);
    CHECK(table.find(key) == nullptr);
    send(key, one, 2);
    CHECK(table.find(key) == one);
    CHECK(table.relay_key(one) == key);
    CHECK(table.release(key, 1).handle == nullptr);
    CHECK(table.release(key, 2).handle == one);
  }
}
