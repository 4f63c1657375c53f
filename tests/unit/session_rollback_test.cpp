// This file is part of cafwire. See the file LICENSE for license terms.

// A message that cannot be written leaves no trace: whatever follows has the same bytes as if the
// message had never been tried.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include "support/catch.hpp"
#include <catch2/generators/catch_generators.hpp>

#include <functional>

using namespace cafwire;
using namespace session_test;

namespace {

using step = std::function<ec(serializer_session&, output_buffer&)>;

template <class... Ts>
step write(Ts... xs) {
  return [=](serializer_session& session, output_buffer& out) { return session.write(out, xs...); };
}

step reset() {
  return [](serializer_session& session, output_buffer&) {
    session.reset();
    return ec::none;
  };
}

struct failure {
  mood state;
  ec code;
};

/// Runs the steps before a failing message, the message, and the steps behind it, and compares with
/// a session that never saw the message.
void check_no_trace(const std::vector<step>& before, const step& failing, ec code,
                    const std::vector<step>& behind, session_options options = {}) {
  serializer_session tried{known_types::global(), options};
  serializer_session control{known_types::global(), options};
  output_buffer tried_out;
  output_buffer control_out;
  for (auto& fn : before) {
    REQUIRE(fn(tried, tried_out) == ec::none);
    REQUIRE(fn(control, control_out) == ec::none);
  }
  auto definitions = tried.definitions();
  auto bytes = tried.definition_bytes();
  for (auto i = 0; i < 3; ++i) {
    CHECK(failing(tried, tried_out) == code);
    CHECK(to_hex(tried_out.bytes()) == to_hex(control_out.bytes()));
    CHECK(tried.definitions() == definitions);
    CHECK(tried.definition_bytes() == bytes);
    CHECK_FALSE(tried.last_error().empty());
  }
  for (auto& fn : behind) {
    CHECK(fn(tried, tried_out) == ec::none);
    CHECK(fn(control, control_out) == ec::none);
    CHECK(to_hex(tried_out.bytes()) == to_hex(control_out.bytes()));
    CHECK(tried.definitions() == control.definitions());
  }
  // And a reader understands it.
  deserializer_session reader{known_types::global(), options};
  input_cursor in{tried_out.bytes()};
  while (!in.at_end()) {
    caf::message msg;
    REQUIRE(reader.read_message(in, msg) == ec::none);
  }
}

} // namespace

TEST_CASE("a message that fails leaves session and buffer as they were") {
  auto [state, code] = GENERATE(failure{mood::refuses_to_save, ec::inspect_failed},
                                failure{mood::complains, ec::inspect_failed},
                                failure{mood::throws, ec::inspect_failed},
                                failure{mood::hides_failure, ec::inspect_failed});
  auto bad = write(point{1, 2, 3}, moody{state, "some text in front of the failure"});
  auto good = write(point{1, 2, 3}, moody{mood::good, "text"});
  auto other = write(reading{"s", {1.5}});
  INFO("mood " << static_cast<int>(state));
  SECTION("as the very first message") {
    check_no_trace({}, bad, code, {other, good, good, other});
  }
  SECTION("behind other messages") {
    check_no_trace({other, other}, bad, code, {other, good, other});
  }
  SECTION("when its types are known, but not its signature") {
    check_no_trace({write(point{}), write(moody{})}, bad, code, {good, other});
  }
  SECTION("when all is known") {
    check_no_trace({good, other}, bad, code, {good, other, good});
  }
  SECTION("when its signature was the last one used") {
    check_no_trace({good}, bad, code, {good, other});
  }
  SECTION("behind a reset") {
    check_no_trace({good, other, reset()}, bad, code, {other, good});
  }
  SECTION("behind a reset that was used") {
    check_no_trace({good, reset(), other}, bad, code, {other, good});
  }
}

TEST_CASE("a message that fails when the tables are full leaves the reset to the next one") {
  session_options options;
  options.bounds.max_signature_slots = 2;
  serializer_session session{known_types::global(), options};
  output_buffer out;
  REQUIRE(session.write(out, point{}) == ec::none);
  REQUIRE(session.write(out, reading{}) == ec::none);
  auto size = out.size();
  auto definitions = session.definitions();
  CHECK(session.write(out, moody{mood::complains, {}}) == ec::inspect_failed);
  CHECK(out.size() == size);
  CHECK(session.definitions() == definitions);
  // The tables are empty now, so even a known type starts over, and the reader is told so.
  REQUIRE(session.write(out, point{}) == ec::none);
  CHECK(to_hex(out.bytes().subspan(size, 2)) == "00 03");
  deserializer_session reader{known_types::global(), options};
  input_cursor in{out.bytes()};
  for (auto i = 0; i < 3; ++i) {
    caf::message msg;
    REQUIRE(reader.read_message(in, msg) == ec::none);
  }
  CHECK(in.at_end());
}

TEST_CASE("an error of an inspect overload arrives with its context") {
  serializer_session session;
  output_buffer out;
  REQUIRE(session.write(out, moody{mood::complains, {}}) == ec::inspect_failed);
  CHECK(session.last_error() == caf::sec::invalid_argument);
  CHECK(to_string(session.last_error()).find("not today") != std::string::npos);
  // The next failure has its own error.
  REQUIRE(session.write(out, moody{mood::refuses_to_save, {}}) == ec::inspect_failed);
  CHECK(session.last_error() == ec::inspect_failed);
}
