// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/schema_difference.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace cafwire::layout;

namespace {

using lines = std::vector<std::string>;

schema_tree parse(std::string_view text) {
  schema_tree result;
  std::string problem;
  INFO(text);
  REQUIRE(schema_tree::parse(text, result, problem) == cafwire::ec::none);
  return result;
}

lines difference(std::string_view there, std::string_view here) {
  auto x = parse(there);
  auto y = parse(here);
  return schema_difference(x.root(), y.root());
}

} // namespace

TEST_CASE("equal schemas have no difference") {
  for (auto text :
       {"bool", "{a:i32,b?:seq(c8)}", "t;t{next:opt(t),x:[2]u8}", "map(u8,var(u8,bits))",
        "any(a:u8)", "duration(i64,1/1000)", "caf::config_value", "{a:^1}"})
    CHECK(difference(text, text).empty());
}

TEST_CASE("differences tell place and types") {
  CHECK(difference("order;order{price:f32}", "order;order{price:f64}")
        == lines{"order.price: f32 there, f64 here"});
  CHECK(difference("{a:u8,b:u8}", "{a:u8,c:u8}")
        == lines{"value.b: only there", "value.c: only here"});
  CHECK(difference("{a:u8,b:u8}", "{b:u8,a:u8}") == lines{"value: fields in another order"});
  CHECK(
    difference("{a?:u8,b:u8}", "{a:u8,b?:u8}")
    == lines{"value.a: may be absent there, not here", "value.b: may be absent here, not there"});
  CHECK(difference("{p:q};q{x:u8}", "{p:r};r{x:u16}")
        == lines{"value.p: q there, r here", "value.p.x: u8 there, u16 here"});
  CHECK(difference("seq(opt(u8))", "seq(opt(u16))") == lines{"value.element: u8 there, u16 here"});
  CHECK(difference("map(u8,u8)", "map(u16,bool)")
        == lines{"value.key: u8 there, u16 here", "value.value: u8 there, bool here"});
  CHECK(difference("(u8,u8)", "(u8,u16)") == lines{"value.1: u8 there, u16 here"});
  CHECK(difference("var(u8)", "var(u8,u16)") == lines{"value.1: only here"});
  CHECK(difference("[2]u8", "[3]u8") == lines{"value: [2]u8 there, [3]u8 here"});
  CHECK(difference("duration(i64,1/1)", "duration(i64,1/1000)")
        == lines{"value: duration(i64,1/1) there, duration(i64,1/1000) here"});
  CHECK(difference("any(a:u8,b:u8)", "any(a:u8)") == lines{"value.b: only there"});
  CHECK(difference("{u8}", "{u16}") == lines{"value.0: u8 there, u16 here"});
}

TEST_CASE("types that hold others of their kind are compared once") {
  CHECK(difference("t;t{next:opt(t),x:u8}", "t;t{next:opt(t),x:u16}")
        == lines{"t.x: u8 there, u16 here"});
}

TEST_CASE("the number of differences is bounded") {
  std::string there;
  std::string here;
  for (auto i = 0; i < 1000; ++i) {
    there += (i == 0 ? "{a" : ",a") + std::to_string(i) + ":u8";
    here += (i == 0 ? "{a" : ",a") + std::to_string(i) + ":u16";
  }
  CHECK(difference(there + '}', here + '}').size() == max_difference_lines);
}
