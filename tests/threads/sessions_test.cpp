// This file is part of cafwire. See the file LICENSE for license terms.

// Sessions have one owner each; what they share is read by all threads at once. The first use of a
// type computes its schema and its layout, so each test begins with it: the order of the tests must
// not matter. Run this with ThreadSanitizer.

#include "support/session_types.hpp"
#include "threads/together.hpp"

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include <caf/message.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace session_test;
using namespace threads_test;

using cafwire::ec;

namespace {

/// Both ends of a stream.
struct stream {
  explicit stream(bool known)
    : writer(cafwire::known_types::global(), options(known)),
      reader(cafwire::known_types::global(), options(known)) {
    // nop
  }

  static cafwire::session_options options(bool known) {
    cafwire::session_options result;
    if (known)
      result.peer_registry_hash = cafwire::known_types::global()->hash();
    return result;
  }

  /// Sends a value through the stream and tells whether it arrives.
  template <class T>
  bool passes(const T& x) {
    out.clear();
    if (writer.write(out, x) != ec::none)
      return false;
    cafwire::input_cursor in{out.bytes()};
    T result{};
    return reader.read(in, result) == ec::none && result == x;
  }

  /// Sends a message and tells whether it arrives.
  bool passes(const caf::message& x) {
    out.clear();
    if (writer.write_message(out, x) != ec::none)
      return false;
    cafwire::input_cursor in{out.bytes()};
    caf::message result;
    return reader.read_message(in, result) == ec::none && to_string(result) == to_string(x);
  }

  cafwire::serializer_session writer;
  cafwire::deserializer_session reader;
  cafwire::output_buffer out;
};

reading reading_of(size_t i) {
  return {"sensor " + std::to_string(i), std::vector<double>(i % 64, static_cast<double>(i))};
}

track track_of(size_t i) {
  auto n = static_cast<int32_t>(i);
  return {"track", std::vector<point>(i % 64, {n, n + 1, n + 2})};
}

bool talk(size_t thread, bool known) {
  stream sut{known};
  for (size_t i = 0; i < 200; ++i) {
    auto n = thread * 1000 + i;
    if (!sut.passes(point{static_cast<int32_t>(n), 2, 3}) || !sut.passes(reading_of(n))
        || !sut.passes(track_of(n)) || !sut.passes(samples{std::vector<double>(n % 100, 0.5)})
        || !sut.passes(caf::make_message(track_of(n), reading_of(n), n, std::string{"text"})))
      return false;
  }
  return true;
}

} // namespace

TEST_CASE("Threads with sessions of their own share a registry") {
  CHECK(failures_of_all([](size_t i) { return talk(i, false); }) == 0);
}

TEST_CASE("Threads with sessions of their own share known types") {
  CHECK(failures_of_all([](size_t i) { return talk(i, true); }) == 0);
}

TEST_CASE("Threads write one message at the same time") {
  auto msg = caf::make_message(track_of(7), reading_of(63), point{1, 2, 3}, parcel{"x", {}});
  CHECK(failures_of_all([&](size_t) {
          stream sut{true};
          for (auto i = 0; i < 200; ++i)
            if (!sut.passes(msg))
              return false;
          return true;
        })
        == 0);
}

TEST_CASE("A session moves from thread to thread with its owner") {
  stream sut{false};
  for (auto round = 0; round < 8; ++round) {
    auto ok = false;
    std::thread{[&] { ok = sut.passes(track_of(20)) && sut.passes(reading_of(3)); }}.join();
    CHECK(ok);
  }
}
