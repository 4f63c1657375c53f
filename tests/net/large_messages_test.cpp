// This file is part of cafwire. See the file LICENSE for license terms.

// Large messages, which are encoded apart: others do not wait for them, and nothing else changes.

#include "net/node.hpp"
#include "net/server.hpp"

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

constexpr size_t large = size_t{1} << 20;

/// Answers large messages with what it has got of them.
caf::behavior receiver(caf::event_based_actor* self) {
  return {
    [](const caf::byte_buffer& xs, const chatty&) { return static_cast<uint64_t>(xs.size()); },
    [](const caf::byte_buffer& xs, const stranger&) { return static_cast<uint64_t>(xs.size()); },
    [](std::string& x) { return std::move(x); },
    [](const caf::byte_buffer&, caf::actor& whom, const chatty&) { return std::move(whom); },
    [self](const caf::byte_buffer&, const caf::actor& whom, const chatty&, std::string& text) {
      return delegate(self, whom, std::move(text));
    },
    [self](const caf::actor& whom, std::string& text) {
      return delegate(self, whom, std::move(text));
    },
    [](caf::get_atom, uint64_t size) { return caf::byte_buffer(size); },
  };
}

/// Stops whoever writes a `chatty`, until it is opened or destroyed.
class gate {
public:
  gate() {
    chatty::when_written = [this] {
      ++waiting_;
      opened_.wait();
    };
  }

  ~gate() {
    open();
    chatty::when_written = nullptr;
  }

  void open() {
    if (!std::exchange(is_open_, true))
      open_.set_value();
  }

  size_t waiting() const noexcept {
    return waiting_;
  }

private:
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
  bool is_open_ = false;
  std::atomic<size_t> waiting_{0};
};

struct fixture {
  explicit fixture(cafwire::link_options options = {}) : far{std::move(options)} {
    // nop
  }

  node far;
  node near;
  caf::actor remote = near.connect(far.publish(far.spawn(receiver)));

  /// Sends a request with a large message from a thread of its own.
  template <class... Ts>
  std::future<caf::error> ask_apart(Ts... xs) {
    return std::async(std::launch::async, [this, xs...]() mutable -> caf::error {
      caf::scoped_actor self{near.sys()};
      return error_of(ask<uint64_t>(self, remote, std::move(xs)...));
    });
  }
};

struct narrow_fixture : fixture {
  static cafwire::link_options options() {
    cafwire::link_options result;
    result.bounds.max_frame_bytes = size_t{256} << 10;
    return result;
  }

  narrow_fixture() : fixture{options()} {
    // nop
  }
};

caf::byte_buffer pattern(size_t size, uint32_t seed) {
  caf::byte_buffer result(size);
  for (size_t i = 0; i < size; ++i)
    result[i] = static_cast<caf::byte_buffer::value_type>((seed + i * 31) & 0xff);
  return result;
}

} // namespace

TEST_CASE_METHOD(fixture, "nobody waits while a large message of somebody else is encoded") {
  gate closed;
  auto first = ask_apart(caf::byte_buffer(large), chatty{1});
  REQUIRE(eventually([&] { return closed.waiting() == 1; }));
  // Its encoding does not go on, and everybody else does.
  for (auto i = 0; i < 10; ++i)
    CHECK(ask<std::string>(near.self, remote, "quick"s) == "quick"s);
  // Not even other large messages of the same types wait.
  auto second = ask_apart(caf::byte_buffer(large), chatty{2});
  CHECK(eventually([&] { return closed.waiting() == 2; }));
  CHECK(ask<std::string>(near.self, remote, "quick"s) == "quick"s);
  closed.open();
  CHECK(first.get().empty());
  CHECK(second.get().empty());
}

TEST_CASE_METHOD(fixture, "nobody waits while a large message with handles is encoded") {
  auto local = near.spawn(server);
  gate closed;
  auto ask_apart_for_handle = [&](const caf::actor& whom) {
    return std::async(std::launch::async, [this, whom] {
      caf::scoped_actor self{near.sys()};
      return ask<caf::actor>(self, remote, caf::byte_buffer(large), whom, chatty{1});
    });
  };
  auto first = ask_apart_for_handle(local);
  REQUIRE(eventually([&] { return closed.waiting() == 1; }));
  for (auto i = 0; i < 10; ++i)
    CHECK(ask<std::string>(near.self, remote, "quick"s) == "quick"s);
  // Nor those with handles, of the same actor and of others.
  CHECK(ask<std::string>(near.self, remote, local, "quick"s) == "quick"s);
  auto second = ask_apart_for_handle(remote);
  CHECK(eventually([&] { return closed.waiting() == 2; }));
  CHECK(ask<std::string>(near.self, remote, near.spawn(server), "quick"s) == "quick"s);
  closed.open();
  CHECK(first.get() == local);
  CHECK(second.get() == remote);
  // The handle works after all, and lets the actor live.
  CHECK(ask<std::string>(near.self, remote, local, "still"s) == "still"s);
}

namespace {

/// Sends handles of actors on a third node, to which `near` relays messages.
struct relay_fixture : fixture {
  node third;
  caf::actor target = third.spawn(server);
  caf::actor seen = near.connect(third.publish(target));

  ~relay_fixture() {
    send_anonymously(target, caf::close_atom_v);
  }

  size_t exported() {
    return near.net().statistics().exported_actors;
  }

  /// Has `far` send a text to the actor, from a thread of its own.
  template <class... Ts>
  std::future<caf::expected<std::string>> ask_target_apart(Ts... xs) {
    return std::async(std::launch::async, [this, xs...]() mutable {
      caf::scoped_actor self{near.sys()};
      return ask<std::string>(self, remote, caf::byte_buffer(large), seen, std::move(xs)...);
    });
  }
};

} // namespace

TEST_CASE_METHOD(relay_fixture, "a handle in a large message outlives what others do with it") {
  auto others = exported();
  gate closed;
  auto answer = ask_target_apart(chatty{1}, "large"s);
  REQUIRE(eventually([&] { return closed.waiting() == 1; }));
  SECTION("a small message tells of the actor first") {
    CHECK(ask<std::string>(near.self, remote, seen, "small"s) == "small"s);
  }
  SECTION("a small message tells of it, and the peer lets go of it again") {
    CHECK(ask<std::string>(near.self, remote, seen, "small"s) == "small"s);
    CHECK(eventually([&] { return exported() <= others; }));
  }
  SECTION("a small message with the same handle cannot be sent") {
    CHECK(ask_in_vain(near.self, remote, seen, stranger{}) == ec::unregistered_type);
    CHECK(ask_in_vain(near.self, remote, seen, positive{-1}) == ec::invariant_failed);
  }
  closed.open();
  CHECK(answer.get() == "large"s);
  CHECK(ask<std::string>(near.self, remote, seen, "small"s) == "small"s);
  // All that is left in the end is what was there before.
  CHECK(eventually([&] { return exported() <= others; }));
}

TEST_CASE_METHOD(relay_fixture, "a handle in a large message that fails leaves nothing behind") {
  auto others = exported();
  for (auto i = 0; i < 3; ++i)
    CHECK(ask_target_apart(chatty{1}, positive{-1}).get().error() == ec::invariant_failed);
  CHECK(exported() <= others + 1); // who asks may be known for a while
  CHECK(ask_target_apart(chatty{1}, "works"s).get() == "works"s);
  CHECK(eventually([&] { return exported() <= others; }));
}

TEST_CASE_METHOD(relay_fixture, "a link can end while a large message with handles is encoded") {
  gate closed;
  auto answer = ask_target_apart(chatty{1}, "large"s);
  REQUIRE(eventually([&] { return closed.waiting() == 1; }));
  SECTION("because the other side ends it") {
    far.end_links();
    CHECK(eventually([&] { return near.net().statistics().open_links == 1; }));
  }
  SECTION("because this side ends it") {
    near.end_links();
  }
  SECTION("because the actor of the third node is gone, and with it what it could say") {
    third.end_links();
    CHECK(eventually([&] { return near.net().statistics().open_links == 1; }));
  }
  closed.open();
  CHECK_FALSE(error_of(answer.get()).empty());
}

TEST_CASE_METHOD(relay_fixture, "many send large and small messages with the same handles") {
  auto count = std::make_shared<std::atomic<size_t>>(0);
  auto failed = std::make_shared<std::atomic<size_t>>(0);
  std::vector<std::thread> senders;
  for (auto n = 0; n < 4; ++n)
    senders.emplace_back([&, n] {
      caf::scoped_actor self{near.sys()};
      auto own = near.spawn(server);
      for (auto i = 0; i < 25; ++i) {
        auto& whom = i % 2 == 0 ? seen : own;
        auto text = std::to_string(n * 100 + i);
        auto size = (i + n) % 3 == 0 ? large / 4 : size_t{10};
        auto answer = ask<std::string>(self, remote, caf::byte_buffer(size), whom, chatty{i}, text);
        ++(answer == text ? *count : *failed);
      }
    });
  for (auto& x : senders)
    x.join();
  CHECK(*count == 100);
  CHECK(*failed == 0);
}

TEST_CASE_METHOD(relay_fixture, "actors end with handles in their reasons while others send some") {
  std::atomic<bool> done{false};
  auto busy = std::thread{[&] {
    caf::scoped_actor self{near.sys()};
    while (!done)
      CHECK(ask<std::string>(self, remote, seen, "busy"s) == "busy"s);
  }};
  auto port = near.publish(near.spawn([this](caf::event_based_actor* self) -> caf::behavior {
    return {[this, self](caf::get_atom) -> caf::actor {
      auto mortal = [this](caf::event_based_actor* me) -> caf::behavior {
        return {[this, me](caf::close_atom) { me->quit(caf::make_error(weather::rain, seen)); }};
      };
      return self->spawn(mortal);
    }};
  }));
  auto maker = far.connect(port);
  for (auto i = 0; i < 30; ++i) {
    auto mortal = ask<caf::actor>(far.self, maker, caf::get_atom_v);
    REQUIRE(mortal);
    far.self->monitor(*mortal);
    send(far.self, *mortal, caf::close_atom_v);
    far.self->receive(
      [&](const caf::down_msg& x) {
        CHECK(x.reason == weather::rain);
        REQUIRE(x.reason.context().match_elements<caf::actor>());
        CHECK(x.reason.context().get_as<caf::actor>(0) == seen);
      },
      caf::after(patience) >> [] { FAIL("no message"); });
  }
  done = true;
  busy.join();
}

TEST_CASE_METHOD(fixture, "a link can end while a large message is encoded") {
  gate closed;
  auto answer = ask_apart(caf::byte_buffer(large), chatty{1});
  REQUIRE(eventually([&] { return closed.waiting() == 1; }));
  SECTION("because the other side ends it") {
    far.end_links();
    CHECK(eventually([&] { return near.net().statistics().open_links == 0; }));
  }
  SECTION("because this side ends it") {
    near.end_links();
  }
  closed.open();
  CHECK_FALSE(answer.get().empty());
}

TEST_CASE_METHOD(fixture, "large messages of all sizes arrive as they were sent") {
  auto echo = far.spawn(server);
  auto remote_echo = near.connect(far.publish(echo));
  auto around = [](size_t n) { return std::vector<size_t>{n - 17, n - 1, n, n + 1, n + 16}; };
  std::vector<size_t> sizes{0, 1, 15, 16, 17};
  for (auto n : {size_t{32} << 10, size_t{64} << 10, size_t{96} << 10, size_t{128} << 10,
                 size_t{1} << 20, size_t{17} << 20})
    for (auto x : around(n))
      sizes.push_back(x);
  auto seed = uint32_t{0};
  for (auto n : sizes) {
    INFO(n);
    auto sent = pattern(n, ++seed);
    auto got = ask<caf::byte_buffer>(near.self, remote_echo, sent);
    REQUIRE(got);
    REQUIRE(*got == sent);
    REQUIRE(ask<std::string>(near.self, remote_echo, "small"s) == "small"s);
  }
  // Down again: the same types with small messages.
  std::reverse(sizes.begin(), sizes.end());
  for (auto n : sizes) {
    auto sent = pattern(n, ++seed);
    REQUIRE(ask<caf::byte_buffer>(near.self, remote_echo, sent) == sent);
  }
}

TEST_CASE_METHOD(fixture, "each sender's messages stay in order, whatever their size") {
  constexpr auto num_senders = 4;
  constexpr auto num_messages = int32_t{150};
  auto next = std::make_shared<std::vector<int32_t>>(num_senders);
  auto wrong = std::make_shared<std::atomic<size_t>>(0);
  auto total = std::make_shared<std::atomic<int32_t>>(0);
  auto note = [=](int32_t sender, int32_t number, size_t size) {
    auto expected_size = number % 3 == 0 ? large / 8 : static_cast<size_t>(number);
    if ((*next)[static_cast<size_t>(sender)]++ != number || size != expected_size)
      ++*wrong;
    ++*total;
  };
  auto collector = far.spawn([note](caf::event_based_actor*) -> caf::behavior {
    return {[note](int32_t sender, int32_t number, const caf::byte_buffer& xs) {
      note(sender, number, xs.size());
    }};
  });
  auto remote_collector = near.connect(far.publish(collector));
  std::vector<std::thread> senders;
  for (auto sender = int32_t{0}; sender < num_senders; ++sender)
    senders.emplace_back([&, sender] {
      caf::scoped_actor self{near.sys()};
      for (auto i = int32_t{0}; i < num_messages; ++i)
        send(self, remote_collector, sender, i,
             caf::byte_buffer(i % 3 == 0 ? large / 8 : static_cast<size_t>(i)));
    });
  for (auto& x : senders)
    x.join();
  CHECK(eventually([&] { return *total == num_senders * num_messages; }));
  CHECK(*wrong == 0);
}

TEST_CASE_METHOD(narrow_fixture, "a large message that the peer does not accept is an error") {
  for (auto i = 0; i < 3; ++i) {
    CHECK(ask_apart(caf::byte_buffer(large), chatty{1}).get() == ec::frame_too_large);
    CHECK(ask_apart(caf::byte_buffer(size_t{200} << 10), chatty{1}).get().empty());
  }
  // At the edge, byte by byte.
  auto accepted = size_t{0};
  for (auto n = (size_t{256} << 10) - 80; n <= (size_t{256} << 10) + 1; ++n) {
    auto reason = ask_apart(caf::byte_buffer(n), chatty{1}).get();
    if (reason.empty())
      accepted = n;
    else
      CHECK(reason == ec::frame_too_large);
  }
  CHECK(accepted > (size_t{256} << 10) - 80);
  CHECK(accepted < size_t{256} << 10);
  CHECK(ask<std::string>(near.self, remote, "alive"s) == "alive"s);
}

TEST_CASE_METHOD(fixture, "a large message that cannot be encoded is an error") {
  CHECK(ask_apart(caf::byte_buffer(large), stranger{}).get() == ec::unregistered_type);
  CHECK(ask_apart(caf::byte_buffer(large), chatty{1}).get().empty());
  CHECK(near.net().statistics().encode_errors == 1);
}

TEST_CASE("a large response that cannot be sent is an error") {
  cafwire::link_options options;
  options.bounds.max_frame_bytes = size_t{256} << 10;
  node far;
  node near{options};
  auto remote = near.connect(far.publish(far.spawn(receiver)));
  for (auto size : {large, size_t{1} << 10, large}) {
    auto answer = ask<caf::byte_buffer>(near.self, remote, caf::get_atom_v, uint64_t{size});
    CHECK(static_cast<bool>(answer) == (size < large));
    if (!answer)
      CHECK(answer.error() == ec::frame_too_large);
  }
}

TEST_CASE_METHOD(fixture, "code that runs while a large message is encoded may send") {
  auto fired = std::make_shared<std::atomic<int>>(0);
  chatty::when_written = [this, fired] {
    if (++*fired == 1)
      send_anonymously(remote, "from inside"s);
  };
  CHECK(ask_apart(caf::byte_buffer(large), chatty{1}).get().empty());
  chatty::when_written = nullptr;
  CHECK(*fired == 1);
  CHECK(eventually([&] { return near.net().statistics().messages_sent == 2; }));
}

TEST_CASE_METHOD(fixture, "each port has bounds of its own") {
  auto narrow = far.net().publish(far.spawn(receiver), 0, narrow_fixture::options());
  REQUIRE(narrow);
  auto other = near.net().remote_actor(loopback, *narrow);
  REQUIRE(other);
  auto message = caf::byte_buffer(large);
  CHECK(ask<uint64_t>(near.self, remote, message, chatty{1}) == uint64_t{large});
  CHECK(error_of(ask<uint64_t>(near.self, *other, message, chatty{1})) == ec::frame_too_large);
  CHECK(ask<uint64_t>(near.self, remote, message, chatty{1}) == uint64_t{large});
}
