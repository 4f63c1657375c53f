// This file is part of cafwire. See the file LICENSE for license terms.

// The values of caf_types.json and the slots of core_slots.json in tests/vectors.

#include <cafwire/message/known_types.hpp>

#include "support/session_types.hpp"
#include "support/vector_file.hpp"

#include <caf/all.hpp>
#include <caf/ipv4_endpoint.hpp>
#include <caf/ipv4_subnet.hpp>
#include <caf/ipv6_endpoint.hpp>
#include <caf/ipv6_subnet.hpp>

using namespace session_test;

namespace {

template <class T>
T parsed(std::string_view text) {
  T result;
  REQUIRE(caf::parse(cafwire::compat::from_std(text), result).empty());
  return result;
}

} // namespace

TEST_CASE("the vectors of types of CAF") {
  vector_group x{"caf_types.json"};
  x.check("message_empty", caf::message{});
  x.check("message", caf::make_message(int32_t{5}, std::string{"ab"}));
  x.check("message_with_named_type", caf::make_message(color::blue));
  x.check("message_in_message", caf::make_message(caf::make_message(true)));
  x.check("error_none", caf::error{});
  x.check("error", caf::make_error(caf::sec::unexpected_message));
  x.check("error_with_context", caf::make_error(cafwire::ec::unknown_type, std::string{"x"}));
  x.check("error_of_application", caf::make_error(fault::jammed));
  x.check("actor_none", caf::actor{});
  x.check("message_id", caf::message_id{0x0102030405060708});
  x.check("node_none", caf::node_id{});
  caf::hashed_node_id::host_id_type host;
  host.fill(7);
  x.check("node_hashed", caf::make_node_id(0x01020304, host));
  x.check("node_uri", caf::make_node_id(parsed<caf::uri>("test:node")));
  x.check("down_msg", caf::down_msg{{}, caf::exit_reason::kill});
  x.check("exit_msg", caf::exit_msg{{}, caf::exit_reason::kill});
  x.check("node_down_msg", caf::node_down_msg{});
  x.check("hashed_node_id", caf::hashed_node_id{0x01020304, host});
  x.check("unit", caf::unit);
  x.check("none", caf::none);
  x.check("atom", caf::ok_atom_v);
  x.check("config_none", caf::config_value{});
  x.check("config_integer", caf::config_value{42});
  x.check("config_boolean", caf::config_value{true});
  x.check("config_real", caf::config_value{1.5});
  x.check("config_timespan", caf::config_value{caf::timespan{1000}});
  x.check("config_uri", caf::config_value{parsed<caf::uri>("test:node")});
  x.check("config_string", caf::config_value{std::string{"ab"}});
  std::vector<caf::config_value> list(2);
  list[1] = std::string{"a"};
  x.check("config_list", caf::config_value{list});
  caf::settings dictionary;
  dictionary["b"] = caf::config_value{};
  dictionary["a"] = caf::config_value{true};
  x.check("config_dictionary", caf::config_value{dictionary});
  caf::settings settings;
  settings["a"] = caf::config_value{true};
  x.check("settings", settings);
  x.check("uri_empty", caf::uri{});
  x.check("uri", parsed<caf::uri>("tcp://me@example.org:80/a?b=c#d"));
  auto v4 = caf::make_ipv4_address(127, 0, 0, 1);
  x.check("ipv4_address", v4);
  x.check("ipv4_endpoint", caf::ipv4_endpoint{v4, 80});
  x.check("ipv4_subnet", caf::ipv4_subnet{caf::make_ipv4_address(10, 0, 0, 0), 8});
  auto v6 = parsed<caf::ipv6_address>("2001:db8::1");
  x.check("ipv6_address", v6);
  x.check("ipv6_endpoint", caf::ipv6_endpoint{v6, 443});
  x.check("ipv6_subnet", caf::ipv6_subnet{parsed<caf::ipv6_address>("2001:db8::"), 32});
  x.check("timespan", caf::timespan{1000});
  x.check("timestamp", caf::timestamp{std::chrono::seconds{1}});
  x.finish();
}

TEST_CASE("the slots of the format are those of the document") {
  auto core = cafwire::detail::core_types();
  auto slots = read_slots();
  REQUIRE(slots.size() + 1 == core.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    CHECK(slots[i].slot == i + 1);
    // CAF 0.18 spells this one out.
    auto name = std::string{core[i + 1]->name};
    if (name == "caf::dictionary<caf::config_value>")
      name = "caf::settings";
    // Where blanks stand in names differs between versions of CAF.
    std::erase(name, ' ');
    CHECK(name == slots[i].name);
    CHECK(core[i + 1]->schema().text == slots[i].schema);
  }
}
