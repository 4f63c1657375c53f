// This file is part of cafwire. See the file LICENSE for license terms.

// Messages that pass through a program which does not know their types.

#include "cafwire/message/raw_message.hpp"

#include <cafwire/inspect/handle_codec.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"
#include "support/stock_codec.hpp"

#include <caf/all.hpp>
#include <caf/deep_to_string.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "support/catch.hpp"

#include <catch2/generators/catch_generators.hpp>

using namespace cafwire;
using namespace session_test;

namespace {

session_options keeping() {
  session_options result;
  result.keep_unknown_messages = true;
  return result;
}

/// Knows the types of the format only.
known_types_ptr nothing() {
  return std::make_shared<known_types>(std::vector<const message_type*>{});
}

std::vector<caf::message> samples_of_messages() {
  std::vector<caf::message> result;
  result.push_back(caf::make_message(point{1, 2, 3}));
  result.push_back(caf::make_message(int32_t{5}, point{4, 5, 6}, std::string(300, 'x')));
  result.push_back(caf::make_message(point{1, 2, 3}));
  result.push_back(caf::make_message(std::string{"known"}));
  result.push_back(caf::make_message(samples{std::vector<double>(100, 0.5)}));
  result.push_back(caf::make_message(track{"t", {{1, 2, 3}}}, point{7, 8, 9}));
  result.push_back(caf::make_message());
  result.push_back(caf::make_message(samples{std::vector<double>(3, 0.5)}));
  return result;
}

byte_vector write_all(const std::vector<caf::message>& messages) {
  serializer_session writer;
  output_buffer out;
  for (auto& x : messages)
    REQUIRE(writer.write_message(out, x) == ec::none);
  return to_vector(out.bytes());
}

std::vector<caf::message> read_all(deserializer_session& reader, std::span<const std::byte> bytes) {
  std::vector<caf::message> result;
  exact_copy input{bytes};
  input_cursor in{input.get()};
  while (!in.at_end()) {
    auto& msg = result.emplace_back();
    REQUIRE(reader.read_message(in, msg) == ec::none);
  }
  return result;
}

void check_relay(serializer_session& writer, deserializer_session& reader) {
  auto messages = samples_of_messages();
  deserializer_session relay{nothing(), keeping()};
  output_buffer out;
  size_t kept = 0;
  for (auto& x : read_all(relay, write_all(messages))) {
    kept += x.match_elements<raw_message>() ? 1 : 0;
    REQUIRE(writer.write_message(out, x) == ec::none);
  }
  CHECK(kept == 6);
  auto result = read_all(reader, out.bytes());
  REQUIRE(result.size() == messages.size());
  for (size_t i = 0; i < result.size(); ++i)
    CHECK(caf::deep_to_string(result[i]) == caf::deep_to_string(messages[i]));
}

raw_message keep_one(const caf::message& msg) {
  deserializer_session relay{nothing(), keeping()};
  auto result = read_all(relay, write_all({msg}));
  REQUIRE(result.at(0).match_elements<raw_message>());
  return result[0].get_as<raw_message>(0);
}

/// Writes each actor as its position in a list plus a base.
class numbered_handles : public handle_codec {
public:
  numbered_handles(caf::actor_system& sys, uint64_t base) : base_(base) {
    for (auto& x : actors)
      x = caf::actor_cast<caf::strong_actor_ptr>(
        sys.spawn([] { return caf::behavior{[](int32_t) {}}; }));
  }

  ec save(serializer& f, const caf::strong_actor_ptr& handle) override {
    auto i = std::find(actors.begin(), actors.end(), handle) - actors.begin();
    return f.byte(static_cast<uint8_t>(handle_tag::of_writer))
               && f.varint(base_ + static_cast<uint64_t>(i))
             ? ec::none
             : f.code();
  }

  ec load(deserializer& f, handle_tag tag, caf::strong_actor_ptr& handle) override {
    uint64_t number = 0;
    if (tag != handle_tag::of_writer || !f.varint(number) || number - base_ >= actors.size())
      return ec::unreachable_actor;
    handle = actors[number - base_];
    return ec::none;
  }

  std::array<caf::strong_actor_ptr, 3> actors;

private:
  uint64_t base_;
};

using actors = std::array<caf::strong_actor_ptr, 3>;

/// Checks that a kept message holds its actors and is written with the handles of the next session.
/// @param values writes values that have the schema, with handles.
/// @param expected_actors returns the actors in the order of the payload.
template <class Values, class Expected>
void check_rewriting(const std::string& schema, Values values, Expected expected_actors) {
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  auto first = numbered_handles{sys, 5};
  auto second = numbered_handles{sys, 70'000};
  second.actors = first.actors;
  auto payload = [&](numbered_handles& handles) {
    output_buffer out;
    serializer f{out, &handles};
    REQUIRE(values(f, handles.actors));
    f.flush();
    return to_vector(out.bytes());
  };
  stream_builder stream;
  stream.type(512, "x", layout::fingerprint_of(schema), schema).signature(1, {512});
  stream.message(1, payload(first));
  auto options = keeping();
  options.handles = &first;
  deserializer_session relay{nothing(), options};
  auto msg = read_all(relay, stream.bytes()).at(0);
  REQUIRE(msg.match_elements<raw_message>());
  options.handles = &second;
  serializer_session writer{nothing(), options};
  output_buffer out;
  if (GENERATE(true, false)) {
    REQUIRE(writer.write_message(out, msg) == ec::none);
  } else {
    output_buffer encoded;
    caf::error reason;
    REQUIRE(writer.encode_payload(encoded, msg, &second, reason) == ec::none);
    REQUIRE(writer.write_head(out, msg, encoded.size()) == ec::none);
    REQUIRE(out.append(encoded.data(), encoded.size()));
  }
  deserializer_session next{nothing(), options};
  auto copy = read_all(next, out.bytes()).at(0);
  REQUIRE(copy.match_elements<raw_message>());
  auto& raw = copy.get_as<raw_message>(0);
  auto expected = payload(second);
  auto actual = std::as_bytes(std::span{raw.payload});
  CHECK(std::equal(actual.begin(), actual.end(), expected.begin(), expected.end()));
  // The message keeps the actors alive.
  std::vector<caf::strong_actor_ptr> kept;
  for (auto& x : raw.pieces)
    if (x.actor != nullptr)
      kept.push_back(x.actor);
  CHECK(kept == expected_actors(first.actors));
}

} // namespace

TEST_CASE("messages pass through a program that does not know their types") {
  serializer_session writer{nothing()};
  deserializer_session reader;
  check_relay(writer, reader);
  CHECK(writer.definitions() == 3 + 6);
}

TEST_CASE("messages pass between programs of equal registries that do not have their types") {
  session_options options;
  auto types = known_types::only({caf::type_id_v<reading>});
  options.peer_registry_hash = types->hash();
  serializer_session writer{types, options};
  REQUIRE(writer.uses_known_types());
  output_buffer out;
  auto raw = keep_one(caf::make_message(point{1, 2, 3}, reading{"r", {4, 5, 6}}));
  REQUIRE(writer.write_raw(out, raw) == ec::none);
  REQUIRE(writer.write_message(out, caf::make_message(raw)) == ec::none);
  // One definition of a type, because both ends know the other one.
  CHECK(writer.definitions() == 2);
  options.keep_unknown_messages = true;
  deserializer_session next{types, options};
  auto messages = read_all(next, out.bytes());
  REQUIRE(messages.size() == 2);
  REQUIRE(messages[1].match_elements<raw_message>());
  auto& copy = messages[1].get_as<raw_message>(0);
  CHECK(copy.payload == raw.payload);
  CHECK(*copy.types == *raw.types);
  // Behind it is a program that knows everything.
  out.clear();
  serializer_session last{nothing()};
  REQUIRE(last.write_raw(out, copy) == ec::none);
  deserializer_session reader;
  auto result = read_all(reader, out.bytes());
  REQUIRE(result.at(0).match_elements<point, reading>());
  CHECK(result[0].get_as<point>(0) == point{1, 2, 3});
  CHECK(result[0].get_as<reading>(1) == reading{"r", {4, 5, 6}});
}

TEST_CASE("a raw message becomes an ordinary one where its types are known") {
  serializer_session writer;
  deserializer_session reader;
  check_relay(writer, reader);
  output_buffer out;
  auto before = writer.definitions();
  REQUIRE(writer.write(out, point{1, 2, 3}) == ec::none);
  // The type has a slot already, but not the list of types.
  CHECK(writer.definitions() == before + 1);
}

TEST_CASE("a raw message that is encoded apart makes the same stream") {
  serializer_session at_once{nothing()};
  serializer_session apart{nothing()};
  output_buffer expected;
  output_buffer actual;
  auto messages = samples_of_messages();
  messages.push_back(caf::make_message(reading{std::string(70'000, 'r'), {4, 5, 6}}));
  for (auto round = 0; round < 2; ++round) {
    deserializer_session relay{nothing(), keeping()};
    for (auto& msg : read_all(relay, write_all(messages))) {
      REQUIRE(at_once.write_message(expected, msg) == ec::none);
      output_buffer payload;
      caf::error reason;
      REQUIRE(apart.encode_payload(payload, msg, nullptr, reason) == ec::none);
      REQUIRE(apart.write_head(actual, msg, payload.size()) == ec::none);
      REQUIRE(actual.append(payload.data(), payload.size()));
      REQUIRE(to_vector(actual.bytes()) == to_vector(expected.bytes()));
    }
  }
  CHECK(apart.definitions() == at_once.definitions());
  // What is no message at all leaves no trace.
  auto broken = keep_one(caf::make_message(point{1, 2, 3}));
  broken.types = std::make_shared<const std::vector<raw_type>>(1);
  CHECK(apart.write_head(actual, caf::make_message(broken), 12) == ec::invalid_definition);
  CHECK(actual.size() == expected.size());
}

TEST_CASE("raw messages would need the definitions of the messages that they were") {
  serializer_session writer{nothing()};
  output_buffer out;
  for (auto& msg : {caf::make_message(point{1, 2, 3}, reading{"r", {4, 5, 6}}),
                    caf::make_message(reading{"r", {4, 5, 6}}, int32_t{1}),
                    caf::make_message(point{1, 2, 3}, reading{"r", {4, 5, 6}})}) {
    auto raw = caf::make_message(keep_one(msg));
    serializer_session known;
    output_buffer known_out;
    REQUIRE(known.write_message(known_out, msg) == ec::none);
    REQUIRE(writer.write_message(out, raw) == ec::none);
    CHECK(writer.definition_bytes_alone(raw.types()) == known.definition_bytes());
  }
}

TEST_CASE("messages are kept on demand only") {
  deserializer_session relay{nothing()};
  auto bytes = write_all({caf::make_message(point{1, 2, 3}), caf::make_message(int32_t{5})});
  input_cursor in{bytes};
  caf::message msg;
  CHECK(relay.read_message(in, msg) == ec::unknown_type);
  CHECK(relay.status() == read_status::skipped);
  CHECK(relay.read_message(in, msg) == ec::none);
  CHECK(msg.match_elements<int32_t>());
}

TEST_CASE("raw messages are values as others are") {
  auto raw = keep_one(caf::make_message(point{1, 2, 3}));
  auto msg = caf::make_message(raw);
  auto copy = msg;
  copy.get_mutable_as<raw_message>(0).payload[0] = 9;
  CHECK(msg.get_as<raw_message>(0).payload[0] == 1);
  CHECK(caf::deep_to_string(msg).find("session_test::point") != std::string::npos);
  raw_message loaded;
  REQUIRE(test::stock_round_trip(raw, loaded));
  CHECK(loaded.payload == raw.payload);
  REQUIRE(loaded.types != nullptr);
  CHECK(*loaded.types == *raw.types);
}

TEST_CASE("payloads that make no sense are not kept") {
  auto& schema = layout::schema_of<point>();
  stream_builder stream;
  stream.type(512, "session_test::point", schema.fingerprint, schema.text).signature(1, {512});
  std::string good = "01 00*3 02 00*3 03 00*3";
  stream.message(1, good + " 00").message(1, "01 00*3").message(1, good);
  deserializer_session relay{nothing(), keeping()};
  exact_copy input{stream.bytes()};
  input_cursor in{input.get()};
  caf::message msg;
  CHECK(relay.read_message(in, msg) == ec::trailing_bytes);
  CHECK(relay.status() == read_status::skipped);
  CHECK(relay.read_message(in, msg) == ec::unexpected_end);
  CHECK(relay.read_message(in, msg) == ec::none);
  CHECK(msg.match_elements<raw_message>());
}

TEST_CASE("handles that mean something on a link only need somebody who knows what") {
  std::string schema = "x;x{a:actor}";
  stream_builder stream;
  stream.type(512, "x", layout::fingerprint_of(schema), schema).signature(1, {512});
  stream.message(1, "02 05").message(1, "03 05").message(1, "00");
  stream.message(1, "01 00 05 00*7");
  deserializer_session relay{nothing(), keeping()};
  exact_copy input{stream.bytes()};
  input_cursor in{input.get()};
  caf::message msg;
  CHECK(relay.read_message(in, msg) == ec::no_actor_context);
  CHECK(relay.status() == read_status::skipped);
  CHECK(relay.read_message(in, msg) == ec::no_actor_context);
  CHECK(relay.read_message(in, msg) == ec::none);
  CHECK(relay.read_message(in, msg) == ec::none);
  CHECK(msg.match_elements<raw_message>());
  CHECK(msg.get_as<raw_message>(0).pieces.empty());
}

TEST_CASE("handles are written anew, and what is aligned behind them") {
  auto text_size = GENERATE(0, 3, 255, 256, 300);
  auto values = [&](serializer& f, const actors& xs) {
    return f.apply(std::vector{xs[0], xs[1], caf::strong_actor_ptr{}})
           && f.apply(std::string(static_cast<size_t>(text_size), 's')) && f.apply(xs[2])
           && f.apply(std::vector<double>(40, 0.5));
  };
  check_rewriting("x;x{a:seq(actor),s:seq(c8),b:actor,n:seq(f64)}", values, [](const actors& xs) {
    return std::vector{xs[0], xs[1], xs[2]};
  });
}

TEST_CASE("handles are found wherever they stand") {
  auto number_of_doubles = GENERATE(size_t{0}, size_t{31}, size_t{32}, size_t{100});
  auto all = [](const actors& xs) { return std::vector{xs[1], xs[0], xs[2]}; };
  auto doubles = std::vector<double>(number_of_doubles, 0.5);
  SECTION("in optionals, variants and arrays") {
    auto values = [&](serializer& f, const actors& xs) {
      using choice = std::variant<int8_t, caf::strong_actor_ptr>;
      return f.apply(std::optional{xs[1]}) && f.apply(std::optional<caf::strong_actor_ptr>{})
             && f.apply(choice{int8_t{7}}) && f.apply(choice{xs[0]}) && f.apply(doubles)
             && f.apply(std::array{xs[2], caf::strong_actor_ptr{}});
    };
    check_rewriting("(opt(actor),opt(actor),var(i8,actor),var(i8,actor),seq(f64),[2]actor)", values,
                    all);
  }
  SECTION("in maps, behind shared pointers and in fields with a fallback") {
    auto values = [&](serializer& f, const actors& xs) {
      return f.apply(std::map<int32_t, caf::strong_actor_ptr>{{1, xs[1]}, {2, xs[0]}})
             && f.apply(std::make_shared<caf::strong_actor_ptr>(xs[2])) && f.apply(true)
             && f.apply(doubles);
    };
    check_rewriting("{m:map(i32,actor),p:shared(actor),d?:seq(f64)}", values, all);
  }
  SECTION("in messages inside of messages") {
    auto text = std::string(8 * number_of_doubles, 'x');
    auto values = [&](serializer& f, const actors& xs) {
      auto inner = caf::make_message(xs[1], int32_t{5}, caf::actor_cast<caf::actor>(xs[0]));
      return f.apply(std::vector{inner, caf::make_message(caf::make_message(xs[2]), text)});
    };
    check_rewriting("(seq(caf::message))", values, all);
  }
  SECTION("in types of CAF") {
    auto values = [&](serializer& f, const actors& xs) {
      return f.apply(caf::down_msg{xs[1]->address(), caf::exit_reason::kill}) && f.apply(xs[0])
             && f.apply(caf::exit_msg{xs[2]->address(), {}}) && f.apply(doubles);
    };
    check_rewriting("(caf::down_msg,actor,caf::exit_msg,seq(f64))", values, all);
  }
}

TEST_CASE("handles that tell node and ID stay as they are") {
  caf::actor_system_config cfg;
  caf::actor_system sys{cfg};
  auto handles = local_handle_codec{sys};
  auto target = sys.spawn([] { return caf::behavior{[](int32_t) {}}; });
  output_buffer out;
  serializer f{out, &handles};
  REQUIRE(f.apply(target));
  f.flush();
  // Whoever can be found by node and ID lives on until then.
  caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
  std::string schema = "{a:actor}";
  stream_builder stream;
  stream.type(512, "x", layout::fingerprint_of(schema), schema).signature(1, {512});
  stream.message(1, out.bytes());
  deserializer_session relay{nothing(), keeping()};
  auto msg = read_all(relay, stream.bytes()).at(0);
  REQUIRE(msg.match_elements<raw_message>());
  CHECK(msg.get_as<raw_message>(0).pieces.empty());
  auto& payload = msg.get_as<raw_message>(0).payload;
  CHECK(to_hex(std::as_bytes(std::span{payload})) == to_hex(out.bytes()));
}

TEST_CASE("pieces that are not in the payload are refused and leave no trace") {
  using range = std::pair<uint64_t, uint64_t>;
  auto raw = keep_one(caf::make_message(point{1, 2, 3}));
  auto [offset, size] = GENERATE(range{13, 0}, range{12, 1}, range{0, 13}, range{UINT64_MAX, 2},
                                 range{1, UINT64_MAX});
  raw.pieces.push_back({offset, size, true, nullptr});
  serializer_session writer{nothing()};
  output_buffer out;
  CHECK(writer.write_raw(out, raw) == ec::invalid_definition);
  CHECK(out.empty());
  CHECK(writer.definitions() == 0);
  raw.pieces = {{4, 0, true, nullptr}, {3, 1, true, nullptr}};
  CHECK(writer.write_raw(out, raw) == ec::invalid_definition);
  CHECK(out.empty());
}

TEST_CASE("messages with a type that has no usable schema are not kept") {
  stream_builder stream;
  stream.type(512, "x", 7).type(513, "y", layout::fingerprint_of("nonsense("), "nonsense(");
  stream.signature(1, {512}).signature(2, {513}).signature(3, {400}).signature(4, {6, 512});
  stream.message(1, "00").message(2, "00").message(3, "00").message(4, "05 00*3 00");
  deserializer_session relay{nothing(), keeping()};
  input_cursor in{stream.bytes()};
  caf::message msg;
  for (auto i = 0; i < 4; ++i) {
    CHECK(relay.read_message(in, msg) == ec::unknown_type);
    CHECK(relay.status() == read_status::skipped);
  }
  CHECK(in.at_end());
}

TEST_CASE("raw messages share the tables of a session") {
  session_options options;
  options.bounds.max_type_slots = 1;
  serializer_session writer{nothing(), options};
  auto a = keep_one(caf::make_message(point{1, 2, 3}));
  auto b = keep_one(caf::make_message(track{"t", {}}));
  auto both = keep_one(caf::make_message(track{"t", {}}, point{1, 2, 3}));
  output_buffer out;
  // Each needs the only slot, so there is a reset in between.
  REQUIRE(writer.write_raw(out, a) == ec::none);
  REQUIRE(writer.write_raw(out, b) == ec::none);
  auto size = out.size();
  CHECK(writer.write_raw(out, both) == ec::table_full);
  CHECK(out.size() == size);
  REQUIRE(writer.write_raw(out, a) == ec::none);
  deserializer_session reader{known_types::global(), options};
  auto messages = read_all(reader, out.bytes());
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].match_elements<point>());
  CHECK(messages[1].match_elements<track>());
  CHECK(messages[2].match_elements<point>());
}

TEST_CASE("a raw message that nobody could define is refused and leaves no trace") {
  auto raw = keep_one(caf::make_message(point{1, 2, 3}));
  auto types = *raw.types;
  serializer_session writer{nothing()};
  output_buffer out;
  SECTION("a type without a name") {
    types[0].name.clear();
  }
  SECTION("a schema that is too long") {
    types[0].schema.assign(5000, 'x');
  }
  SECTION("a slot that the format does not have") {
    types[0].core_slot = 512;
  }
  raw.types = std::make_shared<const std::vector<raw_type>>(types);
  CHECK(writer.write_raw(out, raw) == ec::invalid_definition);
  CHECK(out.empty());
  CHECK(writer.definitions() == 0);
  REQUIRE(writer.write(out, int32_t{5}) == ec::none);
  deserializer_session reader;
  CHECK(read_all(reader, out.bytes()).size() == 1);
}
