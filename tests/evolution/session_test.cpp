// This file is part of cafwire. See the file LICENSE for license terms.

// Sessions whose two ends know other versions of the same types.

#include "evolution/versions.hpp"

#include <cafwire/evolution/aliases.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_types.hpp"

#include <caf/all.hpp>

#include "support/catch.hpp"

using namespace evolution_test;

namespace {

/// Two ends of a stream.
struct fixture {
  known_types_ptr old_types
    = registry({&type_as<v1::pixel>("shop::pixel"), &type_as<v1::strict>("shop::strict"),
                &type_as<v1::kind>("shop::kind")});
  known_types_ptr new_types
    = registry({&type_as<v2::pixel>("shop::pixel"), &type_as<v2::strict>("shop::strict"),
                &type_as<v2::kind>("shop::kind")});
  output_buffer out;
};

} // namespace

TEST_CASE_METHOD(fixture, "a session reads messages of an older version") {
  serializer_session writer{old_types};
  deserializer_session reader{new_types};
  REQUIRE(writer.write(out, v1::pixel{1, 2, 3}) == ec::none);
  REQUIRE(writer.write(out, v1::pixel{4, 5, 6}) == ec::none);
  REQUIRE(writer.write(out, std::string{"between"}) == ec::none);
  REQUIRE(writer.write(out, std::string(300, 'x'), v1::pixel{7, 8, 9}, int32_t{5}) == ec::none);
  input_cursor in{out.bytes()};
  v2::pixel x;
  REQUIRE(reader.read(in, x) == ec::none);
  CHECK(x.r == 1);
  CHECK(x.alpha == 255);
  REQUIRE(reader.read(in, x) == ec::none);
  CHECK(x.b == 6);
  std::string text;
  // Another type does not move the cursor.
  CHECK(reader.read(in, x) == ec::unexpected_type);
  CHECK(reader.status() == read_status::other_types);
  REQUIRE(reader.read(in, text) == ec::none);
  CHECK(text == "between");
  int32_t number = 0;
  REQUIRE(reader.read(in, text, x, number) == ec::none);
  CHECK(text == std::string(300, 'x'));
  CHECK(x.g == 8);
  CHECK(number == 5);
  CHECK(in.at_end());
}

TEST_CASE_METHOD(fixture, "whole messages of other versions are built") {
  serializer_session writer{new_types};
  deserializer_session reader{old_types};
  REQUIRE(writer.write(out, v2::pixel{1, 2, 3, 4}, std::string{"a"}) == ec::none);
  input_cursor in{out.bytes()};
  caf::message msg;
  REQUIRE(reader.read_message(in, msg) == ec::none);
  REQUIRE(msg.match_elements<v1::pixel, std::string>());
  CHECK(msg.get_as<v1::pixel>(0).b == 3);
  CHECK(msg.get_as<std::string>(1) == "a");
}

TEST_CASE_METHOD(fixture, "values that do not fit skip their message only") {
  serializer_session writer{new_types};
  deserializer_session reader{old_types};
  REQUIRE(writer.write(out, v2::pixel{1, 300, 3, 4}) == ec::none);
  REQUIRE(writer.write(out, v2::pixel{1, 2, 3, 4}) == ec::none);
  input_cursor in{out.bytes()};
  v1::pixel x;
  CHECK(reader.read(in, x) == ec::value_not_representable);
  CHECK(reader.status() == read_status::skipped);
  CHECK(to_string(reader.last_error()).find("shop::pixel.g: a value of u16 there")
        != std::string::npos);
  REQUIRE(reader.read(in, x) == ec::none);
  CHECK(x.g == 2);
}

TEST_CASE_METHOD(fixture, "invariants hold for converted values") {
  serializer_session writer{old_types};
  deserializer_session reader{new_types};
  REQUIRE(writer.write(out, v1::strict{-1}) == ec::none);
  input_cursor in{out.bytes()};
  v2::strict x;
  CHECK(reader.read(in, x) == ec::invariant_failed);
  CHECK(reader.status() == read_status::skipped);
}

TEST_CASE_METHOD(fixture, "a type that cannot be converted is an error with the reason") {
  serializer_session writer{new_types};
  deserializer_session reader{old_types};
  REQUIRE(writer.write(out, v2::kind{}) == ec::none);
  REQUIRE(writer.write(out, v2::pixel{1, 2, 3, 4}) == ec::none);
  input_cursor in{out.bytes()};
  v1::kind x;
  CHECK(reader.read(in, x) == ec::schema_mismatch);
  CHECK(reader.status() == read_status::skipped);
  CHECK(to_string(reader.last_error()).find("shop::kind.what: seq(c8) there, i32 here")
        != std::string::npos);
  v1::pixel y;
  REQUIRE(reader.read(in, y) == ec::none);
  CHECK(y.b == 3);
  // Both are told, one of them as readable.
  auto types = reader.differing_types();
  REQUIRE(types.size() == 2);
  CHECK(types[0].name == "shop::kind");
  CHECK(types[0].lines == std::vector<std::string>{"shop::kind.what: seq(c8) there, i32 here"});
  CHECK(types[0].problem == "shop::kind.what: seq(c8) there, i32 here");
  CHECK(types[1].name == "shop::pixel");
  CHECK(types[1].problem.empty());
  CHECK(types[1].lines
        == std::vector<std::string>{"shop::pixel.r: u16 there, u8 here",
                                    "shop::pixel.g: u16 there, u8 here",
                                    "shop::pixel.b: u16 there, u8 here",
                                    "shop::pixel.alpha: only there"});
}

TEST_CASE_METHOD(fixture, "a type may have another name than before") {
  alias<v2::pixel>("shop::dot");
  serializer_session writer{registry({&type_as<v1::dot>("shop::dot")})};
  deserializer_session reader{registry({known_types::global()->find(caf::type_id_v<v2::pixel>)})};
  REQUIRE(writer.write(out, v1::dot{1}) == ec::none);
  input_cursor in{out.bytes()};
  v2::pixel x;
  REQUIRE(reader.read(in, x) == ec::none);
  CHECK(x.r == 1);
  CHECK(x.alpha == 255);
}

TEST_CASE_METHOD(fixture, "a reset forgets plans") {
  serializer_session writer{old_types};
  deserializer_session reader{new_types};
  for (auto round = 0; round < 3; ++round) {
    out.clear();
    REQUIRE(writer.write(out, v1::pixel{1, 2, 3}) == ec::none);
    input_cursor in{out.bytes()};
    v2::pixel x;
    REQUIRE(reader.read(in, x) == ec::none);
    CHECK(x.b == 3);
    writer.reset();
  }
  CHECK(reader.differing_types().size() == 1);
}

TEST_CASE_METHOD(fixture, "equal types cost nothing that others do") {
  serializer_session writer{new_types};
  deserializer_session reader{new_types};
  REQUIRE(writer.write(out, v2::pixel{1, 2, 3, 4}) == ec::none);
  input_cursor in{out.bytes()};
  v2::pixel x;
  REQUIRE(reader.read(in, x) == ec::none);
  CHECK(reader.differing_types().empty());
}
