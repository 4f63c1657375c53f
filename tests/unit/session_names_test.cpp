// This file is part of cafwire. See the file LICENSE for license terms.

// Types are known by their names: numbers of types mean nothing between programs.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/message.hpp>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

const message_type& type_of_point() {
  return *known_types::global()->find("session_test::point");
}

/// The type of another program that is called like `point`, but has another ID there.
const message_type& point_with_other_id() {
  static const auto result = [] {
    auto type = detail::message_type_of<renumbered_point>();
    type.name = type_of_point().name;
    type.schema = type_of_point().schema;
    return type;
  }();
  return result;
}

/// The type of another version of the program: called like `point`, with other fields.
const message_type& point_with_other_fields() {
  static const auto result = [] {
    auto type = detail::message_type_of<reading>();
    type.name = type_of_point().name;
    return type;
  }();
  return result;
}

known_types_ptr registry(std::vector<const message_type*> types) {
  return std::make_shared<known_types>(std::move(types));
}

session_options peer(const known_types& types) {
  session_options result;
  result.peer_registry_hash = types.hash();
  return result;
}

} // namespace

TEST_CASE("programs with other type IDs understand each other") {
  auto here = registry({&type_of_point()});
  auto there = registry({&point_with_other_id()});
  // The registries are equal: IDs have no part in the hash.
  REQUIRE(here->hash() == there->hash());
  auto options = session_options{};
  SECTION("with definitions") {
    // nop
  }
  SECTION("with known types") {
    options = peer(*here);
  }
  serializer_session writer{here, options};
  deserializer_session reader{there, options};
  output_buffer out;
  REQUIRE(writer.write(out, point{1, 2, 3}, int32_t{4}) == ec::none);
  REQUIRE(writer.write(out, point{5, 6, 7}) == ec::none);
  input_cursor in{out.bytes()};
  caf::message msg;
  REQUIRE(reader.read_message(in, msg) == ec::none);
  REQUIRE(msg.match_elements<renumbered_point, int32_t>());
  CHECK(msg.get_as<renumbered_point>(0) == renumbered_point{1, 2, 3});
  renumbered_point x;
  REQUIRE(reader.read(in, x) == ec::none);
  CHECK(x == renumbered_point{5, 6, 7});
  // And back.
  serializer_session answers{there, options};
  deserializer_session back{here, options};
  out.clear();
  REQUIRE(answers.write(out, renumbered_point{1, 2, 3}) == ec::none);
  input_cursor in2{out.bytes()};
  point y;
  REQUIRE(back.read(in2, y) == ec::none);
  CHECK(y == point{1, 2, 3});
}

TEST_CASE("another order of registration changes nothing") {
  auto global = known_types::global();
  auto& track_type = *global->find("session_test::track");
  auto here = registry({&type_of_point(), &track_type});
  auto there = registry({&track_type, &type_of_point()});
  CHECK(here->hash() == there->hash());
  serializer_session writer{here, peer(*there)};
  deserializer_session reader{there, peer(*here)};
  output_buffer out;
  REQUIRE(writer.write(out, point{1, 2, 3}) == ec::none);
  REQUIRE(writer.write(out, track{"t", {}}) == ec::none);
  input_cursor in{out.bytes()};
  point x;
  track y;
  REQUIRE(reader.read(in, x) == ec::none);
  REQUIRE(reader.read(in, y) == ec::none);
  CHECK(x == point{1, 2, 3});
  CHECK(y == track{"t", {}});
}

TEST_CASE("a type that is unknown here is named, and the next message is read") {
  serializer_session writer;
  deserializer_session reader{known_types::only({caf::type_id_v<point>})};
  output_buffer out;
  REQUIRE(writer.write(out, int32_t{1}, track{"secret", {}}) == ec::none);
  REQUIRE(writer.write(out, point{1, 2, 3}) == ec::none);
  REQUIRE(writer.write(out, int32_t{1}, track{"secret", {}}) == ec::none);
  REQUIRE(writer.write(out, point{4, 5, 6}) == ec::none);
  input_cursor in{out.bytes()};
  for (auto expected : {point{1, 2, 3}, point{4, 5, 6}}) {
    caf::message msg;
    CHECK(reader.read_message(in, msg) == ec::unknown_type);
    CHECK(reader.status() == read_status::skipped);
    CHECK(reader.last_error() == ec::unknown_type);
    CHECK(to_string(reader.last_error()).find("session_test::track") != std::string::npos);
    CHECK(msg.empty());
    point x;
    CHECK(reader.read(in, x) == ec::none);
    CHECK(x == expected);
  }
  CHECK(in.at_end());
}

TEST_CASE("a session does not know what another session in the same process allows") {
  auto all = known_types::global();
  auto few = known_types::only({caf::type_id_v<point>});
  serializer_session writer;
  output_buffer out;
  REQUIRE(writer.write(out, track{"t", {}}) == ec::none);
  deserializer_session a{all};
  deserializer_session b{few};
  for (auto round = 0; round < 2; ++round) {
    auto start = round == 0 ? size_t{0} : out.size();
    if (round == 1)
      REQUIRE(writer.write(out, track{"t", {}}) == ec::none);
    input_cursor in_a{out.bytes()};
    in_a.advance(start);
    input_cursor in_b{out.bytes()};
    in_b.advance(start);
    track x;
    CHECK(a.read(in_a, x) == ec::none);
    CHECK(b.read(in_b, x) == ec::unknown_type);
    caf::message msg;
    input_cursor again{out.bytes()};
    again.advance(out.size());
    CHECK(b.read_message(again, msg) == ec::unexpected_end);
  }
}

TEST_CASE("a type with other fields is refused by name, and the next message is read") {
  serializer_session writer{registry({&point_with_other_fields()})};
  deserializer_session reader;
  output_buffer out;
  REQUIRE(writer.write(out, reading{"s", {1, 2}}) == ec::none);
  REQUIRE(writer.write(out, int32_t{5}) == ec::none);
  input_cursor in{out.bytes()};
  point x{7, 8, 9};
  CHECK(reader.read(in, x) == ec::schema_mismatch);
  CHECK(reader.status() == read_status::skipped);
  CHECK(to_string(reader.last_error()).find("session_test::point") != std::string::npos);
  CHECK(x == point{7, 8, 9});
  int32_t number = 0;
  CHECK(reader.read(in, number) == ec::none);
  CHECK(number == 5);
}

TEST_CASE("a schema that differs makes a registry differ") {
  auto here = registry({&type_of_point()});
  auto there = registry({&point_with_other_fields()});
  CHECK(here->hash() != there->hash());
}

TEST_CASE("a signature is refused as a whole if one of its types is unknown") {
  serializer_session writer;
  deserializer_session reader{known_types::only({caf::type_id_v<point>, caf::type_id_v<reading>})};
  output_buffer out;
  REQUIRE(writer.write(out, point{}, track{}, reading{}) == ec::none);
  input_cursor in{out.bytes()};
  caf::message msg;
  CHECK(reader.read_message(in, msg) == ec::unknown_type);
  CHECK(in.at_end());
}

TEST_CASE("equal values of different types keep their types") {
  serializer_session writer;
  deserializer_session reader;
  output_buffer out;
  REQUIRE(writer.write_message(out, caf::make_message(int32_t{7}, int64_t{7}, uint8_t{7}, 7.0, 7.0f,
                                                      point{7, 7, 7}, std::string{"7"},
                                                      std::u16string{u"7"}))
          == ec::none);
  input_cursor in{out.bytes()};
  caf::message msg;
  REQUIRE(reader.read_message(in, msg) == ec::none);
  REQUIRE(msg.match_elements<int32_t, int64_t, uint8_t, double, float, point, std::string,
                             std::u16string>());
  CHECK(msg.get_as<int64_t>(1) == 7);
  CHECK(msg.get_as<uint8_t>(2) == 7);
  CHECK(msg.get_as<double>(3) == 7.0);
}
