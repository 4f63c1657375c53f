// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/config_value.hpp"

#include "support/codec.hpp"

#include <caf/config_value.hpp>

#include <cstdint>
#include <string>
#include <vector>

using cafwire::ec;
using test::decode_code;
using test::decode_into;
using test::encode;

namespace {

template <class T>
void check(T x) {
  auto before = caf::config_value{x};
  auto after = caf::config_value{std::string{"old"}};
  CHECK(decode_into(after, encode(before)) == ec::none);
  CHECK(after.get_data() == before.get_data());
  CHECK(after.type_name() == before.type_name());
}

} // namespace

TEST_CASE("configuration values of all kinds survive a round trip") {
  CHECK(decode_code<caf::config_value>(encode(caf::config_value{})) == ec::none);
  check(int64_t{-5});
  check(true);
  check(1.5);
  check(std::string{"text"});
  check(caf::timespan{42});
  check(caf::config_value::list{caf::config_value{int64_t{1}}, caf::config_value{"a"}});
  caf::config_value::dictionary entries;
  entries.emplace("a", caf::config_value{int64_t{1}});
  entries.emplace("b", caf::config_value::list{caf::config_value{false}});
  check(entries);
}

TEST_CASE("an alternative that no configuration value has is refused") {
  CHECK(decode_code<caf::config_value>(test::from_hex("09")) == ec::invalid_variant_index);
}

TEST_CASE("configuration values are bounded in depth") {
  auto nested = [](size_t depth) {
    auto x = caf::config_value{int64_t{1}};
    for (size_t i = 0; i < depth; ++i)
      x = caf::config_value{caf::config_value::list{std::move(x)}};
    return encode(x);
  };
  CHECK(decode_code<caf::config_value>(nested(10)) == ec::none);
  CHECK(decode_code<caf::config_value>(nested(100)) == ec::depth_limit);
}
