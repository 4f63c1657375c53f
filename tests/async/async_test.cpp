// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/message/async.hpp"

#include "async/types.hpp"
#include "support/codec.hpp"

#include <caf/all.hpp>

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

using namespace async_test;

using cafwire::async_options;
using cafwire::buffer_pool;
using cafwire::deserialize_async;
using cafwire::ec;
using cafwire::serialize_async;
using cafwire::shared_bytes;
using test::encode;
using test::to_hex;

namespace {

struct fixture {
  fixture() : sys(cfg.set("caf.scheduler.max-threads", 1)), self(sys) {
    // nop
  }

  /// Waits for a response.
  template <class T, class Handle>
  caf::expected<T> wait(Handle handle) {
    auto result = caf::expected<T>{caf::make_error(caf::sec::runtime_error, "no response")};
    std::move(handle).receive([&](T& x) { result = std::move(x); },
                              [&](caf::error& x) { result = std::move(x); });
    return result;
  }

  caf::actor_system_config cfg;
  caf::actor_system sys;
  caf::scoped_actor self;
};

/// Occupies the only worker of the scheduler.
class blockade {
public:
  explicit blockade(caf::actor_system& sys) {
    std::promise<void> reached;
    auto is_reached = reached.get_future();
    sys.spawn([opened = opened_.get_future().share(),
               p = std::make_shared<std::promise<void>>(std::move(reached))] {
      p->set_value();
      opened.wait();
    });
    is_reached.wait();
  }

  void open() {
    opened_.set_value();
  }

private:
  std::promise<void> opened_;
};

book make_book(size_t n) {
  book result;
  result.title = "a title";
  for (size_t i = 0; i < n; ++i)
    result.lines.push_back("line " + std::to_string(i));
  return result;
}

} // namespace

TEST_CASE_METHOD(fixture, "a value is encoded and decoded off the caller") {
  for (size_t n : {0, 1, 10000}) {
    auto value = make_book(n);
    auto bytes = wait<shared_bytes>(serialize_async(self, book{value}));
    REQUIRE(bytes);
    CHECK(to_hex(bytes->bytes) == to_hex(encode(value)));
    auto copy = wait<book>(deserialize_async<book>(self, *bytes));
    REQUIRE(copy);
    CHECK(*copy == value);
  }
}

TEST_CASE_METHOD(fixture, "a value may be shared with its encoder") {
  auto value = std::make_shared<const book>(make_book(100));
  auto first = wait<shared_bytes>(serialize_async(self, value));
  auto second = wait<shared_bytes>(serialize_async(self, value));
  REQUIRE(first);
  REQUIRE(second);
  CHECK(to_hex(first->bytes) == to_hex(second->bytes));
}

TEST_CASE_METHOD(fixture, "the actor goes on while the work waits") {
  blockade worker{sys};
  auto pending = serialize_async(self, make_book(10));
  auto more = serialize_async(self, make_book(11));
  worker.open();
  CHECK(wait<shared_bytes>(std::move(more)));
  CHECK(wait<shared_bytes>(std::move(pending)));
}

TEST_CASE_METHOD(fixture, "event-based actors get the result as a response") {
  std::promise<book> result;
  auto future = result.get_future();
  auto state = std::make_shared<std::promise<book>>(std::move(result));
  sys.spawn([state](caf::event_based_actor* me) {
    serialize_async(me, make_book(50)).then([me, state](const shared_bytes& bytes) {
      deserialize_async<book>(me, bytes).then([state](book& x) { state->set_value(std::move(x)); });
    });
  });
  REQUIRE(future.wait_for(std::chrono::seconds{20}) == std::future_status::ready);
  CHECK(future.get() == make_book(50));
}

TEST_CASE_METHOD(fixture, "errors arrive as errors") {
  auto wire = encode(make_book(10));
  wire.pop_back();
  CHECK(wait<book>(deserialize_async<book>(self, shared_bytes{nullptr, wire})).error()
        == ec::length_exceeds_input);
  CHECK(wait<shared_bytes>(serialize_async(self, broken{})).error() == ec::callback_failed);
  async_options options;
  options.bounds.max_depth = 0;
  CHECK(
    wait<book>(deserialize_async<book>(self, shared_bytes{nullptr, encode(make_book(10))}, options))
      .error()
    == ec::depth_limit);
}

TEST_CASE_METHOD(fixture, "work that waits can be cancelled") {
  blockade worker{sys};
  async_options options;
  auto value = std::make_shared<const book>(make_book(10));
  std::weak_ptr<const book> watch = value;
  auto pending = serialize_async(self, std::move(value), options);
  auto other = serialize_async(self, make_book(10));
  CHECK_FALSE(options.cancel.requested());
  options.cancel.request();
  worker.open();
  CHECK(wait<shared_bytes>(std::move(pending)).error() == ec::cancelled);
  CHECK(wait<shared_bytes>(std::move(other)));
  // The worker ends behind its response.
  for (auto i = 0; i < 10000 && !watch.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  CHECK(watch.expired());
}

TEST_CASE_METHOD(fixture, "work that is under way can be cancelled") {
  async_options options;
  gate reached;
  gate opened;
  auto pending = serialize_async(self, slow{&reached, &opened}, options);
  reached.wait();
  options.cancel.request();
  opened.open();
  CHECK(wait<shared_bytes>(std::move(pending)).error() == ec::cancelled);
}

TEST_CASE_METHOD(fixture, "cancelling what is done has no effect") {
  async_options options;
  auto bytes = wait<shared_bytes>(serialize_async(self, make_book(3), options));
  options.cancel.request();
  REQUIRE(bytes);
  CHECK(to_hex(bytes->bytes) == to_hex(encode(make_book(3))));
}

TEST_CASE_METHOD(fixture, "waiting has a limit") {
  blockade worker{sys};
  async_options options;
  options.timeout = std::chrono::milliseconds{20};
  auto result = wait<shared_bytes>(serialize_async(self, make_book(3), options));
  CHECK(result.error() == caf::sec::request_timeout);
  worker.open();
}

TEST_CASE_METHOD(fixture, "buffers go back to their pool with the last copy of the result") {
  async_options options;
  options.buffers = std::make_shared<buffer_pool>();
  const std::byte* first = nullptr;
  for (auto i = 0; i < 3; ++i) {
    auto bytes = wait<shared_bytes>(serialize_async(self, make_book(100), options));
    REQUIRE(bytes);
    CHECK(to_hex(bytes->bytes) == to_hex(encode(make_book(100))));
    CHECK((first == nullptr || first == bytes->bytes.data()));
    first = bytes->bytes.data();
    auto copy = *bytes;
    *bytes = {};
    CHECK(options.buffers->idle() == 0);
    copy = {};
    // The response may still be in the mailbox element that the worker holds for a moment.
    for (auto k = 0; k < 10000 && options.buffers->idle() == 0; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    CHECK(options.buffers->idle() == 1);
  }
  CHECK_FALSE(wait<shared_bytes>(serialize_async(self, broken{}, options)));
  CHECK(options.buffers->idle() == 1);
}

TEST_CASE_METHOD(fixture, "decoded views point into the input") {
  auto input = wait<shared_bytes>(serialize_async(self, numbers{std::vector<double>(1000, 0.5)}));
  REQUIRE(input);
  auto xs = wait<numbers>(deserialize_async<numbers>(self, *input));
  REQUIRE(xs);
  CHECK(xs->owner() == input->owner);
  *input = {};
  CHECK(xs->to_vector() == std::vector<double>(1000, 0.5));
}

TEST_CASE_METHOD(fixture, "many pieces of work may be under way") {
  std::vector<caf::expected<shared_bytes>> results;
  auto value = std::make_shared<const book>(make_book(20));
  auto count = 0;
  auto pending = std::vector<decltype(serialize_async(self, value))>{};
  for (auto i = 0; i < 200; ++i)
    pending.push_back(serialize_async(self, value));
  for (auto& handle : pending)
    if (auto bytes = wait<shared_bytes>(std::move(handle));
        bytes && bytes->bytes.size() == encode(*value).size())
      ++count;
  CHECK(count == 200);
}

TEST_CASE("shared bytes stay in their process") {
  CHECK(test::to_hex(encode(caf::message{})) == "00");
  cafwire::output_buffer out;
  CHECK(cafwire::serialize(out, caf::make_message(shared_bytes{})) != ec::none);
}
