// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/io/event_loop.hpp"

#include "cafwire/io/tcp_socket.hpp"

#include "net/node.hpp"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::detail::event_loop;
using cafwire::detail::io_result;
using cafwire::detail::tcp_socket;

namespace {

struct fixture {
  caf::actor_system_config config;
  caf::actor_system system{config};
  event_loop loop{system};
};

std::pair<tcp_socket, tcp_socket> connected_pair() {
  std::array<int, 2> fds{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds.data()) == 0);
  return {tcp_socket{fds[0]}, tcp_socket{fds[1]}};
}

void put(tcp_socket& to, std::byte what = std::byte{1}) {
  size_t size = 0;
  REQUIRE(to.write({&what, 1}, size) == io_result::ok);
}

/// Counts what happens.
struct counting_handler : event_loop::handler {
  void on_readable() override {
    std::byte ignored{};
    size_t size = 0;
    if (own.read({&ignored, 1}, size) == io_result::closed)
      ++ends;
    else
      ++reads;
    if (forgets)
      loop->forget(own.fd());
  }

  void on_writable() override {
    ++writes;
    loop->watch(own.fd(), self.lock(), {true, false});
  }

  void on_deadline() override {
    ++deadlines;
  }

  event_loop* loop = nullptr;
  tcp_socket own;
  std::weak_ptr<counting_handler> self;
  std::atomic<bool> forgets{false};
  std::atomic<int> reads{0};
  std::atomic<int> writes{0};
  std::atomic<int> ends{0};
  std::atomic<int> deadlines{0};
};

std::shared_ptr<counting_handler> make_handler(event_loop& loop, tcp_socket own) {
  auto result = std::make_shared<counting_handler>();
  result->loop = &loop;
  result->own = std::move(own);
  result->self = result;
  return result;
}

} // namespace

TEST_CASE_METHOD(fixture, "functions are called in order, in one thread") {
  std::vector<int> order;
  std::thread::id where;
  for (auto i = 0; i < 1000; ++i) {
    loop.post([&, i] {
      order.push_back(i);
      where = std::this_thread::get_id();
    });
  }
  auto same = false;
  loop.run([&] { same = where == std::this_thread::get_id(); });
  CHECK(same);
  CHECK(where != std::this_thread::get_id());
  REQUIRE(order.size() == 1000);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE_METHOD(fixture, "run works inside of the loop, before it starts and after it stops") {
  auto calls = 0;
  SECTION("inside") {
    loop.run([&] { loop.run([&] { ++calls; }); });
  }
  SECTION("stopped before it was started") {
    loop.stop();
    loop.run([&] { ++calls; });
  }
  SECTION("stopped") {
    loop.run([] {});
    loop.stop();
    loop.run([&] { ++calls; });
  }
  CHECK(calls == 1);
}

TEST_CASE_METHOD(fixture, "what is posted after the end is dropped, and with it what it holds") {
  loop.run([] {});
  loop.stop();
  auto held = std::make_shared<int>(1);
  auto called = false;
  loop.post([&called, held] { called = true; });
  CHECK(held.use_count() == 1);
  CHECK_FALSE(called);
}

TEST_CASE_METHOD(fixture, "handlers see what happens to their sockets") {
  auto [ours, theirs] = connected_pair();
  auto who = make_handler(loop, std::move(ours));
  loop.run([&] { loop.watch(who->own.fd(), who, {true, false}); });
  put(theirs);
  CHECK(eventually([&] { return who->reads == 1; }));
  CHECK(who->writes == 0);
  SECTION("room to write, once") {
    loop.run([&] { loop.watch(who->own.fd(), who, {true, true}); });
    CHECK(eventually([&] { return who->writes == 1; }));
    put(theirs);
    CHECK(eventually([&] { return who->reads == 2; }));
    CHECK(who->writes == 1);
  }
  SECTION("the end of the connection") {
    who->forgets = true;
    theirs.close();
    CHECK(eventually([&] { return who->ends == 1; }));
  }
  SECTION("nothing while there is no interest") {
    loop.run([&] { loop.watch(who->own.fd(), who, {false, false}); });
    put(theirs);
    theirs.close();
    loop.run([] {});
    std::this_thread::sleep_for(5ms);
    loop.run([] {});
    CHECK(who->reads == 1);
    CHECK(who->ends == 0);
    who->forgets = true;
    loop.run([&] { loop.watch(who->own.fd(), who, {true, false}); });
    CHECK(eventually([&] { return who->reads == 2; }));
  }
}

TEST_CASE_METHOD(fixture, "a forgotten socket is left alone and its handler released") {
  auto [ours, theirs] = connected_pair();
  auto who = make_handler(loop, std::move(ours));
  loop.run([&] {
    loop.watch(who->own.fd(), who, {true, true});
    loop.set_deadline(who->own.fd(), 0ms);
    loop.forget(who->own.fd());
    loop.forget(who->own.fd());
    loop.set_deadline(who->own.fd(), 0ms);
  });
  put(theirs);
  loop.run([] {});
  std::this_thread::sleep_for(2ms);
  loop.run([] {});
  CHECK(who->reads == 0);
  CHECK(who->writes == 0);
  CHECK(who->deadlines == 0);
  CHECK(who.use_count() == 1);
}

TEST_CASE_METHOD(fixture, "deadlines come once and can be moved and cleared") {
  auto [ours, theirs] = connected_pair();
  auto who = make_handler(loop, std::move(ours));
  auto fd = who->own.fd();
  loop.run([&] { loop.watch(fd, who, {true, false}); });
  SECTION("one") {
    loop.run([&] { loop.set_deadline(fd, 1ms); });
    CHECK(eventually([&] { return who->deadlines == 1; }));
  }
  SECTION("moved") {
    loop.run([&] {
      loop.set_deadline(fd, 1h);
      loop.set_deadline(fd, 1ms);
    });
    CHECK(eventually([&] { return who->deadlines == 1; }));
  }
  SECTION("cleared") {
    loop.run([&] {
      loop.set_deadline(fd, 1ms);
      loop.clear_deadline(fd);
    });
    std::this_thread::sleep_for(5ms);
    loop.run([] {});
    CHECK(who->deadlines == 0);
    loop.run([&] { loop.set_deadline(fd, 1ms); });
    CHECK(eventually([&] { return who->deadlines == 1; }));
  }
  std::this_thread::sleep_for(5ms);
  loop.run([] {});
  CHECK(who->deadlines == 1);
}

TEST_CASE_METHOD(fixture, "the end of a loop releases its handlers") {
  auto [ours, theirs] = connected_pair();
  auto who = make_handler(loop, std::move(ours));
  loop.run([&] { loop.watch(who->own.fd(), who, {true, false}); });
  CHECK(who.use_count() == 2);
  loop.stop();
  CHECK(who.use_count() == 1);
}
