// This file is part of cafwire. See the file LICENSE for license terms.

#include <cafwire/session/deserializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/message.hpp>

#include "support/catch.hpp"
#include <catch2/generators/catch_generators.hpp>

using namespace cafwire;
using namespace session_test;

namespace {

constexpr auto point_payload = "01 00 00 00 02 00 00 00 ff ff ff ff";

constexpr auto point_name = "session_test::point";

const layout::type_schema& point_schema() {
  return layout::schema_of<point>();
}

/// Defines the type and the signature of a message with a point.
stream_builder point_stream() {
  stream_builder result;
  result.type(512, point_name, point_schema().fingerprint, point_schema().text).signature(1, {512});
  return result;
}

/// Reads a stream that must break the session, and checks that it stays broken.
void check_broken(std::span<const std::byte> bytes, ec code, size_t good_messages = 0,
                  session_options options = {}) {
  exact_copy copy{bytes};
  deserializer_session session{known_types::global(), std::move(options)};
  input_cursor in{copy.get()};
  caf::message msg;
  for (size_t i = 0; i < good_messages; ++i)
    REQUIRE(session.read_message(in, msg) == ec::none);
  auto before = caf::make_message(int32_t{42});
  msg = before;
  CHECK(session.read_message(in, msg) == code);
  CHECK(session.status() == read_status::broken);
  CHECK(session.last_error() == code);
  CHECK(msg.cptr() == before.cptr());
  // Nothing that follows is read any more, not even a good stream.
  auto good = point_stream();
  good.message(1, point_payload);
  input_cursor next{good.bytes()};
  CHECK(session.read_message(next, msg) == code);
  CHECK(session.status() == read_status::broken);
  CHECK(next.offset() == 0);
  point x;
  CHECK(session.read(next, x) == code);
  CHECK(session.last_error() == code);
}

} // namespace

TEST_CASE("a stream that was put together by hand is understood") {
  auto stream = point_stream();
  stream.message(1, point_payload).signature(2, {}).message(2, "").signature(3, {6, 13});
  stream.message(3, "05 00 00 00 02 61 62");
  exact_copy copy{stream.bytes()};
  deserializer_session session;
  input_cursor in{copy.get()};
  point x;
  CHECK(session.read(in, x) == ec::none);
  CHECK(x == point{1, 2, -1});
  CHECK(session.status() == read_status::ok);
  CHECK(session.read(in) == ec::none);
  caf::message msg;
  CHECK(session.read_message(in, msg) == ec::none);
  REQUIRE(msg.match_elements<int32_t, std::string>());
  CHECK(msg.get_as<int32_t>(0) == 5);
  CHECK(msg.get_as<std::string>(1) == "ab");
  CHECK(in.at_end());
  CHECK(session.definitions() == 4);
  // The end of the input is the place to wait for more.
  CHECK(session.read_message(in, msg) == ec::unexpected_end);
  CHECK(session.status() == read_status::need_more);
}

TEST_CASE("asking for other types leaves the message where it is") {
  auto stream = point_stream();
  stream.message(1, point_payload);
  deserializer_session session;
  input_cursor in{stream.bytes()};
  int32_t number = 7;
  CHECK(session.read(in, number) == ec::unexpected_type);
  CHECK(session.status() == read_status::other_types);
  CHECK(session.last_error() == ec::unexpected_type);
  CHECK(number == 7);
  point x;
  point y;
  CHECK(session.read(in, x, y) == ec::unexpected_type);
  CHECK(session.read(in) == ec::unexpected_type);
  CHECK(session.read(in, x) == ec::none);
  CHECK(x == point{1, 2, -1});
}

TEST_CASE("a message that cannot be decoded is skipped") {
  auto [payload, code] = GENERATE(table<std::string, ec>({
    {"01 00 00 00 02 00 00 00 ff ff ff", ec::unexpected_end},
    {"", ec::unexpected_end},
    {"01 00 00 00 02 00 00 00 ff ff ff ff 00", ec::trailing_bytes},
  }));
  auto stream = point_stream();
  stream.message(1, payload).message(1, point_payload);
  exact_copy copy{stream.bytes()};
  deserializer_session session;
  input_cursor in{copy.get()};
  auto before = caf::make_message(int32_t{42});
  auto msg = before;
  CHECK(session.read_message(in, msg) == code);
  CHECK(session.status() == read_status::skipped);
  CHECK(session.last_error() == code);
  CHECK(msg.cptr() == before.cptr());
  // The definitions in front of it are still valid.
  point x;
  CHECK(session.read(in, x) == ec::none);
  CHECK(x == point{1, 2, -1});
  CHECK(in.at_end());
}

TEST_CASE("inspect overloads that refuse to load are reported and skipped") {
  auto& schema = layout::schema_of<moody>();
  stream_builder stream;
  stream.type(512, "session_test::moody", schema.fingerprint).signature(1, {512});
  stream.message(1, "05 01 61").message(1, "00 01 61");
  deserializer_session session;
  input_cursor in{stream.bytes()};
  moody x;
  CHECK(session.read(in, x) == ec::inspect_failed);
  CHECK(session.status() == read_status::skipped);
  CHECK(session.read(in, x) == ec::none);
  CHECK(x.text == "a");
}

TEST_CASE("a message larger than its input allows is refused before memory is used") {
  // 1000 strings without characters take 32 times their input in memory.
  std::vector<std::byte> payload(1000, std::byte{0});
  stream_builder definition;
  definition.varint(1).varint(1000);
  for (auto i = 0; i < 1000; ++i)
    definition.varint(13);
  stream_builder stream;
  stream.record(2, definition).message(1, payload);
  session_options options;
  options.bounds.free_memory_bytes = 1000;
  deserializer_session session{known_types::global(), options};
  input_cursor in{stream.bytes()};
  caf::message msg;
  CHECK(session.read_message(in, msg) == ec::memory_limit);
  CHECK(session.status() == read_status::skipped);
  CHECK(in.at_end());
}

TEST_CASE("slots that nobody has defined end the stream") {
  SECTION("signature") {
    stream_builder stream;
    stream.message(1, "00");
    check_broken(stream.bytes(), ec::unknown_slot);
  }
  SECTION("the signature behind the last one") {
    auto stream = point_stream();
    stream.message(1, point_payload).message(2, point_payload);
    check_broken(stream.bytes(), ec::unknown_slot, 1);
  }
  SECTION("the largest signature") {
    stream_builder stream;
    stream.message(UINT64_MAX, "00");
    check_broken(stream.bytes(), ec::unknown_slot);
  }
  SECTION("type") {
    stream_builder stream;
    stream.signature(1, {512});
    check_broken(stream.bytes(), ec::unknown_slot);
  }
  SECTION("type behind the last one") {
    auto stream = point_stream();
    stream.signature(2, {513});
    check_broken(stream.bytes(), ec::unknown_slot);
  }
  SECTION("the largest type") {
    auto stream = point_stream();
    stream.signature(2, {UINT64_MAX});
    check_broken(stream.bytes(), ec::unknown_slot);
  }
  SECTION("signatures from before a reset") {
    auto stream = point_stream();
    stream.message(1, point_payload).reset().message(1, point_payload);
    check_broken(stream.bytes(), ec::unknown_slot, 1);
  }
  SECTION("types from before a reset") {
    auto stream = point_stream();
    stream.message(1, point_payload).reset().signature(1, {512});
    check_broken(stream.bytes(), ec::unknown_slot, 1);
  }
  SECTION("a rank beyond the registry") {
    auto types = known_types::only({caf::type_id_v<point>});
    session_options options;
    options.peer_registry_hash = types->hash();
    deserializer_session session{types, options};
    stream_builder stream;
    stream.signature(1, {513});
    input_cursor in{stream.bytes()};
    caf::message msg;
    CHECK(session.read_message(in, msg) == ec::unknown_slot);
    CHECK(session.status() == read_status::broken);
  }
}

TEST_CASE("definitions out of order end the stream") {
  stream_builder stream;
  auto fingerprint = point_schema().fingerprint;
  SECTION("a type slot is left out") {
    stream.type(513, point_name, fingerprint);
  }
  SECTION("a type slot is defined again") {
    stream.type(512, point_name, fingerprint).type(512, point_name, fingerprint);
  }
  SECTION("a type slot of the format is defined") {
    stream.type(7, point_name, fingerprint);
  }
  SECTION("a signature slot is left out") {
    stream.signature(2, {7});
  }
  SECTION("a signature slot is defined again") {
    stream.signature(1, {7}).signature(1, {7});
  }
  SECTION("the signature slot that announces definitions") {
    stream.signature(0, {7});
  }
  SECTION("type slot 0") {
    stream.signature(1, {0});
  }
  check_broken(stream.bytes(), ec::invalid_definition);
}

TEST_CASE("malformed definitions end the stream") {
  stream_builder stream;
  stream_builder body;
  auto& schema = point_schema();
  SECTION("a type without a name") {
    stream.type(512, "", schema.fingerprint);
  }
  SECTION("a fingerprint that does not belong to the schema") {
    stream.type(512, point_name, schema.fingerprint + 1, schema.text);
  }
  SECTION("bytes behind a type") {
    body.varint(512).text(point_name).u64(schema.fingerprint).text(schema.text).byte(0);
    stream.record(1, body);
  }
  SECTION("bytes behind a signature") {
    body.varint(1).varint(1).varint(7).byte(0);
    stream.record(2, body);
  }
  SECTION("a type that ends early") {
    body.varint(512).text(point_name).u64(schema.fingerprint);
    stream.record(1, body);
  }
  SECTION("a signature that ends early") {
    body.varint(1).varint(2).varint(7);
    stream.record(2, body);
  }
  SECTION("a signature with more elements than bytes") {
    body.varint(1).varint(UINT64_MAX).varint(7);
    stream.record(2, body);
  }
  SECTION("a name that is longer than the definition") {
    body.varint(512).varint(100).byte('x').u64(0).text("");
    stream.record(1, body);
  }
  SECTION("an empty definition") {
    stream.record(1, body);
  }
  SECTION("an unknown kind of record") {
    stream.record(4, body);
  }
  SECTION("kind 0") {
    stream.record(0, body);
  }
  check_broken(stream.bytes(), ec::invalid_definition);
}

TEST_CASE("definitions larger than the limit end the stream before they have arrived") {
  stream_builder stream;
  stream.byte(0).byte(GENERATE(uint8_t{1}, uint8_t{2})).varint(4097);
  check_broken(stream.bytes(), ec::invalid_definition);
}

TEST_CASE("between equal registries, slots of definitions follow those of known types") {
  session_options options;
  options.peer_registry_hash = known_types::global()->hash();
  auto first = 512 + known_types::global()->ranked().size();
  check_broken(point_stream().bytes(), ec::invalid_definition, 0, options);
  stream_builder stream;
  stream.type(first, "other", 7).type(first + 1, "another", 7);
  stream.signature(1, {first}).message(1, "01").signature(2, {6}).message(2, "05 00 00 00");
  deserializer_session reader{known_types::global(), options};
  input_cursor in{stream.bytes()};
  caf::message msg;
  CHECK(reader.read_message(in, msg) == ec::unknown_type);
  CHECK(reader.status() == read_status::skipped);
  int32_t number = 0;
  CHECK(reader.read(in, number) == ec::none);
  CHECK(number == 5);
  stream.signature(3, {first + 2});
  input_cursor rest{stream.bytes()};
  rest.advance(in.offset());
  CHECK(reader.read_message(rest, msg) == ec::unknown_slot);
}

TEST_CASE("frame errors of messages end the stream") {
  SECTION("a varint that is not in its shortest form") {
    auto stream = point_stream();
    stream.byte(0x81).byte(0).byte(0);
    check_broken(stream.bytes(), ec::invalid_varint);
  }
  SECTION("a length that is not in its shortest form") {
    auto stream = point_stream();
    stream.byte(1).byte(0x8c).byte(0);
    check_broken(stream.bytes(), ec::invalid_varint);
  }
  SECTION("a message larger than a frame") {
    auto stream = point_stream();
    stream.varint(1).varint((uint64_t{64} << 20) + 1);
    check_broken(stream.bytes(), ec::frame_too_large);
  }
  SECTION("a message over 4 GiB") {
    auto stream = point_stream();
    stream.varint(1).varint((uint64_t{1} << 32) + 12);
    check_broken(stream.bytes(), ec::frame_too_large);
  }
  SECTION("alignment that is not zero") {
    auto stream = point_stream();
    auto start = stream.size();
    stream.message(1, std::vector<std::byte>(256));
    auto bytes = to_vector(stream.bytes());
    // One byte for the slot, two for the length.
    REQUIRE((start + 3) % 16 != 0);
    bytes[start + 3] = std::byte{1};
    check_broken(bytes, ec::nonzero_padding);
  }
}

TEST_CASE("a type number that nobody knows is an error that says so") {
  // Slots up to 511 belong to the format: a later version may use more of them than this one.
  stream_builder stream;
  stream.signature(1, {6, 400}).message(1, "01 02 03").signature(2, {6}).message(2, "05 00 00 00");
  deserializer_session session;
  input_cursor in{stream.bytes()};
  caf::message msg;
  CHECK(session.read_message(in, msg) == ec::unknown_type);
  CHECK(session.status() == read_status::skipped);
  CHECK(to_string(session.last_error()).find("400") != std::string::npos);
  int32_t number = 0;
  CHECK(session.read(in, number) == ec::none);
  CHECK(number == 5);
}
