// This file is part of cafwire. See the file LICENSE for license terms.

// Messages and errors inside of other values.

#include <cafwire/codec.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/all.hpp>
#include <caf/deep_to_string.hpp>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

template <class T>
std::string encode(const T& x) {
  output_buffer out;
  REQUIRE(serialize(out, x) == ec::none);
  return to_hex(out.bytes());
}

template <class T>
ec decode(std::string_view hex, T& x, const limits& bounds = limits::untrusted()) {
  exact_copy copy{from_hex(hex)};
  return deserialize(copy.get(), bounds, x);
}

template <class T>
T round_trip(const T& x) {
  auto result = T{};
  auto hex = encode(x);
  REQUIRE(decode(hex, result) == ec::none);
  REQUIRE(encode(result) == hex);
  return result;
}

caf::message nest(caf::message msg, size_t levels) {
  for (size_t i = 0; i < levels; ++i)
    msg = caf::make_message(std::move(msg));
  return msg;
}

} // namespace

TEST_CASE("nested messages name their types") {
  CHECK(encode(caf::message{}) == "00");
  CHECK(encode(caf::make_message(int32_t{5}, std::string{"ab"}))
        == "02 06 0d 05 00 00 00 02 61 62");
  stream_builder expected;
  expected.varint(1).varint(0).text("session_test::point");
  expected.u64(layout::schema_of<point>().fingerprint).raw(from_hex("01 00*3 02 00*3 03 00*3"));
  CHECK(encode(caf::make_message(point{1, 2, 3})) == to_hex(expected.bytes()));
}

TEST_CASE("nested messages keep types and values") {
  auto msg = round_trip(caf::make_message(int8_t{7}, uint8_t{7}, 7.0f, 7.0, point{7, 7, 7},
                                          track{"t", {{1, 2, 3}}}, std::string{"7"}));
  REQUIRE(msg.match_elements<int8_t, uint8_t, float, double, point, track, std::string>());
  CHECK(msg.get_as<uint8_t>(1) == 7);
  CHECK(msg.get_as<double>(3) == 7.0);
  CHECK(msg.get_as<point>(4) == point{7, 7, 7});
  CHECK(msg.get_as<track>(5) == track{"t", {{1, 2, 3}}});
  CHECK(round_trip(caf::message{}).empty());
}

TEST_CASE("messages nest in messages and in containers") {
  auto inner = caf::make_message(int32_t{1}, point{1, 2, 3});
  auto deep = nest(inner, 20);
  auto copy = round_trip(deep);
  CHECK(caf::deep_to_string(copy) == caf::deep_to_string(deep));
  auto list = std::vector<caf::message>{inner, caf::message{}, deep};
  auto list_copy = round_trip(list);
  REQUIRE(list_copy.size() == 3);
  CHECK(caf::deep_to_string(list_copy) == caf::deep_to_string(list));
  CHECK(list_copy[0].match_elements<int32_t, point>());
}

TEST_CASE("a message in a member of a message crosses a session") {
  serializer_session writer;
  deserializer_session reader;
  output_buffer out;
  auto inner = caf::make_message(point{1, 2, 3}, samples{std::vector<double>(100, 0.5)});
  REQUIRE(writer.write(out, parcel{"p", inner}) == ec::none);
  input_cursor in{out.bytes()};
  parcel x;
  REQUIRE(reader.read(in, x) == ec::none);
  CHECK(x.label == "p");
  REQUIRE(x.content.match_elements<point, samples>());
  CHECK(x.content.get_as<samples>(1).values == std::vector<double>(100, 0.5));
}

TEST_CASE("a nested message with an unknown type is an error that names it") {
  caf::message msg;
  auto other = caf::make_message(int32_t{1});
  msg = other;
  CHECK(decode("01 00 05 6f 74 68 65 72 00*8 01", msg) == ec::unknown_type);
  CHECK(msg.cptr() == other.cptr());
  // A slot of the format that this version does not know.
  CHECK(decode("01 90 03 01", msg) == ec::unknown_type);
  CHECK(decode("01 80 04 01", msg) == ec::unknown_type);
  CHECK(decode("01 ff ff ff ff ff ff ff ff ff 01 01", msg) == ec::unknown_type);
  // The session goes on behind it, and the error has the name.
  stream_builder payload;
  payload.varint(1).varint(0).text("other").u64(7).byte(1);
  stream_builder stream;
  stream.signature(1, {35}).message(1, payload.bytes()).signature(2, {6});
  stream.message(2, "05 00 00 00");
  deserializer_session reader;
  input_cursor in{stream.bytes()};
  CHECK(reader.read_message(in, msg) == ec::unknown_type);
  CHECK(to_string(reader.last_error()).find("other") != std::string::npos);
  int32_t number = 0;
  CHECK(reader.read(in, number) == ec::none);
  CHECK(number == 5);
}

TEST_CASE("a nested message with another version of a type is an error that names it") {
  auto right = layout::schema_of<point>().fingerprint;
  for (auto fingerprint : {right - 1, right ^ uint64_t{1} << 63, uint64_t{0}}) {
    stream_builder bytes;
    bytes.varint(1).varint(0).text("session_test::point").u64(fingerprint).raw(from_hex("00*12"));
    exact_copy copy{bytes.bytes()};
    deserializer f{copy.get()};
    caf::message msg;
    CHECK_FALSE(f.apply(msg));
    CHECK(f.code() == ec::schema_mismatch);
    CHECK(f.detail() == "session_test::point");
    CHECK(msg.empty());
  }
  // The enum of an error.
  stream_builder bytes;
  bytes.byte(1).varint(0).text("session_test::fault").u64(right).byte(0);
  exact_copy copy{bytes.bytes()};
  caf::error err;
  CHECK(deserialize(copy.get(), err) == ec::schema_mismatch);
  CHECK(err.empty());
}

TEST_CASE("nested messages respect what a session allows") {
  serializer_session writer;
  output_buffer out;
  REQUIRE(writer.write(out, caf::make_message(track{"t", {}})) == ec::none);
  deserializer_session strict{known_types::only({caf::type_id_v<point>})};
  caf::message msg;
  input_cursor in{out.bytes()};
  CHECK(strict.read(in, msg) == ec::unknown_type);
  CHECK(to_string(strict.last_error()).find("session_test::track") != std::string::npos);
  deserializer_session open;
  input_cursor in2{out.bytes()};
  CHECK(open.read(in2, msg) == ec::none);
}

TEST_CASE("nested messages with types that were not registered are refused") {
  output_buffer out;
  serializer f{out};
  CHECK_FALSE(f.apply(caf::make_message(caf_only{1})));
  CHECK(f.code() == ec::unregistered_type);
  CHECK(f.detail() == "session_test::caf_only");
  CHECK(serialize(out, caf::make_message(opaque{})) == ec::unsupported_type);
  CHECK(out.size() == 0);
}

TEST_CASE("nesting is bounded") {
  auto bounds = limits::untrusted();
  auto inner = caf::make_message(int32_t{1});
  // The innermost message is a level of its own.
  caf::message msg;
  CHECK(decode(encode(nest(inner, bounds.max_depth - 1)), msg, bounds) == ec::none);
  CHECK(decode(encode(nest(inner, bounds.max_depth)), msg, bounds) == ec::depth_limit);
  stream_builder hostile;
  for (auto i = 0; i < 100'000; ++i)
    hostile.byte(1).byte(35);
  exact_copy copy{hostile.bytes()};
  CHECK(deserialize(copy.get(), msg) == ec::depth_limit);
}

TEST_CASE("malformed nested messages are refused") {
  caf::message msg;
  CHECK(decode("", msg) == ec::unexpected_end);
  CHECK(decode("05", msg) == ec::length_exceeds_input);
  CHECK(decode("01 00 05 6f 74", msg) == ec::length_exceeds_input);
  CHECK(decode("01 00 01 78 00*7", msg) == ec::unexpected_end);
  CHECK(decode("02 06 06 01 00 00 00", msg) == ec::unexpected_end);
  CHECK(decode("01 01 02", msg) == ec::invalid_bool);
  CHECK(msg.empty());
  CHECK(decode("01 06 01 00 00 00 00", msg) == ec::trailing_bytes);
  // More elements than a message can have.
  stream_builder many;
  many.varint(65536);
  for (auto i = 0; i < 65536; ++i)
    many.byte(1);
  for (auto i = 0; i < 65536; ++i)
    many.byte(0);
  exact_copy copy{many.bytes()};
  CHECK(deserialize(copy.get(), msg) == ec::memory_limit);
}

TEST_CASE("errors keep code, type and context") {
  CHECK(encode(caf::error{}) == "00");
  CHECK(round_trip(caf::error{}).empty());
  auto plain = round_trip(caf::make_error(caf::sec::unexpected_message));
  CHECK(plain == caf::sec::unexpected_message);
  CHECK(plain.context().empty());
  auto rich = round_trip(
    caf::make_error(fault::overheated, std::string{"engine"}, int32_t{130}, point{1, 2, 3}));
  CHECK(rich == fault::overheated);
  REQUIRE(rich.context().match_elements<std::string, int32_t, point>());
  CHECK(rich.context().get_as<int32_t>(1) == 130);
  CHECK(to_string(rich).find("overheated") == 0);
  auto own = round_trip(make_error_with_text(ec::unknown_type, "x"));
  CHECK(own == ec::unknown_type);
  CHECK(round_trip(caf::make_error(caf::pec::success)).empty());
}

TEST_CASE("errors cross a session") {
  serializer_session writer;
  deserializer_session reader;
  output_buffer out;
  caf::down_msg down;
  down.reason = caf::make_error(fault::jammed, std::string{"paper"});
  REQUIRE(writer.write(out, down) == ec::none);
  input_cursor in{out.bytes()};
  caf::down_msg copy;
  REQUIRE(reader.read(in, copy) == ec::none);
  CHECK(copy.reason == fault::jammed);
  CHECK(copy.reason.context().get_as<std::string>(0) == "paper");
}

TEST_CASE("an error of an enum that is unknown here says so") {
  stream_builder bytes;
  bytes.byte(3).varint(0).text("other::fault").u64(7).byte(1).varint(13).text("ctx");
  exact_copy copy{bytes.bytes()};
  caf::error err;
  REQUIRE(deserialize(copy.get(), err) == ec::none);
  CHECK(err == ec::foreign_error);
  CHECK(to_string(err).find("other::fault(3)") != std::string::npos);
  // A slot of the format that this version does not know.
  REQUIRE(decode("07 90 03 00", err) == ec::none);
  CHECK(err == ec::foreign_error);
  CHECK(to_string(err).find("slot 400(7)") != std::string::npos);
}

TEST_CASE("an error of an enum that this session does not allow is foreign") {
  serializer_session writer;
  output_buffer out;
  REQUIRE(writer.write(out, caf::make_error(fault::jammed)) == ec::none);
  deserializer_session reader{known_types::only({caf::type_id_v<point>})};
  input_cursor in{out.bytes()};
  caf::error err;
  REQUIRE(reader.read(in, err) == ec::none);
  CHECK(err == ec::foreign_error);
  CHECK(to_string(err).find("session_test::fault(2)") != std::string::npos);
}

TEST_CASE("an error of an enum that only CAF knows is refused") {
  output_buffer out;
  CHECK(serialize(out, caf::make_error(private_fault::broken)) == ec::unregistered_type);
  CHECK(out.size() == 0);
}

TEST_CASE("the category of an error must be an enum of error codes") {
  // CAF prints an error by treating its code as an object of the category: with the category
  // std::string it would read memory that does not exist.
  caf::error err;
  for (uint64_t slot = 1; slot < cafwire::detail::core_types().size(); ++slot) {
    stream_builder bytes;
    bytes.byte(1).varint(slot).byte(0);
    exact_copy copy{bytes.bytes()};
    auto* type = cafwire::detail::core_types()[slot];
    auto is_code
      = type->id
          == caf::
            type_id_v<caf::sec> || type->id == caf::type_id_v<caf::pec> || type->id == caf::type_id_v<caf::exit_reason> || type->id == caf::type_id_v<ec>;
    INFO("category " << type->name);
    CHECK(deserialize(copy.get(), err) == (is_code ? ec::none : ec::invalid_tag));
    CHECK_FALSE(to_string(err).empty());
  }
  for (auto name : {"session_test::point", "session_test::color", "session_test::moody"}) {
    auto* type = known_types::global()->find(std::string_view{name});
    stream_builder bytes;
    bytes.byte(1).varint(0).text(name).u64(type->schema().fingerprint).byte(0);
    exact_copy copy{bytes.bytes()};
    CHECK(deserialize(copy.get(), err) == ec::invalid_tag);
  }
}

TEST_CASE("codes of errors that have no enumerator are kept") {
  caf::error err;
  REQUIRE(decode("fe 29 00", err) == ec::none);
  CHECK(err.code() == 0xfe);
  CHECK_FALSE(to_string(err).empty());
}
