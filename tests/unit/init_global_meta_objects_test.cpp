// This file is part of cafwire. See the file LICENSE for license terms.

#include <cafwire/init_global_meta_objects.hpp>

#include "support/session_types.hpp"

#include <caf/message.hpp>

#include "support/catch.hpp"

// The order of all steps at the start of a program is the matter of tests/startup. Here is what one
// program can say about itself.

using namespace cafwire;
using namespace session_test;

TEST_CASE("one call registers a block with CAF and with cafwire") {
  using block = caf::id_block::cafwire_session_test;
  for (caf::type_id_t id = block::begin; id < block::end; ++id) {
    INFO("type ID " << id);
    CHECK(compat::meta_object_of(id) != nullptr);
    REQUIRE(known_types::global()->find(id) != nullptr);
    CHECK(known_types::global()->find(id)->name == compat::type_name(id));
  }
}

TEST_CASE("the error codes of cafwire are registered along with the first block") {
  CHECK(compat::type_name(caf::type_id_v<ec>) == "cafwire::ec");
  auto err = caf::make_error(ec::depth_limit, std::string{"too deep"});
  CHECK(to_string(err) == "depth_limit(\"too deep\")");
  CHECK(err == ec::depth_limit);
  CHECK(err != ec::memory_limit);
}

TEST_CASE("blocks that are not registered with cafwire stay unknown to it") {
  CHECK(compat::meta_object_of(caf::type_id_v<caf_only>) != nullptr);
  CHECK(known_types::global()->find(caf::type_id_v<caf_only>) == nullptr);
  CHECK(compat::meta_object_of(caf::type_id_v<forgotten>) == nullptr);
  CHECK(known_types::global()->find(caf::type_id_v<forgotten>) == nullptr);
}

TEST_CASE("registering again changes nothing") {
  auto before = known_types::global();
  cafwire::init_global_meta_objects<caf::id_block::cafwire_session_test>();
  CHECK(known_types::global() == before);
}
