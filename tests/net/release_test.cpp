// This file is part of cafwire. See the file LICENSE for license terms.

// How long actors live for the sake of their peers, and what peers keep of them.

#include "net/node.hpp"
#include "net/raw_peer.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::detail::link_op;
using cafwire::detail::record_head;

namespace {

using flag = std::shared_ptr<std::atomic<bool>>;

flag make_flag() {
  return std::make_shared<std::atomic<bool>>(false);
}

/// Starts actors that nobody on its node keeps.
caf::behavior factory(caf::event_based_actor* self, const flag& ended) {
  auto latest = std::make_shared<caf::actor_addr>();
  auto start = [=] {
    auto result = self->spawn(server);
    result->attach_functor([=] { *ended = true; });
    *latest = result.address();
    return result;
  };
  return {
    [=](caf::get_atom) { return start(); },
    [=](caf::get_atom, caf::contact_atom) {
      handles xs;
      xs.one = start();
      xs.address = xs.one.address();
      xs.many = {xs.one, xs.one};
      return xs;
    },
    [=](caf::close_atom) {
      if (auto actor = caf::actor_cast<caf::actor>(*latest))
        self->send_exit(actor, caf::error{weather::snow});
    },
  };
}

struct fixture {
  flag ended = make_flag();
  node near;
  node far;
  caf::actor local = far.spawn(factory, ended);
  uint16_t port = far.publish(local);
  caf::actor remote = near.connect(port);
  caf::scoped_actor& self = near.self;

  caf::actor hidden() {
    auto result = ask<caf::actor>(self, remote, caf::get_atom_v);
    REQUIRE(result);
    return *result;
  }

  // Each node also has an actor that offers services to its peer.
  size_t exports_of(node& x) {
    return x.net().statistics().exported_actors;
  }

  size_t proxies_of(node& x) {
    return x.net().statistics().remote_actors;
  }
};

/// Longer than it takes until unused handles are noticed, on a link that is silent.
constexpr auto longer = 6s;

std::vector<std::byte> record(link_op op, uint64_t target) {
  cafwire::output_buffer out;
  record_head head;
  head.op = op;
  head.target = target;
  REQUIRE(cafwire::detail::write_record_head(out, head));
  auto all = out.bytes();
  return {all.begin(), all.end()};
}

std::vector<std::byte> release_record(uint64_t target, uint64_t seen) {
  auto result = record(link_op::release, target);
  std::byte number[cafwire::max_varint_size];
  result.insert(result.end(), number, cafwire::write_varint(number, seen));
  return result;
}

} // namespace

TEST_CASE_METHOD(fixture, "an actor lives as long as a peer has a handle, and no longer") {
  auto handle = hidden();
  std::this_thread::sleep_for(longer);
  CHECK_FALSE(*ended);
  CHECK(ask<std::string>(self, handle, "hello"s) == "hello"s);
  handle = nullptr;
  CHECK(eventually([&] { return ended->load(); }));
  CHECK(eventually([&] { return exports_of(far) == 2 && proxies_of(near) == 2; }));
}

TEST_CASE_METHOD(fixture, "an address keeps its actor in reach") {
  caf::actor_addr address = hidden().address();
  std::this_thread::sleep_for(longer);
  auto handle = caf::actor_cast<caf::actor>(address);
  REQUIRE(handle);
  CHECK(ask<std::string>(self, handle, "hello"s) == "hello"s);
  handle = nullptr;
  address = nullptr;
  CHECK(eventually([&] { return ended->load(); }));
}

TEST_CASE_METHOD(fixture, "whoever observes an actor learns of its end without a handle to it") {
  {
    auto handle = hidden();
    self->monitor(handle);
  }
  std::this_thread::sleep_for(longer);
  CHECK_FALSE(*ended);
  send(self, remote, caf::close_atom_v);
  self->receive([](const caf::down_msg& x) { CHECK(x.reason == weather::snow); },
                caf::after(patience) >> [] { FAIL("no message"); });
}

TEST_CASE_METHOD(fixture, "linked actors stay in reach of each other") {
  auto linked = near.spawn([handle = hidden()](caf::event_based_actor* me) mutable {
    me->link_to(handle);
    handle = nullptr;
    return caf::behavior{
      [](caf::ok_atom) { return caf::ok_atom_v; },
      [me](caf::close_atom) { me->quit(caf::make_error(weather::rain)); },
    };
  });
  REQUIRE(ask<caf::ok_atom>(self, linked, caf::ok_atom_v));
  std::this_thread::sleep_for(longer);
  CHECK_FALSE(*ended);
  send(self, linked, caf::close_atom_v);
  CHECK(eventually([&] { return ended->load(); }));
}

TEST_CASE_METHOD(fixture, "having sent a message does not keep an actor alive") {
  auto gone = make_flag();
  {
    auto sender = near.spawn([gone, target = remote](caf::event_based_actor* me) -> caf::behavior {
      me->attach_functor([gone] { *gone = true; });
      return {[me, target](caf::ok_atom) { send(me, target, caf::get_atom_v); },
              [](const caf::actor&) {}};
    });
    send(self, sender, caf::ok_atom_v);
  }
  CHECK(eventually([&] { return gone->load(); }));
  CHECK(eventually([&] { return exports_of(near) == 1 && proxies_of(far) == 1; }));
  // So does the answer that came too late.
  CHECK(eventually([&] { return ended->load(); }));
}

TEST_CASE_METHOD(fixture, "handles come and go without end, and nothing of them stays") {
  for (auto i = 0; i < 3000; ++i) {
    auto xs = ask<handles>(self, remote, caf::get_atom_v, caf::contact_atom_v);
    REQUIRE(xs);
    REQUIRE(ask<std::string>(self, xs->many[1], "hello"s) == "hello"s);
  }
  CHECK(eventually([&] { return proxies_of(near) == 2 && exports_of(far) == 2; }));
}

TEST_CASE_METHOD(fixture, "a handle that is sent while its peer lets go of it works") {
  // One actor, again and again: releases cross with new mentions.
  auto kept = far.spawn(server);
  auto source
    = far.spawn([kept]() -> caf::behavior { return {[kept](caf::get_atom) { return kept; }}; });
  auto remote_source = near.connect(far.publish(source));
  auto deadline = std::chrono::steady_clock::now() + 5s;
  auto rounds = 0;
  while (std::chrono::steady_clock::now() < deadline) {
    auto handle = ask<caf::actor>(self, remote_source, caf::get_atom_v);
    REQUIRE(handle);
    REQUIRE(ask<std::string>(self, *handle, "hello"s) == "hello"s);
    ++rounds;
  }
  CHECK(rounds > 100);
}

TEST_CASE("a release counts if the peer has seen all that mentions the actor") {
  node far;
  auto local = far.spawn(server);
  auto port = far.publish(local);
  raw_peer peer{port};
  auto exports = [&] { return far.net().statistics().exported_actors; };
  auto barrier = [&](size_t messages) {
    return eventually([&] { return far.net().statistics().messages_received == messages; });
  };
  auto tick = caf::make_message(caf::tick_atom_v);
  // The published actor, and the one that offers services.
  REQUIRE(eventually([&] { return exports() == 2; }));
  SECTION("the published actor, which nothing has mentioned since") {
    peer.send_body(release_record(local.id(), 0));
    CHECK(eventually([&] { return exports() == 1; }));
    peer.send_body(peer.message_record(tick));
    CHECK(eventually([&] { return far.net().statistics().undeliverable == 1; }));
  }
  SECTION("an actor that has answered meanwhile") {
    // The server asks for the end of actor 7 in its first record, and answers in its second one.
    auto id = caf::make_message_id(uint64_t{1});
    peer.send_body(peer.message_record(caf::make_message(caf::get_atom_v), 7, id));
    REQUIRE(eventually([&] { return far.net().statistics().messages_sent == 1; }));
    peer.send_body(release_record(local.id(), 1));
    peer.send_body(peer.message_record(tick));
    REQUIRE(barrier(2));
    CHECK(exports() == 2);
    peer.send_body(release_record(local.id(), 2));
    CHECK(eventually([&] { return exports() == 1; }));
  }
  SECTION("all actors that the peer does not know") {
    peer.send_body(release_record(0, 1));
    CHECK(eventually([&] { return exports() == 0; }));
  }
  SECTION("all actors that the peer does not know, but it knows one of them") {
    peer.send_body(record(link_op::monitor, local.id()));
    peer.send_body(release_record(0, 1));
    CHECK(eventually([&] { return exports() == 1; }));
    peer.send_body(peer.message_record(tick));
    REQUIRE(barrier(1));
  }
  SECTION("an actor that was never mentioned, and one of a third node") {
    peer.send_body(release_record(12345, 0));
    peer.send_body(release_record(12345 | cafwire::detail::relayed_bit, 99));
    peer.send_body(peer.message_record(tick));
    REQUIRE(barrier(1));
    CHECK(exports() == 2);
  }
  CHECK(ask<std::string>(far.self, local, "alive"s) == "alive"s);
}

TEST_CASE_METHOD(fixture, "what a message mentions that cannot be sent does not stay") {
  auto gone = make_flag();
  auto before = exports_of(near);
  {
    auto mine = near.spawn(server);
    mine->attach_functor([gone] { *gone = true; });
    CHECK(ask_in_vain(self, remote, mine, stranger{1}) == cafwire::ec::unregistered_type);
  }
  CHECK(eventually([&] { return gone->load(); }));
  // The requester itself has not been mentioned either.
  CHECK(exports_of(near) == before);
}

TEST_CASE_METHOD(fixture, "what a message mentions that cannot be decoded does not stay") {
  auto gone = make_flag();
  {
    auto mine = near.spawn(server);
    mine->attach_functor([gone] { *gone = true; });
    // The reader stops before it comes to the handle.
    CHECK(ask_in_vain(self, remote, positive{-1}, mine) == cafwire::ec::invariant_failed);
  }
  CHECK(eventually([&] { return gone->load(); }));
  CHECK(ask_in_vain(self, remote, positive{-1}) == cafwire::ec::invariant_failed);
  // What the peer knows already stays known.
  auto handle = hidden();
  CHECK(ask<std::string>(self, handle, "hello"s) == "hello"s);
}

TEST_CASE("a peer makes us know so many actors, and no more") {
  cafwire::link_options options;
  options.bounds.max_remote_actors = 16;
  node far{options};
  auto local = far.spawn(server);
  auto port = far.publish(local);
  raw_peer peer{port};
  SECTION("senders that nobody remembers come and go") {
    // Each message in a mailbox holds its sender.
    for (int32_t i = 1; i <= 1000; ++i) {
      peer.send_body(
        peer.message_record(caf::make_message(caf::tick_atom_v), static_cast<uint64_t>(i)));
      if (i % 8 == 0)
        REQUIRE(eventually([&] { return ask<int32_t>(far.self, local, caf::get_atom_v) == i; }));
    }
    CHECK(far.net().statistics().remote_actors <= 16);
  }
  SECTION("requesters that wait for an answer count") {
    for (uint64_t i = 1; i <= 17; ++i)
      peer.send_body(peer.message_record(caf::make_message(caf::pending_atom_v), i,
                                         caf::make_message_id(uint64_t{1})));
    CHECK(peer.is_cut_off());
  }
  SECTION("as many as allowed are fine") {
    for (uint64_t i = 1; i <= 16; ++i)
      peer.send_body(peer.message_record(caf::make_message(caf::pending_atom_v), i,
                                         caf::make_message_id(uint64_t{1})));
    CHECK(eventually([&] { return far.net().statistics().messages_received == 16; }));
    CHECK(far.net().statistics().remote_actors == 16);
  }
  // It owes answers, and hence holds itself.
  send_anonymously(local, caf::close_atom_v);
}
