// This file is part of cafwire. See the file LICENSE for license terms.

#include "net/node.hpp"
#include "net/server.hpp"

#include <caf/response_promise.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

/// Two nodes, the second of which knows the server on the first.
struct fixture {
  node near;
  node far;
  caf::actor local = far.spawn(server);
  uint16_t port = far.publish(local);
  caf::actor remote = near.connect(port);
  caf::scoped_actor& self = near.self;
};

/// Checks that `x` counts up for each `y`.
struct order {
  std::map<int32_t, int32_t> next;
  int32_t total = 0;
  bool kept = true;

  void add(const point& p) {
    kept = kept && next[p.y] == p.x;
    next[p.y] = p.x + 1;
    ++total;
  }
};

caf::behavior order_checker(caf::event_based_actor*) {
  auto seen = std::make_shared<order>();
  return {
    [seen](const point& p) { seen->add(p); },
    [seen](caf::get_atom) { return caf::make_message(seen->total, seen->kept); },
  };
}

struct order_report {
  int32_t total = -1;
  bool kept = false;
};

order_report order_of(caf::scoped_actor& self, const caf::actor& checker) {
  order_report result;
  request(self, checker, patience, caf::get_atom_v)
    .receive(
      [&](int32_t total, bool kept) {
        result = {total, kept};
      },
      [](const caf::error& x) { FAIL(to_string(x)); });
  return result;
}

} // namespace

TEST_CASE("messages of one sender arrive once and in order") {
  node near;
  node far;
  auto remote = near.connect(far.publish(far.spawn(order_checker)));
  constexpr int32_t count = 100'000;
  for (int32_t i = 0; i < count; ++i)
    send(near.self, remote, point{i, 0, 0});
  auto seen = order_of(near.self, remote);
  CHECK(seen.total == count);
  CHECK(seen.kept);
  auto sent = near.net().statistics();
  // The request for the report, too.
  CHECK(sent.messages_sent == count + 1);
  CHECK(sent.encode_errors == 0);
  // Lone frames would mean that nothing was batched.
  CHECK(sent.frames_sent < sent.messages_sent);
  auto received = far.net().statistics();
  CHECK(received.messages_received == sent.messages_sent);
  CHECK(received.bytes_received <= sent.bytes_sent);
  CHECK(received.decode_errors == 0);
}

TEST_CASE("several senders share a link and each keeps its order") {
  node near;
  node far;
  auto remote = near.connect(far.publish(far.spawn(order_checker)));
  constexpr int32_t senders = 8;
  constexpr int32_t count = 5'000;
  for (int32_t sender = 0; sender < senders; ++sender)
    near.spawn([=](caf::event_based_actor* self) {
      for (int32_t i = 0; i < count; ++i)
        send(self, remote, point{i, sender, 0});
    });
  CHECK(eventually([&] { return order_of(near.self, remote).total == senders * count; }));
  CHECK(order_of(near.self, remote).kept);
}

TEST_CASE("messages flow in both directions at the same time") {
  node near;
  node far;
  auto near_checker = near.spawn(order_checker);
  auto far_checker = far.spawn(order_checker);
  auto to_near = far.connect(near.publish(near_checker));
  auto to_far = near.connect(far.publish(far_checker));
  constexpr int32_t count = 20'000;
  auto sender = [](caf::event_based_actor* self, const caf::actor& target) {
    for (int32_t i = 0; i < count; ++i)
      send(self, target, point{i, 0, 0});
  };
  near.spawn(sender, to_far);
  far.spawn(sender, to_near);
  CHECK(eventually([&] { return order_of(near.self, near_checker).total == count; }));
  CHECK(eventually([&] { return order_of(far.self, far_checker).total == count; }));
  CHECK(order_of(near.self, near_checker).kept);
  CHECK(order_of(far.self, far_checker).kept);
}

TEST_CASE_METHOD(fixture, "requests are answered") {
  SECTION("with a value") {
    CHECK(ask<std::string>(self, remote, "hello"s) == "hello"s);
    CHECK(ask<std::string>(self, remote, ""s) == ""s);
    CHECK(ask<point>(self, remote, point{1, -2, 3}) == point{1, -2, 3});
    auto picture = chart{"rain", {0.5, -0.0, 1e-310, HUGE_VAL}, point{1, 2, 3}};
    CHECK(ask<chart>(self, remote, picture) == picture);
    CHECK(ask<int32_t>(self, remote, caf::div_atom_v, 84, 2) == 42);
  }
  SECTION("with several values") {
    auto called = false;
    request(self, remote, patience, caf::ok_atom_v)
      .receive(
        [&](caf::ok_atom, int32_t x, const std::string& y) {
          called = true;
          CHECK(x == 1);
          CHECK(y == "two");
        },
        [](const caf::error& x) { FAIL(to_string(x)); });
    CHECK(called);
  }
  SECTION("with nothing") {
    auto called = false;
    request(self, remote, patience, caf::tick_atom_v)
      .receive([&] { called = true; }, [](const caf::error& x) { FAIL(to_string(x)); });
    CHECK(called);
    CHECK(ask<int32_t>(self, remote, caf::get_atom_v) == 1);
  }
  SECTION("with an error of CAF") {
    CHECK(ask_in_vain(self, remote, caf::sys_atom_v)
          == caf::make_error(caf::sec::bad_function_call, "no"s));
  }
  SECTION("with an error of the application, details included") {
    CHECK(ask_in_vain(self, remote, caf::div_atom_v, 84, 0)
          == caf::make_error(weather::rain, "division by zero"s, 84));
  }
  SECTION("with an error if nobody expects such a message") {
    CHECK(ask_in_vain(self, remote, color{1, 2, 3}) == caf::sec::unexpected_message);
  }
  SECTION("also if many wait at the same time") {
    constexpr int32_t count = 1'000;
    auto answers = std::make_shared<std::atomic<int32_t>>(0);
    near.spawn([=, remote = remote](caf::event_based_actor* asker) {
      for (int32_t i = 0; i < count; ++i)
        request(asker, remote, patience, point{i, 0, 0}).then([=](const point& x) {
          *answers += x == point{i, 0, 0} ? 1 : 0;
        });
    });
    CHECK(eventually([&] { return *answers == count; }));
  }
}

TEST_CASE_METHOD(fixture, "a request ends when its time is over, and the link goes on") {
  caf::error reason;
  request(self, remote, 50ms, caf::pending_atom_v)
    .receive([](int32_t) { FAIL("answered"); }, [&](caf::error& x) { reason = std::move(x); });
  CHECK(reason == caf::sec::request_timeout);
  // The answer comes too late and must not be taken for that of another request.
  send(self, remote, caf::flush_atom_v);
  CHECK(ask<std::string>(self, remote, "next"s) == "next"s);
}

TEST_CASE_METHOD(fixture, "an answer may take its time") {
  auto answer = int32_t{0};
  auto handle = request(self, remote, patience, caf::pending_atom_v);
  std::this_thread::sleep_for(700ms);
  send_anonymously(remote, caf::flush_atom_v);
  std::move(handle).receive([&](int32_t x) { answer = x; },
                            [](const caf::error& x) { FAIL(to_string(x)); });
  CHECK(answer == 42);
}

TEST_CASE_METHOD(fixture, "an urgent message overtakes others in the mailbox") {
  auto log = std::make_shared<std::string>();
  auto may_go_on = std::make_shared<std::atomic<bool>>(false);
  auto busy = std::make_shared<std::atomic<bool>>(false);
  auto reader = near.connect(far.publish(far.spawn([=](caf::event_based_actor*) -> caf::behavior {
    return {
      [=](caf::idle_atom) {
        *busy = true;
        std::ignore = eventually([&] { return may_go_on->load(); });
      },
      [=](int32_t x) { *log += std::to_string(x) + ' '; },
      [=](caf::get_atom) { return *log; },
    };
  })));
  send(self, reader, caf::idle_atom_v);
  REQUIRE(eventually([&] { return busy->load(); }));
  for (int32_t i = 1; i <= 3; ++i)
    send(self, reader, i);
  send_urgent(self, reader, int32_t{99});
  // All of them are in the mailbox before the reader looks at the first.
  REQUIRE(eventually([&] { return far.net().statistics().messages_received == 5; }));
  *may_go_on = true;
  auto seen = ask<std::string>(self, reader, caf::get_atom_v);
  CHECK(seen == "99 1 2 3 "s);
}

TEST_CASE_METHOD(fixture, "messages travel inside of messages") {
  auto inner = caf::make_message(point{1, 2, 3}, "text"s, caf::make_message(int32_t{7}));
  auto same = [](const caf::message& x) {
    REQUIRE(x.match_elements<point, std::string, caf::message>());
    CHECK(x.get_as<point>(0) == point{1, 2, 3});
    CHECK(x.get_as<std::string>(1) == "text");
    auto& innermost = x.get_as<caf::message>(2);
    REQUIRE(innermost.match_elements<int32_t>());
    CHECK(innermost.get_as<int32_t>(0) == 7);
  };
  SECTION("one") {
    auto answered = false;
    request(self, remote, patience, caf::join_atom_v, inner)
      .receive(
        [&](caf::join_atom, const caf::message& x) {
          answered = true;
          same(x);
        },
        [](const caf::error& x) { FAIL(to_string(x)); });
    CHECK(answered);
  }
  SECTION("many") {
    auto answer = ask<std::vector<caf::message>>(
      self, remote, std::vector<caf::message>{inner, caf::message{}, inner});
    REQUIRE(answer);
    REQUIRE(answer->size() == 3);
    same((*answer)[0]);
    CHECK((*answer)[1].empty());
    same((*answer)[2]);
  }
}

TEST_CASE_METHOD(fixture, "large messages arrive whole") {
  auto size = GENERATE(size_t{1} << 20, size_t{20} << 20);
  SECTION("of bytes") {
    caf::byte_buffer bytes(size);
    for (size_t i = 0; i < size; i += 97)
      bytes[i] = static_cast<cafwire::compat::byte>(i);
    auto answer = ask<caf::byte_buffer>(self, remote, bytes);
    CHECK(error_of(answer).empty());
    REQUIRE(answer);
    CHECK(*answer == bytes);
  }
  SECTION("of numbers in a struct") {
    auto picture = chart{"large", std::vector<double>(size / sizeof(double)), std::nullopt};
    for (size_t i = 0; i < picture.values.size(); ++i)
      picture.values[i] = static_cast<double>(i) / 3;
    auto answer = ask<chart>(self, remote, picture);
    REQUIRE(answer);
    CHECK(*answer == picture);
  }
}

TEST_CASE_METHOD(fixture, "many large messages arrive, with small ones between them") {
  constexpr size_t size = size_t{15} << 20;
  auto bytes = caf::byte_buffer(size, cafwire::compat::byte{0x5a});
  for (auto i = 0; i < 10; ++i) {
    send(self, remote, caf::tick_atom_v);
    auto answer = ask<caf::byte_buffer>(self, remote, bytes);
    REQUIRE(answer);
    REQUIRE(*answer == bytes);
  }
  CHECK(ask<int32_t>(self, remote, caf::get_atom_v) == 10);
}
