// This file is part of cafwire. See the file LICENSE for license terms.

// Links between two processes, whose types are the same or not.

#include "net/node.hpp"
#include "net/peer_process.hpp"
#include "net/server.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

struct fixture {
  explicit fixture(const char* program) : peer{program} {
    // nop
  }

  peer_process peer;
  node near;
  caf::actor remote = near.connect(peer.port());
  caf::scoped_actor& self = near.self;

  uint64_t decode_errors_of_peer() {
    auto result = ask<uint64_t>(self, remote, caf::get_atom_v);
    REQUIRE(result);
    return *result;
  }
};

struct same_types : fixture {
  same_types() : fixture{"same_types"} {
    // nop
  }
};

struct other_types : fixture {
  other_types() : fixture{"other_types"} {
    // nop
  }
};

} // namespace

TEST_CASE_METHOD(same_types, "processes with the same types need no definitions of them") {
  CHECK(ask<std::string>(self, remote, point{1, 2, 3}) == "point 1 2 3"s);
  CHECK(ask<std::string>(self, remote, color{4, 5, 6}) == "color 4 5 6"s);
  // One for each list of types, none for the types.
  CHECK(near.net().statistics().definitions_sent == 2);
  CHECK(peer.stop() == 0);
}

TEST_CASE_METHOD(same_types, "handles work between processes") {
  auto callee = near.spawn(server);
  REQUIRE(ask_in_vain(self, remote, caf::put_atom_v, callee).empty());
  auto home = ask<caf::actor>(self, remote, caf::get_atom_v, caf::contact_atom_v);
  REQUIRE(home);
  CHECK(*home == callee);
  CHECK(ask<point>(self, remote, caf::redirect_atom_v, point{1, 2, 3}) == point{1, 2, 3});
}

TEST_CASE_METHOD(same_types, "the reason of an end reaches another process") {
  self->monitor(remote);
  send(self, remote, caf::close_atom_v, caf::make_error(weather::snow, "a lot"s));
  caf::error reason;
  self->receive([&](caf::down_msg& x) { reason = std::move(x.reason); },
                caf::after(patience) >> [] { FAIL("no message"); });
  CHECK(reason == caf::make_error(weather::snow, "a lot"s));
}

TEST_CASE_METHOD(same_types, "a process that is killed takes its actors with it") {
  self->monitor(remote);
  auto start = std::chrono::steady_clock::now();
  auto handle = request(self, remote, 1h, caf::pending_atom_v);
  REQUIRE(ask<std::string>(self, remote, "hello"s) == "hello"s);
  peer.kill();
  caf::error reason;
  std::move(handle).receive([](int32_t) { FAIL("answered"); },
                            [&](caf::error& x) { reason = std::move(x); });
  CHECK(reason == caf::sec::request_receiver_down);
  auto down = false;
  self->receive(
    [&](const caf::down_msg& x) {
      down = true;
      CHECK(x.reason == caf::exit_reason::remote_link_unreachable);
    },
    caf::after(patience) >> [] { FAIL("no message"); });
  CHECK(down);
  CHECK(std::chrono::steady_clock::now() - start < patience);
}

TEST_CASE_METHOD(same_types, "a process that ends properly has delivered all of its messages") {
  for (auto i = 0; i < 1000; ++i)
    send(self, remote, color{i, i, i});
  REQUIRE(ask<std::string>(self, remote, "hello"s) == "hello"s);
  CHECK(peer.stop() == 0);
  // The answers to messages are messages for their sender.
  for (auto i = 0; i < 1000; ++i)
    self->receive([](const std::string&) {}, caf::after(patience) >> [] { FAIL("no message"); });
}

TEST_CASE_METHOD(other_types, "messages arrive by the names of their types, not by their IDs") {
  for (auto i = 0; i < 3; ++i) {
    CHECK(ask<std::string>(self, remote, point{1, 2, 3}) == "point 1 2 3"s);
    CHECK(ask<std::string>(self, remote, color{4, 5, 6}) == "color 4 5 6"s);
    CHECK(ask<std::string>(self, remote, chart{"wind", {1, 2}, {}}) == "chart wind 2"s);
    CHECK(ask<color>(self, remote, caf::get_atom_v, 3) == color{1, 2, 3});
  }
  CHECK(decode_errors_of_peer() == 0);
  CHECK(near.net().statistics().decode_errors == 0);
  // Each type and each list of types was defined once: three types, their lists, and the two lists
  // of the questions.
  CHECK(near.net().statistics().definitions_sent == 3 + 3 + 2);
  CHECK(peer.stop() == 0);
}

TEST_CASE_METHOD(other_types, "a type that the receiver does not know is an error with its name") {
  for (auto i = 0; i < 2; ++i) {
    auto reason = ask_in_vain(self, remote, only_here{1});
    CHECK(reason == ec::unknown_type);
    CHECK(to_string(reason).find("net_test::only_here") != std::string::npos);
  }
  CHECK(decode_errors_of_peer() == 2);
  SECTION("and counted if nobody waits for an answer") {
    send_anonymously(remote, only_here{2});
    send(self, remote, only_here{3});
    CHECK(decode_errors_of_peer() == 4);
  }
  SECTION("inside of another message, too") {
    auto inner = ask_in_vain(self, remote, caf::join_atom_v, caf::make_message(only_here{1}));
    CHECK(inner == ec::unknown_type);
    CHECK(to_string(inner).find("net_test::only_here") != std::string::npos);
  }
  CHECK(ask<std::string>(self, remote, "still here"s) == "still here"s);
}

TEST_CASE_METHOD(other_types, "a type that the requester does not know ends its request") {
  for (auto i = 0; i < 2; ++i) {
    auto reason = ask_in_vain(self, remote, caf::get_atom_v, i);
    CHECK(reason == ec::unknown_type);
    CHECK(to_string(reason).find("net_test::only_there") != std::string::npos);
  }
  CHECK(near.net().statistics().decode_errors == 2);
  CHECK(ask<std::string>(self, remote, "still here"s) == "still here"s);
}

TEST_CASE_METHOD(other_types, "an error of an unknown enum keeps its name and number") {
  auto reason = ask_in_vain(self, remote, caf::get_atom_v, 2);
  CHECK(reason == ec::foreign_error);
  CHECK(to_string(reason).find("net_test::mood(7)") != std::string::npos);
}

TEST_CASE_METHOD(other_types, "the end of an actor has a reason even if its enum is unknown") {
  self->monitor(remote);
  // An enum that this side knows and the other one does not.
  auto reason = ask_in_vain(self, remote, caf::close_atom_v, caf::make_error(weather::snow));
  caf::error down;
  self->receive([&](caf::down_msg& x) { down = std::move(x.reason); },
                caf::after(patience) >> [] { FAIL("no message"); });
  CHECK(down == ec::foreign_error);
  CHECK(to_string(down).find("net_test::weather(2)") != std::string::npos);
}

TEST_CASE_METHOD(other_types, "a type that cannot be converted is an error with its name") {
  auto reason = ask_in_vain(self, remote, changed{1});
  CHECK(reason == ec::schema_mismatch);
  CHECK(to_string(reason).find("net_test::changed") != std::string::npos);
  auto answer = ask_in_vain(self, remote, caf::get_atom_v, 4);
  CHECK(answer == ec::schema_mismatch);
  CHECK(to_string(answer).find("net_test::changed.first: seq(c8) there, i32 here")
        != std::string::npos);
  CHECK(ask<std::string>(self, remote, "still here"s) == "still here"s);
}

TEST_CASE_METHOD(other_types, "other versions of a type are understood in both directions") {
  for (auto i = 0; i < 3; ++i) {
    evolved x;
    x.id = i;
    CHECK(ask<std::string>(self, remote, x) == "evolved " + std::to_string(i) + " 2.500000");
  }
  auto answer = ask<evolved>(self, remote, caf::get_atom_v, 5);
  REQUIRE(answer);
  CHECK(answer->id == 9);
  CHECK(answer->note == "none");
  auto reason = ask_in_vain(self, remote, caf::get_atom_v, 6);
  CHECK(reason == ec::value_not_representable);
  CHECK(to_string(reason).find("net_test::evolved.id: a value of i64") != std::string::npos);
}

TEST_CASE("a link tells once how a type of its peer differs") {
  std::mutex mutex;
  std::vector<cafwire::type_difference> seen;
  cafwire::link_options options;
  options.on_difference = [&](const cafwire::type_difference& x) {
    std::lock_guard guard{mutex};
    seen.push_back(x);
  };
  peer_process peer{"other_types"};
  node near{options};
  auto remote = near.connect(peer.port());
  CHECK(ask<std::string>(near.self, remote, "hello"s) == "hello"s);
  CHECK(seen.empty());
  for (auto i = 0; i < 2; ++i) {
    REQUIRE(ask<evolved>(near.self, remote, caf::get_atom_v, 5));
    CHECK(ask_in_vain(near.self, remote, caf::get_atom_v, 4) == ec::schema_mismatch);
  }
  std::lock_guard guard{mutex};
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].name == "net_test::evolved");
  CHECK(seen[0].problem.empty());
  CHECK(std::find(seen[0].lines.begin(), seen[0].lines.end(),
                  "net_test::evolved.id: i64 there, i32 here")
        != seen[0].lines.end());
  CHECK(seen[1].name == "net_test::changed");
  CHECK(seen[1].problem.find("seq(c8) there, i32 here") != std::string::npos);
}

TEST_CASE_METHOD(other_types,
                 "a value that its reader refuses is an error between processes, too") {
  CHECK(ask_in_vain(self, remote, positive{-1}) == ec::invariant_failed);
  CHECK(ask<std::string>(self, remote, positive{1}) == "positive 1"s);
  CHECK(decode_errors_of_peer() == 1);
}
