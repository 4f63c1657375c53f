// This file is part of cafwire. See the file LICENSE for license terms.

#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/message_builder.hpp>

#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace cafwire;
using namespace session_test;

namespace {

constexpr auto point_schema = "session_test\\:\\:point;session_test\\:\\:point{x:i32,y:i32,z:i32}";

constexpr auto point_payload = "01 00 00 00 02 00 00 00 ff ff ff ff";

/// A session that knows nothing about its peer.
struct fresh_session {
  serializer_session session;
  output_buffer out;

  explicit fresh_session(known_types_ptr types = known_types::global(),
                         session_options options = {})
    : session(std::move(types), std::move(options)) {
    // nop
  }

  std::string hex() const {
    return to_hex(out.bytes());
  }
};

session_options equal_registries(const known_types_ptr& types) {
  session_options result;
  result.peer_registry_hash = types->hash();
  return result;
}

template <class T>
caf::message repeated(const T& x, size_t n) {
  caf::message_builder builder;
  for (size_t i = 0; i < n; ++i)
    builder.append(x);
  return builder.move_to_message();
}

} // namespace

TEST_CASE("a type and a signature are defined once, in front of the first message") {
  fresh_session x;
  REQUIRE(x.session.write(x.out, point{1, 2, -1}) == ec::none);
  stream_builder expected;
  expected.type(512, "session_test::point", layout::fingerprint_of(point_schema), point_schema)
    .signature(1, {512})
    .message(1, point_payload);
  CHECK(x.hex() == to_hex(expected.bytes()));
  CHECK(x.session.definitions() == 2);
  REQUIRE(x.session.write(x.out, point{1, 2, -1}) == ec::none);
  expected.message(1, point_payload);
  CHECK(x.hex() == to_hex(expected.bytes()));
  CHECK(x.session.definitions() == 2);
  // Another signature of the same type defines the signature only.
  REQUIRE(x.session.write(x.out, point{1, 2, -1}, point{1, 2, -1}) == ec::none);
  expected.signature(2, {512, 512}).message(2, std::string{point_payload} + point_payload);
  CHECK(x.hex() == to_hex(expected.bytes()));
  CHECK(x.session.definitions() == 3);
}

TEST_CASE("a message costs two bytes more than its payload in the steady state") {
  fresh_session x;
  // 127 signatures, each with its own number of bytes.
  for (auto round = 0; round < 2; ++round) {
    for (size_t n = 1; n <= 127; ++n) {
      auto before = x.out.size();
      REQUIRE(x.session.write_message(x.out, repeated(int8_t{7}, n)) == ec::none);
      if (round == 1)
        CHECK(x.out.size() - before == n + 2);
    }
  }
  CHECK(x.session.definitions() == 127);
  // From the 128th signature on, the slot takes two bytes.
  REQUIRE(x.session.write(x.out, true) == ec::none);
  auto before = x.out.size();
  REQUIRE(x.session.write(x.out, true) == ec::none);
  CHECK(x.out.size() - before == 4);
}

TEST_CASE("values and messages give the same bytes") {
  fresh_session values;
  fresh_session messages;
  auto track1 = track{"t", {{1, 2, 3}, {4, 5, 6}}};
  for (auto i = 0; i < 3; ++i) {
    REQUIRE(values.session.write(values.out, int32_t{1}, track1, std::string{"x"}) == ec::none);
    REQUIRE(values.session.write(values.out) == ec::none);
    REQUIRE(messages.session.write_message(messages.out,
                                           caf::make_message(int32_t{1}, track1, std::string{"x"}))
            == ec::none);
    REQUIRE(messages.session.write_message(messages.out, caf::message{}) == ec::none);
  }
  CHECK(values.hex() == messages.hex());
}

TEST_CASE("types of the format need no definition") {
  fresh_session x;
  REQUIRE(x.session.write(x.out, int32_t{-2}, std::string{"ab"}) == ec::none);
  CHECK(x.hex() == "00 02 04 01 02 06 0d 01 07 fe ff ff ff 02 61 62");
}

TEST_CASE("a message without elements has a signature of its own") {
  fresh_session x;
  REQUIRE(x.session.write(x.out) == ec::none);
  REQUIRE(x.session.write_message(x.out, caf::message{}) == ec::none);
  CHECK(x.hex() == "00 02 02 01 00 01 00 01 00");
}

TEST_CASE("equal registries need no definitions of types") {
  auto types = known_types::only({caf::type_id_v<track>, caf::type_id_v<point>});
  fresh_session x{types, equal_registries(types)};
  REQUIRE(x.session.uses_known_types());
  REQUIRE(x.session.write(x.out, point{1, 2, -1}) == ec::none);
  REQUIRE(x.session.write(x.out, track{"", {}}) == ec::none);
  stream_builder expected;
  expected.signature(1, {512}).message(1, point_payload).signature(2, {513}).message(2, "00 00");
  CHECK(x.hex() == to_hex(expected.bytes()));
}

TEST_CASE("another registry of the peer means definitions") {
  auto types = known_types::only({caf::type_id_v<point>});
  session_options options;
  options.peer_registry_hash = types->hash() + 1;
  fresh_session x{types, options};
  CHECK_FALSE(x.session.uses_known_types());
  REQUIRE(x.session.write(x.out, point{1, 2, -1}) == ec::none);
  CHECK(x.session.definitions() == 2);
}

TEST_CASE("a schema without room in a definition is left out") {
  fresh_session x;
  REQUIRE(x.session.write(x.out, verbose{5}) == ec::none);
  stream_builder expected;
  expected.type(512, "session_test::verbose", layout::schema_of<verbose>().fingerprint)
    .signature(1, {512})
    .message(1, "05");
  CHECK(x.hex() == to_hex(expected.bytes()));
}

TEST_CASE("equal lists of types share a signature wherever they are stored") {
  fresh_session x;
  REQUIRE(x.session.write(x.out, int32_t{1}, int32_t{2}) == ec::none);
  REQUIRE(x.session.write_message(x.out, repeated(int32_t{3}, 2)) == ec::none);
  REQUIRE(x.session.write_message(x.out, caf::make_message(int32_t{5}, int32_t{6})) == ec::none);
  CHECK(x.session.definitions() == 1);
}

TEST_CASE("a type that was never registered is named in the error") {
  fresh_session x;
  SECTION("registered with CAF only") {
    CHECK(x.session.write(x.out, caf_only{1}) == ec::unregistered_type);
    CHECK(to_string(x.session.last_error()).find("session_test::caf_only") != std::string::npos);
    CHECK(x.session.write_message(x.out, caf::make_message(caf_only{1})) == ec::unregistered_type);
    CHECK(x.session.last_error() == ec::unregistered_type);
  }
  SECTION("registered with nobody") {
    CHECK(x.session.write(x.out, forgotten{1}) == ec::unregistered_type);
    auto id = std::to_string(caf::type_id_v<forgotten>);
    CHECK(to_string(x.session.last_error()).find(id) != std::string::npos);
  }
  SECTION("not on the list of this session") {
    fresh_session y{known_types::only({caf::type_id_v<point>})};
    CHECK(y.session.write(y.out, track{}) == ec::unregistered_type);
    CHECK(to_string(y.session.last_error()).find("session_test::track") != std::string::npos);
    CHECK(y.session.write(y.out, point{}) == ec::none);
  }
  CHECK(x.out.size() == 0);
  CHECK(x.session.definitions() == 0);
}

TEST_CASE("types that never leave their process are refused") {
  fresh_session x;
  CHECK(x.session.write_message(x.out, caf::make_message(opaque{})) == ec::unsupported_type);
  CHECK(x.out.size() == 0);
}

TEST_CASE("a signature without room in a definition is refused") {
  fresh_session x;
  REQUIRE(x.session.write(x.out, point{}) == ec::none);
  auto before = x.hex();
  // One byte per element, and six for the slot and the number of elements.
  auto fits = repeated(uint8_t{1}, max_definition_size - 3);
  auto too_long = repeated(uint8_t{1}, max_definition_size - 2);
  CHECK(x.session.write_message(x.out, too_long) == ec::invalid_definition);
  CHECK(x.hex() == before);
  CHECK(x.session.write_message(x.out, fits) == ec::none);
}

TEST_CASE("a session knows what its definitions take, and what messages alone would have needed") {
  auto messages = std::vector<caf::message>{
    caf::message{},
    caf::make_message(int32_t{1}),
    caf::make_message(point{1, 2, 3}),
    caf::make_message(point{1, 2, 3}, true, point{1, 2, 3}),
    caf::make_message(std::string{"x"}, reading{"r", {4, 5, 6}}),
    caf::make_message(reading{"r", {4, 5, 6}}, point{1, 2, 3}),
    repeated(int8_t{7}, 200),
    caf::make_message(samples{}, track{}, reading{}, point{}, color::red, fault::jammed, counted{},
                      parcel{}, verbose{}, verbose{}, samples{}, counted{}),
  };
  auto types = known_types::global();
  for (auto& options : {session_options{}, equal_registries(types)}) {
    fresh_session x{types, options};
    size_t without_definitions = 0;
    for (auto round = 0; round < 3; ++round) {
      for (auto& msg : messages) {
        REQUIRE(x.session.write_message(x.out, msg) == ec::none);
        // As the only message for a reader that knows nothing, and as the second one.
        fresh_session alone;
        REQUIRE(alone.session.write_message(alone.out, msg) == ec::none);
        auto first = alone.out.size();
        REQUIRE(alone.session.write_message(alone.out, msg) == ec::none);
        auto second = alone.out.size() - first;
        CHECK(x.session.definition_bytes_alone(msg.types()) == first - second);
        CHECK(alone.session.definition_bytes() == first - second);
        without_definitions += second;
      }
      CHECK(x.out.size() == without_definitions + x.session.definition_bytes());
    }
    // A reset brings all of them again, and tells so.
    auto before = x.session.definition_bytes();
    x.session.reset();
    for (auto& msg : messages)
      REQUIRE(x.session.write_message(x.out, msg) == ec::none);
    CHECK(x.session.definition_bytes() == 2 * before + 2);
  }
}
