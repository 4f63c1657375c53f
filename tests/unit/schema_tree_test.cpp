// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/schema_tree.hpp"

#include "cafwire/layout/schema.hpp"
#include "cafwire/message/known_types.hpp"

#include "support/session_types.hpp"
#include "support/specimens.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

using cafwire::ec;
using cafwire::layout::schema_kind;
using cafwire::layout::schema_of;
using cafwire::layout::schema_tree;
using cafwire::layout::short_name;
using cafwire::layout::to_text;

namespace {

schema_tree parse(std::string_view text) {
  schema_tree result;
  std::string problem;
  INFO(text);
  auto code = schema_tree::parse(text, result, problem);
  INFO(problem);
  REQUIRE(code == ec::none);
  return result;
}

std::string problem_of(std::string_view text) {
  schema_tree result;
  std::string problem;
  INFO(text);
  CHECK(schema_tree::parse(text, result, problem) == ec::invalid_definition);
  CHECK(result.empty());
  return problem;
}

void check_text(const std::string& text) {
  auto tree = parse(text);
  CHECK(to_text(tree.root()) == text);
}

void check_type(const cafwire::layout::type_schema& schema) {
  check_text(schema.text);
  auto tree = parse(schema.text);
  INFO(schema.text);
  CHECK(tree.root().fixed_size == schema.fixed_size);
  CHECK(tree.root().min_size <= schema.min_size);
  if (schema.fixed_size)
    CHECK(tree.root().min_size == schema.min_size);
}

/// A struct without a name that holds one with a name that holds the first one.
struct outside;

struct inside {
  std::vector<outside> items;
};

struct outside {
  std::vector<inside> items;
  int32_t x = 0;
};

template <class Inspector>
bool inspect(Inspector& f, outside& x) {
  return f.object(x).fields(f.field("items", x.items), f.field("x", x.x));
}

template <class Inspector>
bool inspect(Inspector& f, inside& x) {
  return f.object(x).fields(f.field("items", x.items));
}

struct odd_names {
  int32_t a = 0;
  int32_t b = 0;
  int32_t c = 0;
  caf::uri d;
};

template <class Inspector>
bool inspect(Inspector& f, odd_names& x) {
  return f.object(x).fields(f.field("", x.a), f.field("?:", x.b),
                            f.field("{}()[],:;?^\\", x.c).fallback(1), f.field("caf", x.d));
}

/// Writes nothing for a new object.
struct absent_by_hand {
  bool present = false;
  int32_t x = 0;
};

template <class Inspector>
bool inspect(Inspector& f, absent_by_hand& x) {
  return f.begin_object(caf::invalid_type_id, "absent") && f.begin_field("a", x.present)
         && (!x.present || f.apply(x.x)) && f.end_field() && f.begin_field("b") && f.apply(x.x)
         && f.end_field() && f.end_object();
}

template <class T>
std::string text_of(const T&) {
  return schema_of<T>().text;
}

std::vector<std::string> all_texts() {
  std::vector<std::string> result;
  test::for_each_specimen([&](auto x) { result.push_back(text_of(x)); });
  for (auto* type : cafwire::detail::core_types())
    if (type != nullptr)
      result.push_back(type->schema().text);
  for (auto* type : cafwire::known_types::global()->ranked())
    result.push_back(type->schema().text);
  result.push_back(schema_of<odd_names>().text);
  result.push_back(schema_of<outside>().text);
  return result;
}

} // namespace

TEST_CASE("a parsed schema prints as it was") {
  test::for_each_specimen([](auto x) { check_type(schema_of<decltype(x)>()); });
  for (auto* type : cafwire::detail::core_types())
    if (type != nullptr)
      check_type(type->schema());
  for (auto* type : cafwire::known_types::global()->ranked())
    check_type(type->schema());
  check_type(schema_of<inside>());
  check_type(schema_of<outside>());
  check_type(schema_of<odd_names>());
  check_type(schema_of<absent_by_hand>());
  check_type(schema_of<std::chrono::duration<double, std::ratio<3, 7>>>());
}

TEST_CASE("parsed schemas tell kinds, names and sizes") {
  auto tree = parse("a\\:\\:b;a\\:\\:b{x?:u16,y:[3]enum(i8),bits(9),z:seq(f80)}");
  auto& root = tree.root();
  CHECK(root.kind == schema_kind::structure);
  CHECK(root.name == "a::b");
  REQUIRE(root.fields.size() == 4);
  CHECK(root.fields[0].name == "x");
  CHECK(root.fields[0].may_be_absent);
  CHECK(root.child(0).kind == schema_kind::u16);
  CHECK(root.child(1).kind == schema_kind::array);
  CHECK(root.child(1).count == 3);
  CHECK(root.child(1).min_size == 3);
  CHECK(root.child(1).fixed_size);
  CHECK(root.child(1).child().kind == schema_kind::enumeration);
  CHECK_FALSE(root.fields[2].has_name);
  CHECK(root.child(2).kind == schema_kind::bit_array);
  CHECK(root.child(2).min_size == 2);
  CHECK(root.child(3).child().min_size == 10);
  CHECK(root.min_size == 1 + 3 + 2 + 1);
  CHECK_FALSE(root.fixed_size);
  CHECK(short_name(root) == "a::b");
  CHECK(short_name(root.child(3)) == "seq(f80)");
}

TEST_CASE("periods are parsed") {
  auto tree = parse("time_point(i64,1/1000)");
  CHECK(tree.root().kind == schema_kind::time_point);
  CHECK(tree.root().period_numerator == 1);
  CHECK(tree.root().period_denominator == 1000);
  CHECK(tree.root().child().kind == schema_kind::i64);
}

TEST_CASE("types that hold others of their kind are circles") {
  auto unnamed = parse("{value:u8,children:seq(^1)}");
  CHECK(&unnamed.root().child(1).child() == &unnamed.root());
  auto named = parse("t;t{next:opt(t)}");
  CHECK(&named.root().child().child() == &named.root());
  auto mixed = parse("{items:seq(n),x:i32};n{items:seq(^1)}");
  CHECK(&mixed.root().child().child().child().child() == &mixed.root());
  check_text("{items:seq(n),x:i32};n{items:seq(^1)}");
}

TEST_CASE("types of CAF have the encoding that the format gives them") {
  auto encoding = [](std::string_view name) {
    auto tree = parse(name);
    CHECK(tree.root().kind == schema_kind::core_type);
    CHECK(tree.root().name == name);
    return tree.root().fields.empty() ? std::string{"?"} : to_text(tree.root().child());
  };
  CHECK(encoding("caf::unit_t") == "()");
  CHECK(encoding("caf::ok_atom") == "()");
  CHECK(encoding("caf::uri") == "seq(c8)");
  CHECK(encoding("caf::node_id") == "opt(var(caf::uri,caf::hashed_node_id))");
  CHECK(encoding("caf::down_msg") == "{source:actor,reason:caf::error}");
  CHECK(encoding("caf::of_tomorrow") == "?");
  auto value = parse("caf::config_value");
  CHECK(&value.root().child().child(7).child() == &value.root());
  CHECK(parse("caf::message").root().kind == schema_kind::message);
  CHECK(parse("caf::error").root().kind == schema_kind::error);
  CHECK(parse("actor").root().kind == schema_kind::actor);
}

TEST_CASE("a struct may have the name of a word of the grammar") {
  check_text("seq;seq{x:seq(i32),y:opt(seq)}");
  check_text("\\actor;\\actor{x:actor,y:opt(\\actor)}");
  check_text("(bits,\\bits,bits(3));\\bits{x:bits}");
  check_text("(\\unsupported,unsupported);\\unsupported{}");
  check_text("{i32:\\i32,f64:f64};\\i32{i32:i32,next:opt(\\i32)}");
  CHECK(parse("(\\bool,bool);\\bool{x:u8}").root().child().name == "bool");
  // Without the backslash, nothing uses the definition.
  CHECK(problem_of("i32;i32{x:u8}").starts_with("a definition without use"));
  CHECK(problem_of("\\i32").starts_with("a name without a definition"));
}

TEST_CASE("malformed schemas are refused with a cause and a place") {
  CHECK(problem_of("") == "a type is missing at position 0");
  CHECK(problem_of("i32,i32") == "unexpected character at position 3");
  CHECK(problem_of("{a:i32") == "unexpected character at position 6");
  CHECK(problem_of("[3") == "unexpected character at position 2");
  CHECK(problem_of("[]i8") == "not a number at position 1");
  CHECK(problem_of("[03]i8") == "not a number at position 3");
  CHECK(problem_of("[99999999999999999999]i8") == "a number that is too large at position 20");
  CHECK(problem_of("[18446744073709551615]i8") == "an array that is too large at position 24");
  CHECK(problem_of("[70368744177664][2]i8") == "an array that is too large at position 21");
  CHECK(problem_of("opt()") == "not a type at position 4");
  CHECK(problem_of("opt(i8,i8)") == "not the right number of types at position 10");
  CHECK(problem_of("map(i8)") == "not the right number of types at position 7");
  CHECK(problem_of("enum(seq(i8))").starts_with("not a number"));
  CHECK(problem_of("duration(i64,1/0)") == "not a period at position 16");
  CHECK(problem_of("dict(i8)") == "not a type at position 5");
  CHECK(problem_of("^1") == "a reference to nothing at position 2");
  CHECK(problem_of("{a:^0}") == "a reference to nothing at position 5");
  CHECK(problem_of("{a:^2}") == "a reference to nothing at position 5");
  CHECK(problem_of("a\\:b") == "a name without a definition at position 4");
  // There is one way to write a name.
  constexpr std::string_view escape = "a backslash in front of nothing special at position ";
  for (auto& [text, position] : {std::pair{"\\a;\\a{}", 3},
                                 {"\\", 0},
                                 {"a\\", 1},
                                 {"a\\b", 1},
                                 {"{\\x:i8}", 1},
                                 {"{\\i8:i8}", 4},
                                 {"{x\\y?:i8}", 2},
                                 {"any(\\i8:i8)", 7},
                                 {"a\\:;a\\:{\\bits?:i8}", 14},
                                 {"\\i8x;\\i8x{}", 5},
                                 {"i8\\", 2},
                                 {"seq(\\u9)", 4}})
    CHECK(problem_of(text) == std::string{escape} + std::to_string(position));
  CHECK(problem_of("i8;a{}") == "a definition without use at position 2");
  CHECK(problem_of("a;a{};a{}") == "a definition without use at position 1");
  CHECK(problem_of("(a,b);b{};a{}") == "a definition out of order at position 2");
  CHECK(problem_of("a;a{}x").starts_with("unexpected character"));
  CHECK(problem_of("any(b:i8,a:i8)").starts_with("names that do not ascend"));
  CHECK(problem_of("any(i8)").starts_with("a type without a name"));
  CHECK(problem_of("{a:i8,}").starts_with("a field is missing"));
}

TEST_CASE("parsers stay inside of texts that end early") {
  for (std::string_view text :
       {"(f80,[3]u8)", "bits(12)", "{a?:duration(i64,1/1000),b:^1}",
        "any(circle:{r:u8},square:u16)",
        "a\\:b;a\\:b{next:opt(a\\:b),\\i32};\\i32{x:map(seq(c8),caf::uri)}"}) {
    for (size_t n = 0; n <= text.size(); ++n) {
      // Exactly as large as the text: tools see each byte that is read behind it.
      auto copy = std::vector<char>(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n));
      copy.shrink_to_fit();
      schema_tree tree;
      std::string problem;
      auto code = schema_tree::parse({copy.data(), n}, tree, problem);
      CHECK((code == ec::none) == problem.empty());
    }
  }
}

TEST_CASE("nesting of schemas is bounded") {
  auto nested = [](size_t levels) {
    std::string text;
    for (size_t i = 0; i < levels; ++i)
      text += "opt(";
    return text + "i8" + std::string(levels, ')');
  };
  check_text(nested(cafwire::layout::max_schema_depth - 1));
  CHECK(problem_of(nested(cafwire::layout::max_schema_depth)).starts_with("too many levels"));
  CHECK(problem_of(nested(100'000)).starts_with("too many levels"));
  CHECK(problem_of(std::string(100'000, '{')).starts_with("too many levels"));
  // Structs with names, each of which holds the next one.
  auto chain = [](size_t length) {
    std::string text = "s0";
    for (size_t i = 0; i + 1 < length; ++i)
      text += ";s" + std::to_string(i) + "{x:s" + std::to_string(i + 1) + '}';
    return text + ";s" + std::to_string(length - 1) + "{x:i8}";
  };
  check_text(chain(cafwire::layout::max_schema_depth - 1));
  CHECK(problem_of(chain(cafwire::layout::max_schema_depth)).starts_with("too many levels"));
}

TEST_CASE("changed texts are refused or mean something") {
  std::minstd_rand random{1};
  constexpr std::string_view characters = "\\{}()[],:;?^0129abeiopqrstuv";
  size_t accepted = 0;
  for (auto& original : all_texts()) {
    for (auto round = 0; round < 200; ++round) {
      auto text = original;
      for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        auto pos = random() % text.size();
        switch (random() % 4) {
          case 0:
            text[pos] = characters[random() % characters.size()];
            break;
          case 1:
            text.insert(pos, 1, characters[random() % characters.size()]);
            break;
          case 2:
            if (text.size() > 1)
              text.erase(pos, 1 + random() % 2);
            break;
          default:
            text.insert(pos, text.substr(random() % text.size(), random() % 10));
        }
        if (text.empty())
          text = "x";
      }
      schema_tree tree;
      std::string problem;
      if (schema_tree::parse(text, tree, problem) != ec::none)
        continue;
      // What is understood survives printing.
      ++accepted;
      auto printed = to_text(tree.root());
      auto again = parse(printed);
      CHECK(to_text(again.root()) == printed);
    }
  }
  CHECK(accepted > 100);
}
