// This file is part of cafwire. See the file LICENSE for license terms.

// Sessions without memory: an allocation that fails is an error like any other one.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>
#include <cafwire/wire/append.hpp>

#include "hostile/allocations.hpp"
#include "support/catch.hpp"
#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace cafwire;
using namespace session_test;

namespace {

/// Has so many failures before a step succeeds that the test shows something.
constexpr size_t few = 2;

} // namespace

TEST_CASE("a writer that runs out of memory leaves no trace") {
  // The same two steps with and without failures.
  serializer_session tried;
  serializer_session control;
  output_buffer tried_out;
  output_buffer control_out;
  size_t failures = 0;
  auto step = [&](auto write) {
    for (size_t skip = 0;; ++skip) {
      auto size = tried_out.size();
      auto definitions = tried.definitions();
      ec code;
      bool happened;
      {
        hostile::allocation_failure failure{skip};
        code = write(tried, tried_out);
        happened = failure.happened();
      }
      if (!happened) {
        REQUIRE(code == ec::none);
        break;
      }
      ++failures;
      REQUIRE(code == ec::out_of_memory);
      REQUIRE(tried_out.size() == size);
      REQUIRE(tried.definitions() == definitions);
    }
    REQUIRE(write(control, control_out) == ec::none);
    CHECK(to_hex(tried_out.bytes()) == to_hex(control_out.bytes()));
    CHECK(tried.definitions() == control.definitions());
  };
  // The values exist before any allocation fails.
  auto place = point{1, 2, 3};
  auto path = track{"t", {{4, 5, 6}}};
  auto sample = reading{"r", {1, 2}};
  auto msg = caf::make_message(place);
  step([&](serializer_session& session, output_buffer& out) {
    return session.write(out, place, path);
  });
  CHECK(failures > few);
  step([&](serializer_session& session, output_buffer& out) { return session.write(out, place); });
  step([&](serializer_session& session, output_buffer& out) {
    session.reset();
    return session.write(out, sample, int32_t{7});
  });
  step([&](serializer_session& session, output_buffer& out) {
    return session.write_message(out, msg);
  });
}

TEST_CASE("a reader that runs out of memory skips the message and goes on") {
  serializer_session writer;
  output_buffer definitions;
  REQUIRE(writer.write(definitions, reading{"sensor", {1}}) == ec::none);
  REQUIRE(writer.write(definitions, int32_t{5}) == ec::none);
  deserializer_session reader;
  input_cursor first{definitions.bytes()};
  reading x;
  int32_t number = 0;
  REQUIRE(reader.read(first, x) == ec::none);
  REQUIRE(reader.read(first, number) == ec::none);
  // In another buffer, so that its first byte is aligned as the writer saw it.
  output_buffer out;
  auto expected = reading{std::string(100, 's'), std::vector<double>(100, 1.5)};
  REQUIRE(writer.write(out, expected) == ec::none);
  REQUIRE(writer.write(out, int32_t{6}) == ec::none);
  size_t failures = 0;
  for (size_t skip = 0;; ++skip) {
    input_cursor in{out.bytes()};
    caf::message msg;
    ec code;
    bool happened;
    {
      hostile::allocation_failure failure{skip};
      code = reader.read_message(in, msg);
      happened = failure.happened();
    }
    if (!happened) {
      REQUIRE(code == ec::none);
      CHECK(msg.get_as<reading>(0) == expected);
      break;
    }
    ++failures;
    REQUIRE(code == ec::out_of_memory);
    REQUIRE(reader.status() == read_status::skipped);
    REQUIRE(msg.empty());
    REQUIRE(reader.read(in, number) == ec::none);
    REQUIRE(number == 6);
    REQUIRE(in.at_end());
  }
  CHECK(failures >= few);
}

TEST_CASE("asking for more needs no memory to be spare") {
  serializer_session writer;
  output_buffer out;
  REQUIRE(writer.write(out, point{1, 2, 3}) == ec::none);
  deserializer_session reader;
  input_cursor in{out.bytes().first(out.size() - 1)};
  point x;
  REQUIRE(reader.read(in, x) == ec::unexpected_end);
  for (size_t skip = 0; skip < 3; ++skip) {
    hostile::allocation_failure failure{skip};
    auto code = reader.read(in, x);
    CHECK(code == ec::unexpected_end);
    CHECK(reader.status() == read_status::need_more);
  }
}

TEST_CASE("a message full of handles that is kept costs no more than others may") {
  constexpr size_t count = 1'000'000;
  std::string schema = "x;x{a:seq(actor)}";
  output_buffer payload;
  REQUIRE(append_varint(payload, count));
  for (size_t i = 0; i < count; ++i)
    REQUIRE(payload.append("\x02\x05", 2));
  stream_builder stream;
  stream.type(512, "x", layout::fingerprint_of(schema), schema).signature(1, {512});
  stream.message(1, payload.bytes()).message(1, "00");
  session_options options;
  options.keep_unknown_messages = true;
  options.bounds.max_memory_bytes = size_t{1} << 20;
  deserializer_session relay{std::make_shared<known_types>(std::vector<const message_type*>{}),
                             options};
  input_cursor in{stream.bytes()};
  caf::message msg;
  size_t largest = 0;
  {
    hostile::allocation_watch watch;
    CHECK(relay.read_message(in, msg) == ec::memory_limit);
    largest = watch.largest();
  }
  CHECK(relay.status() == read_status::skipped);
  CHECK(msg.empty());
  // A vector that grows has room for up to twice as many.
  CHECK(largest <= 2 * options.bounds.max_memory_bytes);
  CHECK(relay.read_message(in, msg) == ec::none);
}
