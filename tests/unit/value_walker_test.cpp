// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/value_walker.hpp"

#include "cafwire/codec.hpp"
#include "cafwire/message/schema_source.hpp"

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"
#include "support/specimens.hpp"

#include <caf/all.hpp>

#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;
using namespace std::string_literals;
using layout::schema_node;
using layout::schema_tree;
using layout::value_walker;

namespace {

schema_tree tree_of(std::string_view text) {
  schema_tree result;
  std::string problem;
  REQUIRE(schema_tree::parse(text, result, problem) == ec::none);
  return result;
}

template <class T>
byte_vector encode(const T& x) {
  output_buffer out;
  REQUIRE(serialize(out, x) == ec::none);
  return to_vector(out.bytes());
}

/// Reads a message that holds one value.
ec skip(const schema_tree& tree, std::span<const std::byte> bytes) {
  exact_copy input{bytes};
  schema_source types{known_types::global()};
  value_walker walker{input_cursor{input.get()}, limits::untrusted(), &types};
  if (!walker.skip(tree.root()))
    return walker.code();
  return walker.cursor().at_end() ? ec::none : ec::trailing_bytes;
}

/// Prints what it sees.
class printer : public layout::value_visitor {
public:
  std::string text;

  void scalar(const schema_node& type, std::span<const std::byte> bytes) override {
    add(layout::short_name(type) + ' ' + to_hex(bytes));
  }

  void run(const schema_node&, uint64_t n, std::span<const std::byte> bytes) override {
    add(std::to_string(n) + " numbers " + to_hex(bytes));
  }

  void bits(const schema_node&, uint64_t n, std::span<const std::byte> bytes) override {
    add(std::to_string(n) + " bits " + to_hex(bytes));
  }

  void begin(const schema_node&, uint64_t n) override {
    add("begin " + std::to_string(n));
  }

  void end(const schema_node&) override {
    add("end");
  }

  void part(const schema_node&, const layout::schema_field& x, bool present) override {
    if (x.has_name || !present)
      add(x.name + (present ? "" : " absent"));
  }

  void object(const schema_node&, uint64_t number, const std::byte*) override {
    add("object " + std::to_string(number));
  }

  void reference(const schema_node&, uint64_t number) override {
    add("reference " + std::to_string(number));
  }

  void null(const schema_node&) override {
    add("null");
  }

  void handle(const layout::handle_parts& x) override {
    add("handle " + std::to_string(static_cast<unsigned>(x.tag)) + ' ' + std::to_string(x.number)
        + ' ' + to_hex(x.node) + ' ' + std::to_string(x.id));
  }

  void element(std::string_view type_name, uint8_t code) override {
    add("element " + std::string{type_name} + ' ' + std::to_string(code));
  }

private:
  void add(const std::string& x) {
    if (!text.empty())
      text += ", ";
    text += x;
  }
};

std::string print(std::string_view schema, std::string_view hex) {
  auto tree = tree_of(schema);
  exact_copy input{from_hex(hex)};
  schema_source types{known_types::global()};
  value_walker walker{input_cursor{input.get()}, limits::untrusted(), &types};
  printer out;
  REQUIRE(walker.visit(tree.root(), out));
  CHECK(walker.cursor().at_end());
  return out.text;
}

/// The walker accepts all that a deserializer accepts, and stops where it stops.
template <class T>
void check_value(const T& x) {
  auto& schema = layout::schema_of<T>();
  INFO(schema.text);
  auto tree = tree_of(schema.text);
  auto bytes = encode(x);
  CHECK(skip(tree, bytes) == ec::none);
  for (size_t n = 0; n < bytes.size(); ++n)
    if (skip(tree, std::span{bytes}.first(n)) == ec::none)
      FAIL("accepts the first " << n << " of " << bytes.size() << " bytes");
  std::minstd_rand random{static_cast<unsigned>(bytes.size()) + 1};
  for (auto round = 0; round < 300; ++round) {
    auto changed = bytes;
    for (auto n = 1 + random() % 2; n > 0 && !changed.empty(); --n)
      changed[random() % changed.size()] = static_cast<std::byte>(random() % 256);
    T target{};
    exact_copy input{changed};
    auto accepted = deserialize(input.get(), target) == ec::none;
    auto walked = skip(tree, changed) == ec::none;
    if (accepted && !walked)
      FAIL("refuses " << to_hex(changed));
  }
}

} // namespace

TEST_CASE("a walker accepts what a deserializer accepts") {
  test::for_each_specimen([](auto x) { check_value(x); });
  check_value(point{1, 2, 3});
  check_value(caf::make_message(point{1, 2, 3}, std::string(300, 'x'), 1.5));
  check_value(caf::make_error(fault::jammed, std::string{"x"}, caf::make_message(int32_t{5})));
  check_value(caf::config_value{std::vector<caf::config_value>(3)});
  check_value(caf::node_id{});
  check_value(caf::down_msg{{}, caf::exit_reason::kill});
}

TEST_CASE("a walker refuses what only bytes tell") {
  auto code = [](std::string_view schema, std::string_view hex) {
    return skip(tree_of(schema), from_hex(hex));
  };
  CHECK(code("bool", "02") == ec::invalid_bool);
  CHECK(code("opt(u8)", "02") == ec::invalid_bool);
  CHECK(code("{a?:u8}", "02") == ec::invalid_bool);
  CHECK(code("[2]bool", "01 02") == ec::invalid_bool);
  CHECK(code("f80", "00*7 00 ff 3f") == ec::invalid_float);
  CHECK(code("var(u8,u16)", "02 00") == ec::invalid_variant_index);
  CHECK(code("seq(u16)", "02 00 00") == ec::length_exceeds_input);
  CHECK(code("seq(u16)", "82 00 00") == ec::invalid_varint);
  CHECK(code("seq({})", "a0 c0 1e") == ec::unbacked_items_limit);
  CHECK(code("seq(u8)", "80 02 00*13 01 00*256") == ec::nonzero_padding);
  CHECK(code("bits", "09 00 02") == ec::nonzero_padding);
  CHECK(code("bits", "ff ff ff ff ff ff ff ff ff 01 00") == ec::length_exceeds_input);
  CHECK(code("bits(4)", "10") == ec::nonzero_padding);
  CHECK(code("actor", "06") == ec::invalid_tag);
  CHECK(code("shared(u8)", "02") == ec::unknown_reference);
  CHECK(code("any(a:u8)", "01 62 00") == ec::unknown_derived_type);
  CHECK(code("caf::message", "01 00 01 78 00*9") == ec::unknown_type);
  auto color = "13 73 65 73 73 69 6f 6e 5f 74 65 73 74 3a 3a 63 6f 6c 6f 72"; // session_test::color
  CHECK(code("caf::message", "01 00 "s + color + " 00*8 02") == ec::schema_mismatch);
  CHECK(code("caf::error", "01 00 "s + color + " 00*8 00") == ec::schema_mismatch);
  CHECK(code("caf::of_tomorrow", "00") == ec::unsupported_type);
  CHECK(code("{a:?}", "00") == ec::unsupported_type);
  CHECK(code("{a:^1}", "") == ec::depth_limit);
  CHECK(code("{a:opt(^1)}", "01*200") == ec::depth_limit);
  CHECK(code("seq({a:seq(^1)})", "01*200") == ec::depth_limit);
  for (auto* tag : {"02", "03", "04", "05"}) {
    CHECK(code("actor", std::string{tag} + " ff*8 7f 00*20") != ec::invalid_varint);
    CHECK(code("actor", std::string{tag} + " 80*9 01 00*20") == ec::invalid_varint);
  }
  CHECK(code("actor", "04 07 00 01 00*6") == ec::unexpected_end);
  CHECK(code("actor", "04 07 02 01 00*7") == ec::invalid_bool);
  CHECK(code("actor", "06 00") == ec::invalid_tag);
  // Values without bytes take no time.
  CHECK(code("[70368744177664]{}", "") == ec::none);
}

TEST_CASE("a walker shows all parts of a value") {
  CHECK(print("{a:i32,b?:u8,c?:u8,d:seq(c8)}", "01 00 00 00 00 01 02 02 61 62")
        == "begin 4, a, i32 01 00 00 00, b absent, c, u8 02, d, begin 2, 2 numbers 61 62, end, "
           "end");
  CHECK(print("map(u8,opt(bool))", "02 01 01 01 02 00")
        == "begin 2, u8 01, begin 1, bool 01, end, u8 02, begin 0,  absent, end, end");
  CHECK(print("var(u8,bits)", "01 03 05") == "begin 1, 3 bits 05, end");
  CHECK(print("seq(shared(u8))", "03 01 07 02 00")
        == "begin 3, object 0, u8 07, reference 0, null, end");
  CHECK(print("any(a:u8,b:u16)", "01 62 01 00") == "begin 1, b, u16 01 00, end");
  CHECK(print("seq(actor)", "03 00 01 00 07 00*7 02 05")
        == "begin 3, handle 0 0  0, handle 1 0 00 7, handle 2 5  0, end");
  CHECK(print("seq(actor)", "03 03 05 04 80 01 00 07 00*7 05 09")
        == "begin 3, handle 3 5  0, handle 4 128 00 7, handle 5 9  0, end");
  CHECK(print("caf::message", "02 06 0d 05 00 00 00 02 61 62")
        == "begin 2, element slot 6 0, i32 05 00 00 00, element slot 13 0, begin 2, 2 numbers 61 "
           "62, end, end");
  CHECK(print("caf::error", "12 34 01 0d 01 78")
        == "begin 1, element slot 52 18, begin 1, element slot 13 0, begin 1, 1 numbers 78, end, "
           "end, end");
}
