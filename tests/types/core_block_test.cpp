// This file is part of cafwire. See the file LICENSE for license terms.

// All types of CAF's own block of type IDs, in the version of CAF in use: each one is an element of
// messages, or docs/types.md says that it is none.

#include "cafwire/all.hpp"

#include "support/bytes.hpp"
#include "support/catch.hpp"

#include <caf/all.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/ipv4_address.hpp>
#include <caf/ipv4_endpoint.hpp>
#include <caf/ipv4_subnet.hpp>
#include <caf/ipv6_address.hpp>
#include <caf/ipv6_endpoint.hpp>
#include <caf/ipv6_subnet.hpp>
#if __has_include(<caf/json_value.hpp>)
#  include <caf/async/batch.hpp>
#  include <caf/json_array.hpp>
#  include <caf/json_object.hpp>
#  include <caf/json_value.hpp>
#  include <caf/stream.hpp>
#  include <caf/uuid.hpp>
#endif

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

namespace {

using block = caf::id_block::core_module;

/// Types of both versions of CAF that docs/types.md lists as no elements of messages.
std::set<std::string> documented_refusals() {
  std::ifstream in{std::string{CAFWIRE_VECTORS_DIR} + "/../../docs/types.md"};
  REQUIRE(in);
  std::set<std::string> result;
  std::string line;
  while (std::getline(in, line) && line != "### Types of CAF that stay in their process")
    ;
  while (std::getline(in, line) && !line.starts_with("##")) {
    if (!line.starts_with("| `"))
      continue;
    auto cell = line.substr(0, line.find('|', 1));
    for (auto pos = cell.find('`'); pos != std::string::npos; pos = cell.find('`', pos + 1)) {
      auto end = cell.find('`', pos + 1);
      result.insert(cell.substr(pos + 1, end - pos - 1));
      pos = end;
    }
  }
  return result;
}

struct walk {
  std::set<std::string> sent;
  std::set<std::string> refused;
};

/// Writes a message, reads it, and writes what was read.
void check_round_trip(const caf::message& msg) {
  cafwire::serializer_session writer;
  cafwire::deserializer_session reader;
  cafwire::output_buffer out;
  REQUIRE(writer.write_message(out, msg) == cafwire::ec::none);
  auto first = out.size();
  cafwire::input_cursor in{out.bytes()};
  caf::message copy;
  REQUIRE(reader.read_message(in, copy) == cafwire::ec::none);
  REQUIRE(copy.types() == msg.types());
  CHECK(to_string(copy) == to_string(msg));
  // Two messages of one session: the second one has no definitions.
  REQUIRE(writer.write_message(out, msg) == cafwire::ec::none);
  auto second = out.size();
  REQUIRE(writer.write_message(out, copy) == cafwire::ec::none);
  auto bytes = out.bytes();
  CHECK(test::to_hex(bytes.subspan(first, second - first)) == test::to_hex(bytes.subspan(second)));
}

/// Checks that a message is refused with an error that names its type.
void check_refusal(const caf::message& msg, const std::string& name) {
  cafwire::serializer_session writer;
  cafwire::output_buffer out;
  CHECK(writer.write_message(out, msg) == cafwire::ec::unregistered_type);
  CHECK(out.empty());
  CHECK(to_string(writer.last_error()).find(name) != std::string::npos);
  // Inside of another message, too.
  CHECK(writer.write_message(out, caf::make_message(msg)) != cafwire::ec::none);
  CHECK(out.empty());
}

template <caf::type_id_t Id>
void visit(walk& result) {
  using type = caf::type_by_id_t<Id>;
  auto name = std::string{cafwire::compat::to_std(caf::type_name_by_id_v<Id>)};
  INFO("type " << name);
  auto msg = caf::make_message(type{});
  if (cafwire::known_types::global()->find(Id) != nullptr) {
    check_round_trip(msg);
    check_round_trip(caf::make_message(int8_t{1}, type{}, std::string{"end"}));
    result.sent.insert(name);
  } else {
    check_refusal(msg, name);
    result.refused.insert(name);
  }
}

template <size_t... Is>
void visit_all(walk& result, std::index_sequence<Is...>) {
  (visit<static_cast<caf::type_id_t>(block::begin + Is)>(result), ...);
}

} // namespace

TEST_CASE("each type of CAF travels, or the documentation says that it does not") {
  walk result;
  visit_all(result, std::make_index_sequence<block::end - block::begin>{});
  CHECK(result.sent.size() + result.refused.size() == block::end - block::begin);
  // What the format knows, but for `cafwire::ec`.
  CHECK(result.sent.size() == cafwire::detail::core_types().size() - 2);
  auto documented = documented_refusals();
  for (auto& name : result.refused) {
    INFO("type " << name);
    CHECK(documented.contains(name));
  }
  for (auto& name : documented) {
    INFO("type " << name);
    CHECK_FALSE(result.sent.contains(name));
  }
}

#if __has_include(<caf/json_value.hpp>)

namespace {

/// Types that are no elements of messages but may be members.
struct document {
  caf::cow_string title;
  caf::cow_u16string wide;
  caf::cow_u32string wider;
  caf::uuid id;
  caf::json_value content;
  caf::json_array list;
  caf::json_object object;

  // CAF cannot compare its wide strings.
  friend bool operator==(const document& x, const document& y) {
    return x.title == y.title && x.wide.str() == y.wide.str() && x.wider.str() == y.wider.str()
           && x.id == y.id && x.content == y.content && x.list == y.list && x.object == y.object;
  }
};

template <class Inspector>
bool inspect(Inspector& f, document& x) {
  return f.object(x).fields(f.field("title", x.title), f.field("wide", x.wide),
                            f.field("wider", x.wider), f.field("id", x.id),
                            f.field("content", x.content), f.field("list", x.list),
                            f.field("object", x.object));
}

} // namespace

TEST_CASE("strings, UUIDs and JSON of CAF 1.1 are members of structs") {
  document x;
  x.title = caf::cow_string{std::string{"title"}};
  x.wide = caf::cow_u16string{std::u16string{u"wide"}};
  x.wider = caf::cow_u32string{std::u32string{U"wider"}};
  x.id = caf::uuid::random();
  auto json = caf::json_value::parse(R"({"a": [1, -2.5, true, null, {"b": "c"}], "d": {}})");
  REQUIRE(json);
  x.content = *json;
  x.object = json->to_object();
  x.list = x.object.value("a").to_array();
  REQUIRE(x.list.size() == 5);
  cafwire::output_buffer out;
  REQUIRE(cafwire::serialize(out, x) == cafwire::ec::none);
  document y;
  // Whoever shares the old text keeps it.
  y.title = caf::cow_string{std::string{"old"}};
  auto old = y.title;
  REQUIRE(cafwire::deserialize(out.bytes(), y) == cafwire::ec::none);
  CHECK(x == y);
  CHECK(old.str() == "old");
  // Each prefix is an error, and nothing worse.
  for (size_t n = 0; n < out.size(); ++n) {
    document z;
    CHECK(cafwire::deserialize(out.bytes().first(n), z) != cafwire::ec::none);
  }
}

#endif
