// This file is part of cafwire. See the file LICENSE for license terms.

#include <cafwire/message/message_codec.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include <caf/all.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/ipv4_endpoint.hpp>
#include <caf/ipv4_subnet.hpp>
#include <caf/ipv6_endpoint.hpp>
#include <caf/ipv6_subnet.hpp>
#include <caf/uri.hpp>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

message_layout layout_of(caf::type_id_list ids) {
  std::vector<const message_type*> types;
  for (auto id : ids)
    types.push_back(known_types::global()->find(id));
  return make_message_layout(std::move(types));
}

/// Sends a message through a session and checks that it comes back with its types and its text.
void check_round_trip(const caf::message& msg) {
  serializer_session writer;
  deserializer_session reader;
  output_buffer out;
  INFO(caf::deep_to_string(msg));
  REQUIRE(writer.write_message(out, msg) == ec::none);
  input_cursor in{out.bytes()};
  caf::message copy;
  REQUIRE(reader.read_message(in, copy) == ec::none);
  CHECK(in.at_end());
  CHECK(copy.types() == msg.types());
  CHECK(caf::deep_to_string(copy) == caf::deep_to_string(msg));
  // The copy has the same encoding.
  output_buffer again;
  serializer_session second_writer;
  REQUIRE(second_writer.write_message(again, copy) == ec::none);
  CHECK(to_hex(again.bytes()) == to_hex(out.bytes()));
}

template <class T>
T parse(std::string_view text) {
  T result;
  REQUIRE(caf::parse(compat::from_std(text), result).empty());
  return result;
}

} // namespace

TEST_CASE("a layout knows its types and their memory") {
  auto layout = layout_of(caf::make_type_id_list<point, int8_t, std::string>());
  CHECK(layout.ids == caf::make_type_id_list<point, int8_t, std::string>());
  CHECK(layout.storage_size
        == caf::detail::padded_size_v<
             point> + caf::detail::padded_size_v<int8_t> + caf::detail::padded_size_v<std::string>);
  auto empty = layout_of(caf::make_type_id_list());
  CHECK(empty.ids.size() == 0);
  CHECK(empty.storage_size == 0);
}

TEST_CASE("elements are written one behind the other") {
  auto layout = layout_of(caf::make_type_id_list<int16_t, std::string, uint8_t>());
  output_buffer out;
  {
    serializer f{out};
    REQUIRE(
      save_elements(f, layout.types, caf::make_message(int16_t{1}, std::string{"ab"}, uint8_t{3})));
  }
  CHECK(to_hex(out.bytes()) == "01 00 02 61 62 03");
  deserializer f{out.bytes()};
  caf::message msg;
  REQUIRE(load_elements(f, layout, msg));
  CHECK(f.remaining() == 0);
  REQUIRE(msg.match_elements<int16_t, std::string, uint8_t>());
  CHECK(msg.get_as<std::string>(1) == "ab");
}

TEST_CASE("a message without elements takes no bytes") {
  auto layout = layout_of(caf::make_type_id_list());
  output_buffer out;
  {
    serializer f{out};
    REQUIRE(save_elements(f, layout.types, caf::message{}));
  }
  CHECK(out.size() == 0);
  deserializer f{out.bytes()};
  auto msg = caf::make_message(int32_t{1});
  REQUIRE(load_elements(f, layout, msg));
  CHECK(msg.empty());
}

TEST_CASE("each element is constructed and destroyed once, also after a failure") {
  auto layout = layout_of(caf::make_type_id_list<counted, counted, counted>());
  auto alive = counted::alive;
  auto old = caf::make_message(int32_t{1});
  // Good, second element violates its invariant, input ends in the third.
  struct input {
    std::string_view hex;
    ec code;
  };
  for (auto [hex, code] :
       {input{"01 00 00 00 02 00 00 00 03 00 00 00", ec::none},
        input{"01 00 00 00 ff ff 00 00 03 00 00 00", ec::invariant_failed},
        input{"01 00 00 00 02 00 00 00 03", ec::unexpected_end}, input{"", ec::unexpected_end}}) {
    auto bytes = from_hex(hex);
    deserializer f{bytes};
    auto msg = old;
    CHECK(load_elements(f, layout, msg) == (code == ec::none));
    CHECK(f.code() == code);
    if (code == ec::none) {
      CHECK(counted::alive == alive + 3);
      CHECK(msg.get_as<counted>(2).value == 3);
    } else {
      CHECK(counted::alive == alive);
      CHECK(msg.cptr() == old.cptr());
    }
  }
  CHECK(counted::alive == alive);
}

TEST_CASE("all types of CAF that hold values cross a session") {
  check_round_trip(caf::make_message(true, int8_t{-1}, uint8_t{1}, int16_t{-2}, uint16_t{2},
                                     int32_t{-3}, uint32_t{3}, int64_t{-4}, uint64_t{4}));
  check_round_trip(caf::make_message(1.5f, -2.5, std::string{"text"}, std::u16string{u"16"},
                                     std::u32string{U"32"}, std::set<std::string>{"a", "b"}));
  check_round_trip(caf::make_message(caf::byte_buffer(5), caf::unit, caf::none, caf::ok_atom_v));
  check_round_trip(caf::make_message(caf::timespan{12345}, caf::timestamp{caf::timespan{67890}}));
  check_round_trip(caf::make_message(caf::exit_reason::kill, caf::sec::invalid_argument,
                                     caf::pec::trailing_character, ec::depth_limit));
  check_round_trip(caf::make_message(caf::make_message_id(caf::message_priority::high)));
  check_round_trip(caf::make_message(caf::error{}, caf::make_error(caf::sec::bad_function_call)));
}

TEST_CASE("a long double crosses a session although CAF does not align it") {
  stream_builder stream;
  stream.signature(1, {1, 12, 1, 12});
  stream.message(1, "01 00 00 00 00 00 00 00 80 00 c0 00 00 00 00 00 00 00 00 80 ff 3f");
  deserializer_session reader;
  input_cursor in{stream.bytes()};
  caf::message msg;
  REQUIRE(reader.read_message(in, msg) == ec::none);
  REQUIRE(msg.match_elements<bool, long double, bool, long double>());
  serializer_session writer;
  output_buffer out;
  REQUIRE(writer.write_message(out, msg) == ec::none);
  CHECK(to_hex(out.bytes()) == to_hex(stream.bytes()));
}

TEST_CASE("configuration values cross a session") {
  caf::settings inner;
  put(inner, "number", 42);
  put(inner, "list", std::vector<std::string>{"a", "b"});
  caf::settings outer;
  put(outer, "flag", true);
  put(outer, "real", 1.5);
  put(outer, "span", caf::timespan{1000});
  put(outer, "inner", inner);
  check_round_trip(caf::make_message(outer, caf::config_value{outer}, caf::config_value{}));
  check_round_trip(caf::make_message(
    caf::config_value{parse<caf::uri>("https://example.org/a?b=c")},
    std::vector<caf::config_value>{caf::config_value{1}, caf::config_value{"two"}}));
}

TEST_CASE("configuration values respect the depth limit") {
  // Index 7 is a list: each level takes two bytes.
  stream_builder payload;
  for (auto i = 0; i < 100'000; ++i)
    payload.byte(7).byte(1);
  caf::config_value x;
  exact_copy lists{payload.bytes()};
  CHECK(deserialize(lists.get(), x) == ec::depth_limit);
  // Index 0 is no value: nothing follows.
  exact_copy nothing{from_hex("00*100000")};
  CHECK(deserialize(nothing.get(), x) == ec::trailing_bytes);
  exact_copy other{from_hex("09")};
  CHECK(deserialize(other.get(), x) == ec::invalid_variant_index);
}

TEST_CASE("texts that are no URI are refused") {
  caf::uri x;
  stream_builder payload;
  payload.text("no uri");
  CHECK(deserialize(payload.bytes(), x) == ec::inspect_failed);
  CHECK(x.empty());
}

TEST_CASE("addresses cross a session") {
  auto v4 = caf::make_ipv4_address(127, 0, 0, 1);
  auto v6 = parse<caf::ipv6_address>("2001:db8::1");
  check_round_trip(caf::make_message(v4, caf::ipv4_endpoint{v4, 80}, caf::ipv4_subnet{v4, 24}));
  check_round_trip(caf::make_message(v6, caf::ipv6_endpoint{v6, 443}, caf::ipv6_subnet{v6, 64}));
  check_round_trip(
    caf::make_message(parse<caf::uri>("tcp://user@example.org:8080/path?k=v#frag"), caf::uri{}));
}

TEST_CASE("names of nodes cross a session") {
  caf::hashed_node_id::host_id_type host;
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = static_cast<uint8_t>(i);
  check_round_trip(caf::make_message(caf::make_node_id(1234, host), caf::node_id{}));
  check_round_trip(caf::make_message(caf::make_node_id(parse<caf::uri>("test://node"))));
  check_round_trip(caf::make_message(caf::hashed_node_id{5, host},
                                     caf::node_down_msg{caf::make_node_id(1234, host),
                                                        caf::make_error(caf::sec::end_of_stream)}));
}

TEST_CASE("handles without an actor cross a session without a context") {
  check_round_trip(caf::make_message(caf::actor{}, caf::actor_addr{}, caf::strong_actor_ptr{},
                                     caf::weak_actor_ptr{}));
  check_round_trip(caf::make_message(std::vector<caf::actor>(2), std::vector<caf::actor_addr>(1),
                                     std::vector<caf::strong_actor_ptr>(3),
                                     std::vector<caf::weak_actor_ptr>(1)));
  check_round_trip(caf::make_message(caf::exit_msg{{}, caf::exit_reason::user_shutdown},
                                     caf::down_msg{{}, caf::exit_reason::kill}));
  check_round_trip(caf::make_message(std::vector<std::pair<std::string, caf::message>>{
    {"a", caf::make_message(int32_t{1})}, {"b", {}}}));
}

TEST_CASE("types of the application cross a session") {
  check_round_trip(caf::make_message(point{1, 2, 3}, reading{"s", {1, 2}}, track{"t", {{1, 2, 3}}},
                                     color::blue, fault::jammed, verbose{3},
                                     samples{std::vector<double>(100, 1.0)},
                                     parcel{"p", caf::make_message(color::red)}));
}
