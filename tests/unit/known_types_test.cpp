// This file is part of cafwire. See the file LICENSE for license terms.

#include <cafwire/message/known_types.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/all.hpp>

#include "support/catch.hpp"

#include <algorithm>

using namespace cafwire;
using namespace session_test;

namespace {

known_types_ptr registry(std::vector<const message_type*> types) {
  return std::make_shared<known_types>(std::move(types));
}

template <class T>
const message_type* type_of() {
  return known_types::global()->find(caf::type_id_v<T>);
}

} // namespace

TEST_CASE("registered types are found by ID and by name") {
  auto types = known_types::global();
  auto* type = types->find(caf::type_id_v<point>);
  REQUIRE(type != nullptr);
  CHECK(type->id == caf::type_id_v<point>);
  CHECK(type->name == "session_test::point");
  CHECK(type->core_slot == 0);
  CHECK(types->find("session_test::point") == type);
  CHECK(types->find("session_test::poin") == nullptr);
  CHECK(types->find("session_test::points") == nullptr);
  CHECK(types->find("") == nullptr);
  CHECK(types->find(caf::type_id_v<caf_only>) == nullptr);
  CHECK(types->find(caf::type_id_v<forgotten>) == nullptr);
  CHECK(types->find(caf::invalid_type_id) == nullptr);
}

TEST_CASE("types of the format are found by ID only") {
  auto types = registry({});
  auto* type = types->find(caf::type_id_v<int32_t>);
  REQUIRE(type != nullptr);
  CHECK(type->core_slot == 6);
  CHECK(types->find(type->name) == nullptr);
  CHECK(types->find(caf::type_id_v<ec>) != nullptr);
  CHECK(types->ranked().empty());
}

TEST_CASE("types are ranked by name") {
  auto types = registry({type_of<track>(), type_of<point>(), type_of<reading>(), type_of<point>()});
  REQUIRE(types->ranked().size() == 3);
  CHECK(types->ranked()[0] == type_of<point>());
  CHECK(types->ranked()[1] == type_of<reading>());
  CHECK(types->ranked()[2] == type_of<track>());
  for (size_t rank = 0; rank < 3; ++rank)
    CHECK(types->rank_of(*types->ranked()[rank]) == rank);
}

TEST_CASE("the hash of a registry is a hash over names and fingerprints") {
  auto types = registry({type_of<track>(), type_of<point>()});
  stream_builder summary;
  summary.text("session_test::point").u64(type_of<point>()->schema().fingerprint);
  summary.text("session_test::track").u64(type_of<track>()->schema().fingerprint);
  auto bytes = summary.bytes();
  CHECK(types->hash()
        == layout::fingerprint_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  CHECK(registry({type_of<point>(), type_of<track>()})->hash() == types->hash());
  CHECK(registry({type_of<point>()})->hash() != types->hash());
  CHECK(registry({})->hash() == layout::fingerprint_of({}));
}

TEST_CASE("a list of IDs selects types") {
  auto types
    = known_types::only({caf::type_id_v<point>, caf::type_id_v<int32_t>, caf::type_id_v<caf_only>,
                         caf::type_id_v<forgotten>, caf::type_id_v<point>});
  REQUIRE(types->ranked().size() == 1);
  CHECK(types->ranked()[0] == type_of<point>());
  CHECK(types->find(caf::type_id_v<track>) == nullptr);
  CHECK(types->find("session_test::track") == nullptr);
  CHECK(types->find(caf::type_id_v<int32_t>) != nullptr);
  CHECK(types->hash() == registry({type_of<point>()})->hash());
}

TEST_CASE("the registry of the program is shared until it changes") {
  auto first = known_types::global();
  CHECK(known_types::global() == first);
  // Registering again changes nothing.
  register_types();
  CHECK(known_types::global() == first);
}

TEST_CASE("a definition holds name, fingerprint and schema") {
  auto types = registry({type_of<point>(), type_of<verbose>()});
  auto& schema = type_of<point>()->schema();
  stream_builder expected;
  expected.text("session_test::point").u64(schema.fingerprint).text(schema.text);
  auto definition = types->definition_of(*type_of<point>());
  CHECK(to_hex(std::as_bytes(std::span{definition})) == to_hex(expected.bytes()));
  // A schema that is too long is left out; its fingerprint is not.
  stream_builder without_schema;
  without_schema.text("session_test::verbose").u64(type_of<verbose>()->schema().fingerprint);
  without_schema.text("");
  definition = types->definition_of(*type_of<verbose>());
  CHECK(to_hex(std::as_bytes(std::span{definition})) == to_hex(without_schema.bytes()));
  CHECK(type_of<verbose>()->schema().text.size() > max_definition_size);
}

TEST_CASE("the schema names the types of members") {
  CHECK(type_of<track>()->schema().text
        == "session_test\\:\\:track;"
           "session_test\\:\\:track{name:seq(c8),points:seq(session_test\\:\\:point)};"
           "session_test\\:\\:point{x:i32,y:i32,z:i32}");
}

TEST_CASE("error codes are told from other enums") {
  CHECK(type_of<fault>()->is_error_code);
  CHECK(type_of<caf::sec>()->is_error_code);
  CHECK(type_of<ec>()->is_error_code);
  CHECK_FALSE(type_of<color>()->is_error_code);
  CHECK_FALSE(type_of<point>()->is_error_code);
  CHECK_FALSE(type_of<std::string>()->is_error_code);
}

TEST_CASE("the slots of the format are fixed") {
  auto core = cafwire::detail::core_types();
  // Slot 0 is no type. 16 values of C++, 35 of CAF, one of cafwire, 42 atoms.
  REQUIRE(core.size() == 1 + 16 + 35 + 1 + 42);
  CHECK(core[0] == nullptr);
  for (size_t slot = 1; slot < core.size(); ++slot)
    CHECK(core[slot]->core_slot == slot);
  std::vector<caf::type_id_t> ids;
  for (size_t slot = 1; slot < core.size(); ++slot)
    ids.push_back(core[slot]->id);
  std::sort(ids.begin(), ids.end());
  CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}
