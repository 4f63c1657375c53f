// This file is part of cafwire. See the file LICENSE for license terms.

// Small messages are written in a way of their own, up to 127 bytes and 127 slots. Nobody can tell
// from the bytes.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/message.hpp>
#include <caf/message_builder.hpp>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

/// Texts that are small, around what is small for each way of writing them, and long runs.
constexpr size_t text_sizes[] = {0,   1,   99,  100, 101, 102, 103, 124,
                                 125, 126, 127, 128, 129, 255, 256, 300};

/// Compares each message with the same one as a `caf::message`.
struct compared_writer {
  serializer_session session;
  serializer_session control;
  output_buffer out;
  output_buffer expected;

  template <class... Ts>
  void write(const Ts&... xs) {
    REQUIRE(session.write(out, xs...) == ec::none);
    REQUIRE(control.write_message(expected, caf::make_message(xs...)) == ec::none);
    REQUIRE(to_hex(out.bytes()) == to_hex(expected.bytes()));
  }
};

template <class... Ts>
void check_limits(const Ts&... xs) {
  output_buffer full;
  serializer_session control;
  REQUIRE(control.write(full, xs...) == ec::none);
  REQUIRE(control.write(full, xs...) == ec::none);
  auto size = full.size();
  auto num_refused = 0;
  for (size_t limit = 0; limit <= size + 64; ++limit) {
    serializer_session session;
    output_buffer out;
    REQUIRE(session.write(out, xs...) == ec::none);
    auto first = out.size();
    if (limit < first)
      continue;
    out.limit(limit);
    auto code = session.write(out, xs...);
    out.unlimit();
    if (code == ec::none) {
      CHECK(limit >= size);
    } else {
      CHECK(code == ec::out_of_memory);
      CHECK(out.size() == first);
      CHECK(limit < size + 64);
      ++num_refused;
      REQUIRE(session.write(out, xs...) == ec::none);
    }
    CHECK(to_hex(out.bytes()) == to_hex(full.bytes()));
  }
  CHECK(num_refused > 0);
}

} // namespace

TEST_CASE("small and large messages in any order have the bytes of other ways to write them") {
  for (auto first : text_sizes) {
    for (auto second : text_sizes) {
      INFO("texts of " << first << " and " << second << " characters");
      compared_writer writer;
      for (auto i = 0; i < 3; ++i) {
        for (auto n : {first, second}) {
          auto text = std::string(n, 'x');
          writer.write(text);
          writer.write(text, int32_t{7});
          writer.write(track{text, {}});
          writer.write(moody{mood::good, text});
        }
      }
      CHECK(writer.session.definitions() == writer.control.definitions());
    }
  }
}

TEST_CASE("structs of any size in a message have the bytes of other ways to write them") {
  compared_writer writer;
  auto x = point{1, 2, 3};
  for (auto i = 0; i < 3; ++i) {
    writer.write(x);
    // 120, 132 and 264 bytes.
    writer.write(x, x, x, x, x, x, x, x, x, x);
    writer.write(x, x, x, x, x, x, x, x, x, x, x);
    writer.write(x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x);
    writer.write(x, std::string{"mixed"});
  }
}

TEST_CASE("slots of two bytes are no different") {
  compared_writer writer;
  for (auto round = 0; round < 3; ++round) {
    for (size_t n = 1; n <= 130; ++n) {
      caf::message_builder builder;
      for (size_t i = 0; i < n; ++i)
        builder.append(int8_t{1});
      auto msg = builder.move_to_message();
      REQUIRE(writer.session.write_message(writer.out, msg) == ec::none);
      REQUIRE(writer.control.write_message(writer.expected, msg) == ec::none);
    }
    // In slots behind those.
    writer.write(point{1, 2, 3});
    writer.write(std::string{"text"});
    writer.write(track{"name", {{1, 2, 3}}});
  }
}

TEST_CASE("small messages without room leave no trace") {
  check_limits(point{1, 2, 3});
  check_limits(std::string{"some text"});
  check_limits(std::string(120, 'x'));
  check_limits(track{"name", {{1, 2, 3}}});
  check_limits(track{std::string(120, 'x'), {}});
}

TEST_CASE("a message that turns out to be large where there is no room leaves no trace") {
  // The header of a large message needs one more byte than that of a small one.
  for (size_t limit = 0; limit < 200; ++limit) {
    serializer_session session;
    output_buffer out;
    REQUIRE(session.write(out, track{"", {}}) == ec::none);
    auto first = out.size();
    out.limit(first + limit);
    auto x = track{std::string(130, 'x'), {}};
    auto code = session.write(out, x);
    out.unlimit();
    if (code != ec::none) {
      CHECK(code == ec::out_of_memory);
      CHECK(out.size() == first);
      REQUIRE(session.write(out, x) == ec::none);
    }
    deserializer_session reader;
    input_cursor in{out.bytes()};
    track y;
    REQUIRE(reader.read(in, y) == ec::none);
    REQUIRE(reader.read(in, y) == ec::none);
    CHECK(y == x);
    CHECK(in.at_end());
  }
}
