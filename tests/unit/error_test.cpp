// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/error.hpp"

#include "support/catch.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

#include <set>
#include <string>

using cafwire::ec;

namespace {

constexpr auto num_codes = static_cast<int>(ec::too_many_actors) + 1;

} // namespace

TEST_CASE("each error code has a name of its own that leads back to it") {
  std::set<std::string> names;
  for (auto i = 0; i < num_codes; ++i) {
    auto code = static_cast<ec>(i);
    auto name = to_string(code);
    CHECK(names.insert(name).second);
    auto parsed = static_cast<ec>(255);
    CHECK(from_string(cafwire::compat::from_std(name), parsed));
    CHECK(parsed == code);
  }
  CHECK(to_string(ec::none) == "none");
  CHECK(to_string(ec::depth_limit) == "depth_limit");
  CHECK(to_string(ec::weak_key) == "weak_key");
}

TEST_CASE("only numbers of enumerators are error codes") {
  for (auto i = 0; i < 256; ++i) {
    auto code = ec::none;
    CHECK(from_integer(static_cast<uint8_t>(i), code) == (i < num_codes));
    CHECK(static_cast<int>(code) == (i < num_codes ? i : 0));
  }
  CHECK(to_string(static_cast<ec>(num_codes)) == "invalid");
  CHECK(to_string(static_cast<ec>(255)) == "invalid");
}

TEST_CASE("unknown names are refused and leave the code alone") {
  auto code = ec::depth_limit;
  for (auto name : {"", "None", "depth_limit ", "invalid"}) {
    CHECK_FALSE(from_string(cafwire::compat::from_std(name), code));
    CHECK(code == ec::depth_limit);
  }
}

TEST_CASE("error codes are CAF error codes") {
  auto err = caf::make_error(ec::depth_limit);
  CHECK(err == ec::depth_limit);
  CHECK(err != ec::invalid_bool);
  CHECK(err != caf::sec::runtime_error);
  CHECK(err.category() == caf::type_id_v<ec>);
  CHECK_FALSE(caf::error{ec::none});
}

TEST_CASE("an error with a text keeps its code") {
  auto err = cafwire::make_error_with_text(ec::unknown_type, "app::point");
  CHECK(err == ec::unknown_type);
  if (cafwire::compat::core_meta_objects_ready()) {
    REQUIRE(err.context().match_elements<std::string>());
    CHECK(err.context().get_as<std::string>(0) == "app::point");
  } else {
    CHECK(err.context().empty());
  }
  CHECK(cafwire::make_error_with_text(ec::unknown_type, "").context().empty());
}
