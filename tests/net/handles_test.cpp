// This file is part of cafwire. See the file LICENSE for license terms.

#include "net/node.hpp"
#include "net/server.hpp"

#include <caf/actor_cast.hpp>

#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

namespace {

/// Keeps a handle, gives it back, and sends to it.
caf::behavior keeper(caf::event_based_actor* self) {
  auto kept = std::make_shared<caf::actor>();
  return {
    [=](caf::put_atom, const caf::actor& x) { *kept = x; },
    [=](caf::get_atom) { return *kept; },
    [=](caf::ping_atom) { send(self, *kept, caf::pong_atom_v, caf::actor_cast<caf::actor>(self)); },
    [=](caf::redirect_atom, std::string& x) { return delegate(self, *kept, std::move(x)); },
    [](caf::contact_atom, handles& xs) { return std::move(xs); },
    [](caf::contact_atom, adder& x) { return std::move(x); },
    [=](caf::close_atom) {
      *kept = nullptr;
      self->quit();
    },
  };
}

struct fixture {
  node near;
  node far;
  caf::actor local = far.spawn(keeper);
  uint16_t port = far.publish(local);
  caf::actor remote = near.connect(port);
  caf::scoped_actor& self = near.self;

  ~fixture() {
    // It may hold itself.
    send_anonymously(local, caf::close_atom_v);
  }
};

} // namespace

TEST_CASE_METHOD(fixture, "a remote handle tells where its actor lives") {
  CHECK(remote.node() == far.sys().node());
  CHECK(remote.id() == local.id());
  CHECK(near.sys().node() != far.sys().node());
}

TEST_CASE_METHOD(fixture, "the handle of an actor comes home as itself") {
  auto callee = near.spawn(server);
  REQUIRE(ask_in_vain(self, remote, caf::put_atom_v, callee).empty());
  auto home = ask<caf::actor>(self, remote, caf::get_atom_v);
  REQUIRE(home);
  CHECK(*home == callee);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(*home)
        == caf::actor_cast<caf::strong_actor_ptr>(callee));
  CHECK(ask<std::string>(self, *home, "local"s) == "local"s);
}

TEST_CASE_METHOD(fixture, "the handle of a remote actor comes home as itself") {
  REQUIRE(ask_in_vain(self, remote, caf::put_atom_v, remote).empty());
  auto own = ask<caf::actor>(far.self, local, caf::get_atom_v);
  REQUIRE(own);
  CHECK(*own == local);
  CHECK(caf::actor_cast<caf::strong_actor_ptr>(*own)
        == caf::actor_cast<caf::strong_actor_ptr>(local));
  auto back = ask<caf::actor>(self, remote, caf::get_atom_v);
  REQUIRE(back);
  CHECK(*back == remote);
}

TEST_CASE_METHOD(fixture, "an actor that was never published is reached by its handle") {
  auto hidden = far.spawn(server);
  send_anonymously(local, caf::put_atom_v, hidden);
  auto found = ask<caf::actor>(self, remote, caf::get_atom_v);
  REQUIRE(found);
  CHECK(found->node() == far.sys().node());
  CHECK(found->id() == hidden.id());
  CHECK(ask<std::string>(self, *found, "hi"s) == "hi"s);
}

TEST_CASE_METHOD(fixture, "the actor of the requester is called back") {
  send(self, remote, caf::put_atom_v, caf::actor_cast<caf::actor>(self.ptr()));
  send(self, remote, caf::ping_atom_v);
  auto called = false;
  self->receive(
    [&](caf::pong_atom, const caf::actor& x) {
      called = true;
      CHECK(x == remote);
      CHECK(self->current_sender() == remote);
    },
    caf::after(patience) >> [] { FAIL("no call"); });
  CHECK(called);
}

TEST_CASE_METHOD(fixture, "all kinds of handles travel both ways") {
  auto mine = near.spawn(server);
  handles xs;
  SECTION("when they are empty") {
    // nop
  }
  SECTION("when they are set") {
    xs.one = mine;
    xs.maybe = remote;
    xs.address = mine.address();
    xs.pointer = caf::actor_cast<caf::strong_actor_ptr>(remote);
    xs.many = {mine, remote, caf::actor{}, mine};
  }
  SECTION("when an optional handle is there but empty") {
    xs.maybe = caf::actor{};
  }
  auto ys = ask<handles>(self, remote, caf::contact_atom_v, xs);
  REQUIRE(ys);
  CHECK(ys->one == xs.one);
  CHECK(ys->maybe == xs.maybe);
  CHECK(ys->address == xs.address);
  CHECK(ys->pointer == xs.pointer);
  CHECK(ys->many == xs.many);
}

TEST_CASE_METHOD(fixture, "typed handles travel in messages") {
  auto mine = near.spawn([]() -> adder::behavior_type {
    return {
      [](caf::add_atom, int32_t x, int32_t y) { return x + y; },
    };
  });
  auto home = ask<adder>(self, remote, caf::contact_atom_v, mine);
  REQUIRE(home);
  CHECK(*home == mine);
}

TEST_CASE_METHOD(fixture, "a handle goes through the link of another port of its node") {
  auto second = far.spawn(keeper); // holds no handle to itself
  auto remote_second = near.connect(far.publish(second));
  REQUIRE(ask_in_vain(self, remote_second, caf::put_atom_v, remote).empty());
  auto own = ask<caf::actor>(far.self, second, caf::get_atom_v);
  REQUIRE(own);
  CHECK(*own == local);
  auto back = ask<caf::actor>(self, remote_second, caf::get_atom_v);
  REQUIRE(back);
  CHECK(*back == remote);
}

TEST_CASE_METHOD(fixture, "a request that is delegated to the node of its sender is answered") {
  auto callee = near.spawn(server);
  REQUIRE(ask_in_vain(self, remote, caf::put_atom_v, callee).empty());
  for (auto i = 0; i < 3; ++i)
    CHECK(ask<std::string>(self, remote, caf::redirect_atom_v, "hello"s) == "hello"s);
}

TEST_CASE_METHOD(fixture, "a delegated request outlives the actor that delegated it") {
  auto may_answer = std::make_shared<std::atomic<bool>>(false);
  auto slow = far.spawn([=]() -> caf::behavior {
    return {
      [=](std::string& x) {
        std::ignore = eventually([&] { return may_answer->load(); });
        return std::move(x);
      },
    };
  });
  send_anonymously(local, caf::put_atom_v, slow);
  self->monitor(remote);
  auto handle = request(self, remote, patience, caf::redirect_atom_v, "hello"s);
  send_anonymously(remote, caf::close_atom_v);
  self->receive([&](const caf::down_msg& x) { CHECK(x.source == remote.address()); },
                caf::after(patience) >> [] { FAIL("no message"); });
  *may_answer = true;
  std::string answer;
  std::move(handle).receive([&](std::string& x) { answer = std::move(x); },
                            [](const caf::error& x) { FAIL(to_string(x)); });
  CHECK(answer == "hello");
}
