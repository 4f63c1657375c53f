// This file is part of cafwire. See the file LICENSE for license terms.

// Payloads that are encoded apart: the stream has the same bytes as if the session had done all.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include "support/catch.hpp"

#include <caf/message.hpp>

#include <string>

using namespace cafwire;
using namespace session_test;

namespace {

/// Appends a message in two steps.
void write_apart(serializer_session& session, output_buffer& out, const caf::message& msg) {
  output_buffer payload;
  caf::error reason;
  REQUIRE(session.encode_payload(payload, msg, nullptr, reason) == ec::none);
  REQUIRE(session.write_head(out, msg, payload.size()) == ec::none);
  REQUIRE(out.append(payload.data(), payload.size()));
}

} // namespace

TEST_CASE("payloads that are encoded apart make the same stream") {
  for (size_t first : {0, 1, 127, 128, 255, 256, 257, 1000, 70'000}) {
    for (size_t second : {0, 1, 127, 128, 255, 256, 257, 1000, 70'000}) {
      INFO(first << " and " << second << " characters");
      auto x = caf::make_message(std::string(first, 'x'));
      auto y = caf::make_message(std::string(second, 'y'), uint32_t{17});
      serializer_session at_once;
      serializer_session apart;
      output_buffer expected;
      output_buffer actual;
      for (auto& msg : {x, y, x, y, y}) {
        REQUIRE(at_once.write_message(expected, msg) == ec::none);
        write_apart(apart, actual, msg);
      }
      REQUIRE(to_vector(actual.bytes()) == to_vector(expected.bytes()));
      CHECK(apart.definitions() == at_once.definitions());
    }
  }
}

TEST_CASE("sessions take turns between both ways to write") {
  serializer_session session;
  output_buffer out;
  for (auto i = 0; i < 6; ++i) {
    auto msg = caf::make_message(std::string(static_cast<size_t>(i) * 1000, 'z'), int32_t{i});
    if (i % 2 == 0)
      write_apart(session, out, msg);
    else
      REQUIRE(session.write_message(out, msg) == ec::none);
  }
  deserializer_session reader;
  input_cursor in{out.bytes()};
  for (auto i = 0; i < 6; ++i) {
    caf::message msg;
    REQUIRE(reader.read_message(in, msg) == ec::none);
    REQUIRE(msg.match_elements<std::string, int32_t>());
    CHECK(msg.get_as<std::string>(0).size() == static_cast<size_t>(i) * 1000);
    CHECK(msg.get_as<int32_t>(1) == i);
  }
  CHECK(in.at_end());
}

TEST_CASE("a payload that cannot be encoded leaves no trace in the session") {
  serializer_session session;
  output_buffer payload;
  caf::error reason;
  CHECK(session.encode_payload(payload, caf::make_message(caf_only{1}), nullptr, reason)
        == ec::unregistered_type);
  CHECK(reason == ec::unregistered_type);
  CHECK(session.write_head(payload, caf::make_message(caf_only{1}), 4) == ec::unregistered_type);
  CHECK(session.last_error() == ec::unregistered_type);
  CHECK(payload.empty());
  payload.clear();
  payload.limit(10);
  auto large = caf::make_message(std::string(100, 'x'));
  CHECK(session.encode_payload(payload, large, nullptr, reason) == ec::out_of_memory);
  CHECK(payload.limit_reached());
  CHECK(session.definitions() == 0);
}
