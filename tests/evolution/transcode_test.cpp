// This file is part of cafwire. See the file LICENSE for license terms.

// What becomes of values whose schemas alone are known.

#include "evolution/converter.hpp"

#include "support/session_types.hpp"
#include "support/specimens.hpp"

#include <caf/all.hpp>

#include "support/catch.hpp"

using namespace evolution_test;

TEST_CASE("values of equal types stay what they are") {
  auto check = [](const auto& x) {
    auto& schema = layout::schema_of<std::remove_cvref_t<decltype(x)>>();
    INFO(schema.text);
    converter f{schema.text, schema.text, schema.structs};
    REQUIRE(f.plan().root() != nullptr);
    output_buffer out;
    REQUIRE(serialize(out, x) == ec::none);
    CHECK(f.run(out.bytes()) == to_hex(out.bytes()));
    for (size_t n = 0; n < out.size(); ++n)
      if (f.run(out.bytes().first(n)).front() != '[')
        FAIL("accepts the first " << n << " of " << out.size() << " bytes");
  };
  test::for_each_specimen(check);
  check(session_test::point{1, 2, 3});
  check(caf::make_message(session_test::point{1, 2, 3}, std::string(300, 'x'), 1.5));
  check(caf::make_error(session_test::fault::jammed, std::string(300, 'x')));
  check(caf::config_value{std::vector<caf::config_value>(3)});
  check(caf::down_msg{{}, caf::exit_reason::kill});
}

TEST_CASE("integers become wider") {
  CHECK(convert("i8", "i16", "ff") == "ff ff");
  CHECK(convert("u8", "i16", "ff") == "ff 00");
  CHECK(convert("u8", "u64", "07") == "07 00 00 00 00 00 00 00");
  CHECK(convert("i32", "i64", "fe ff ff ff") == "fe ff ff ff ff ff ff ff");
  CHECK(convert("i64", "i128", "fe ff*7") == "fe ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff");
  CHECK(convert("bool", "u16", "01") == "01 00");
  CHECK(convert("enum(u8)", "enum(u16)", "05") == "05 00");
  CHECK(convert("enum(u8)", "u16", "05") == "05 00");
  CHECK(convert("u8", "enum(u8)", "05") == "05");
}

TEST_CASE("integers become narrower if they fit") {
  CHECK(convert("i16", "i8", "ff ff") == "ff");
  CHECK(convert("i16", "i8", "80 ff") == "80");
  CHECK(convert("i16", "i8", "7f ff") == "[value_not_representable]");
  CHECK(convert("i16", "i8", "80 00") == "[value_not_representable]");
  CHECK(convert("i8", "u8", "ff") == "[value_not_representable]");
  CHECK(convert("i8", "u64", "ff") == "[value_not_representable]");
  CHECK(convert("u64", "i64", "00*7 80") == "[value_not_representable]");
  CHECK(convert("u128", "i128", "00*15 80") == "[value_not_representable]");
  CHECK(convert("i128", "u128", "ff*16") == "[value_not_representable]");
  CHECK(convert("u8", "bool", "01") == "01");
  CHECK(convert("u8", "bool", "02") == "[value_not_representable]");
  CHECK(convert("i8", "bool", "ff") == "[value_not_representable]");
  CHECK(convert("bool", "u8", "02") == "[value_not_representable]");
}

TEST_CASE("floating point numbers keep their value or are refused") {
  CHECK(convert("f32", "f64", "00 00 c0 3f") == "00 00 00 00 00 00 f8 3f");
  CHECK(convert("f64", "f32", "00*6 f8 3f") == "00 00 c0 3f");
  // A third.
  CHECK(convert("f64", "f32", "55 55 55 55 55 55 d5 3f") == "[value_not_representable]");
  // Infinite numbers and NaNs fit everywhere.
  CHECK(convert("f64", "f32", "00*6 f0 ff") == "00 00 80 ff");
  CHECK(convert("f64", "f32", "00*6 f8 7f") == "00 00 c0 7f");
  // Too large for the narrower one.
  CHECK(convert("f64", "f32", "00*6 f0 7e") == "[value_not_representable]");
  CHECK(convert("f32", "f80", "00 00 80 3f") == "00 00 00 00 00 00 00 80 ff 3f");
  CHECK(convert("f80", "f32", "00*7 80 ff 3f") == "00 00 80 3f");
  CHECK(convert("f80", "f32", "00*7 00 ff 3f") == "[value_not_representable]");
}

TEST_CASE("integers and floating point numbers change places where that is exact") {
  CHECK(convert("i32", "f64", "ff ff ff ff") == "00 00 00 00 00 00 f0 bf");
  CHECK(convert("i32", "f32", "00 00 00 01") == "00 00 80 4b");
  CHECK(convert("i32", "f32", "01 00 00 01") == "[value_not_representable]");
  CHECK(convert("u64", "f64", "ff*8") == "[value_not_representable]");
  CHECK(convert("u64", "f64", "00*7 80") == "00 00 00 00 00 00 e0 43");
  CHECK(convert("u128", "f32", "00*15 80") == "00 00 00 7f");
  CHECK(convert("f64", "i32", "00*6 f0 bf") == "ff ff ff ff");
  CHECK(convert("f64", "i32", "00*6 f8 3f") == "[value_not_representable]");
  CHECK(convert("f64", "u32", "00*6 f0 bf") == "[value_not_representable]");
  CHECK(convert("f64", "u64", "00*6 f0 43") == "[value_not_representable]");
  CHECK(convert("f64", "u64", "00*6 e0 43") == "00 00 00 00 00 00 00 80");
  CHECK(convert("f64", "i64", "00*6 e0 c3") == "00 00 00 00 00 00 00 80");
  CHECK(convert("f64", "i64", "00*6 e0 43") == "[value_not_representable]");
  CHECK(convert("f64", "i64", "00*6 f8 7f") == "[value_not_representable]");
  CHECK(convert("f64", "i8", "00*6 f0 7f") == "[value_not_representable]");
}

TEST_CASE("characters are bytes or characters of their size") {
  CHECK(convert("seq(c8)", "seq(u8)", "02 61 62") == "02 61 62");
  CHECK(convert("u16", "c16", "61 00") == "61 00");
  CHECK(convert("seq(c8)", "seq(c16)", "01 61") == "no plan: element: c8 there, c16 here");
  CHECK(convert("c8", "i8", "61") == "no plan: value: c8 there, i8 here");
}

TEST_CASE("durations change their period where that is exact") {
  auto s = "duration(i64,1/1)";
  auto ms = "duration(i64,1/1000)";
  auto ms32 = "duration(i32,1/1000)";
  CHECK(convert(s, ms, "02 00*7") == "d0 07 00 00 00 00 00 00");
  CHECK(convert(ms, s, "d0 07 00*6") == "02 00 00 00 00 00 00 00");
  CHECK(convert(ms, s, "d1 07 00*6") == "[value_not_representable]");
  CHECK(convert(ms, s, "30 f8 ff*6") == "fe ff ff ff ff ff ff ff");
  CHECK(convert(s, ms32, "02 00*7") == "d0 07 00 00");
  CHECK(convert(s, ms32, "00 00 00 01 00*4") == "[value_not_representable]");
  CHECK(convert(s, ms, "00*7 40") == "[value_not_representable]");
  CHECK(convert("duration(i64,60/1)", "duration(i64,3600/1)", "78 00*7")
        == "02 00 00 00 00 00 00 00");
  CHECK(convert("duration(f64,1/1)", ms, "00*6 f8 3f") == "dc 05 00 00 00 00 00 00");
  CHECK(convert("time_point(i64,1/1000)", "time_point(i64,1/1)", "e8 03 00*6")
        == "01 00 00 00 00 00 00 00");
  CHECK(convert(s, "time_point(i64,1/1)", "02 00*7").starts_with("no plan: value: duration("));
  CHECK(convert(s, "i64", "02 00*7").starts_with("no plan"));
  CHECK(convert("duration(i64,18446744073709551615/1)", "duration(i64,1/18446744073709551615)",
                "01 00*7")
          .starts_with("no plan"));
}

TEST_CASE("fields come, go and change places") {
  CHECK(convert("{a:u8,b:u16,c:u8}", "{a:u8,c:u8}", "01 02 00 03") == "01 03");
  CHECK(convert("{a:u8,b:u16,c:u8}", "{c:u8,b:u16,a:u8}", "01 02 00 03") == "03 02 00 01");
  CHECK(convert("{a:seq(c8),b:u16,c:u8}", "{c:u8,a:seq(c8)}", "01 61 02 00 03") == "03 01 61");
  CHECK(convert("{a:u8}", "{a:u8,b?:u8}", "01") == "01 00");
  CHECK(convert("{a:u8,b?:u8,c:u8}", "{a:u8,c:u8}", "01 01 02 03") == "01 03");
  CHECK(convert("{a:u8,b?:u8,c:u8}", "{a:u8,c:u8}", "01 00 03") == "01 03");
  CHECK(convert("{}", "{b?:u8}", "") == "00");
  CHECK(convert("{a:u8}", "{}", "01") == "");
  CHECK(convert("{b:u8,b:u16}", "{b:u16,b:u16}", "01 02 00") == "01 00 02 00");
  // Without an object there are no defaults.
  CHECK(convert("{a:u8}", "{a:u8,b:u8}", "01")
        == "no plan: b: missing there, and a new object has no value for it");
  CHECK(convert("{u8,u8}", "{u16,u8}", "01 02") == "01 00 02");
  CHECK(
    convert("{u8,u8}", "{u8}", "01 02").starts_with("no plan: value: {u8,u8} there, {u8} here"));
}

TEST_CASE("values become optional and back") {
  CHECK(convert("u8", "opt(u16)", "07") == "01 07 00");
  CHECK(convert("opt(u8)", "u16", "01 07") == "07 00");
  CHECK(convert("opt(u8)", "u16", "00") == "[value_not_representable]");
  CHECK(convert("opt(u8)", "opt(u16)", "00") == "00");
  CHECK(convert("opt(u8)", "opt(u16)", "01 07") == "01 07 00");
  CHECK(convert("{a:u8}", "{a?:u16}", "07") == "01 07 00");
  CHECK(convert("{a?:u8}", "{a?:u16}", "01 07") == "01 07 00");
  CHECK(convert("{a?:u8}", "{a:opt(u16)}", "01 07") == "01 07 00");
  CHECK(convert("{a?:u8}", "{a:opt(u16)}", "00") == "00");
  CHECK(convert("{a:opt(u8)}", "{a?:u16}", "01 07") == "01 07 00");
  CHECK(convert("{a:opt(u8)}", "{a?:u16}", "00") == "00");
  CHECK(convert("{a:opt(u8)}", "{a?:opt(u16)}", "00") == "01 00");
  CHECK(convert("seq(u8)", "seq(opt(u16))", "02 01 02") == "02 01 01 00 01 02 00");
  CHECK(convert("seq(opt(u8))", "seq(u16)", "02 01 01 01 02") == "02 01 00 02 00");
}

TEST_CASE("containers keep their elements") {
  CHECK(convert("seq(u8)", "seq(u16)", "02 01 02") == "02 01 00 02 00");
  CHECK(convert("set(u8)", "set(u16)", "02 01 02") == "02 01 00 02 00");
  CHECK(convert("set(u8)", "uset(u8)", "02 01 02") == "02 01 02");
  CHECK(convert("set(u8)", "seq(u8)", "02 01 02") == "02 01 02");
  CHECK(convert("uset(u8)", "seq(u8)", "02 02 01") == "02 02 01");
  CHECK(convert("seq(u8)", "uset(u8)", "02 02 01") == "02 02 01");
  CHECK(convert("map(u8,u8)", "umap(u8,u16)", "01 01 02") == "01 01 02 00");
  CHECK(convert("uset(u8)", "set(u8)", "00")
        == "no plan: value: uset(u8) there, set(u8) here; nobody sorts the elements");
  CHECK(convert("umap(u8,u8)", "map(u8,u8)", "00").starts_with("no plan"));
  CHECK(convert("seq(u8)", "set(u8)", "00").starts_with("no plan"));
  CHECK(convert("map(u8,u8)", "set(u8)", "00").starts_with("no plan"));
  CHECK(convert("[2]u8", "seq(u16)", "01 02") == "02 01 00 02 00");
  CHECK(convert("seq(u8)", "[2]u16", "02 01 02") == "01 00 02 00");
  CHECK(convert("seq(u8)", "[2]u16", "03 01 02 03") == "[value_not_representable]");
  CHECK(convert("[2]u8", "[3]u8", "01 02") == "no plan: value: [2]u8 there, [3]u8 here");
  CHECK(convert("[2]u8", "[2]u16", "01 02") == "01 00 02 00");
  CHECK(convert("[20]u8", "[20]u16", "01*20").size() == 3 * 40 - 1);
  CHECK(convert("[2]seq(u8)", "[2]seq(u16)", "01 01 00") == "01 01 00 00");
  CHECK(convert("bits", "bits", "09 0d 01") == "09 0d 01");
  CHECK(convert("bits(9)", "bits(8)", "0d 01").starts_with("no plan"));
}

TEST_CASE("long runs are aligned where the reader expects it") {
  // 128 elements: 128 bytes here, 256 bytes there.
  auto wide = convert("seq(u8)", "seq(u16)", "80 01 01*128");
  CHECK(wide.substr(0, 3 * 18) == "80 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 ");
  CHECK(wide.size() == 3 * (16 + 256) - 1);
  auto narrow = convert("seq(u16)", "seq(u8)", "80 01 00*14 01 00 02 00 03 00 00*250");
  CHECK(narrow.substr(0, 3 * 6) == "80 01 01 02 03 00 ");
  CHECK(narrow.size() == 3 * (2 + 128) - 1);
  // What stands in front of a run becomes longer.
  auto moved = convert("{a:u8,b:seq(u8)}", "{a:u16,b:seq(u8)}", "01 80 02 00*13 aa*256");
  CHECK(moved.substr(0, 3 * 18) == "01 00 80 02 00 00 00 00 00 00 00 00 00 00 00 00 aa aa ");
  CHECK(moved.size() == 3 * (16 + 256) - 1);
  CHECK(convert("{a:u8,b:seq(u8)}", "{b:seq(u8)}", "01 80 02 00*13 aa*256").size()
        == 3 * (16 + 256) - 1);
  CHECK(convert("{a:u8,b:seq(u8)}", "{a:u16,b:seq(u8)}", "01 80 02 00*12 01 aa*256")
        == "[nonzero_padding]");
}

TEST_CASE("variants match their alternatives") {
  CHECK(convert("var(u8,seq(c8))", "var(seq(c8),u8)", "00 07") == "01 07");
  CHECK(convert("var(u8,seq(c8))", "var(seq(c8),u8)", "01 01 61") == "00 01 61");
  CHECK(convert("var(u8,seq(c8))", "var(u16,seq(c8),bool)", "00 07") == "00 07 00");
  CHECK(convert("var(u8,u8)", "var(u8,u8,u8)", "01 07") == "01 07");
  CHECK(convert("var(u8,seq(c8))", "var(u8)", "00 07") == "00 07");
  CHECK(convert("var(u8,seq(c8))", "var(u8)", "01 01 61") == "[value_not_representable]");
  CHECK(convert("var(a,b);a{x:u8};b{y:u8}", "var(b,a);b{y:u16};a{x:u8}", "01 07") == "00 07 00");
  CHECK(convert("var(u8,u8)", "var(seq(c8))", "00 00").starts_with("no plan"));
  CHECK(convert("var(u8)", "var(u8)", "01 00") == "[invalid_variant_index]");
}

TEST_CASE("structs are known by their names") {
  CHECK(convert("a;a{x:u8}", "a;a{x:u16}", "01") == "01 00");
  CHECK(convert("a;a{x:u8}", "b;b{x:u16}", "01") == "no plan: value: a there, b here");
  CHECK(convert("{p:a};a{x:u8}", "{p:b};b{x:u16}", "01") == "no plan: p: a there, b here");
  // A struct without a name may get one.
  CHECK(convert("{p:{x:u8}}", "{p:b};b{x:u16}", "01") == "01 00");
}

TEST_CASE("structs may be called like a number") {
  auto before = "(\\i8,i8);\\i8{i8:i8}";
  auto after = "(\\i8,i8);\\i8{i8:i16}";
  CHECK(convert(before, after, "fe ff") == "fe ff ff");
  CHECK(convert(after, before, "fe ff ff") == "fe ff");
}

TEST_CASE("types that hold others of their kind are converted") {
  CHECK(convert("{value:u8,children:seq(^1)}", "{value:u16,children:seq(^1)}", "01 02 02 00 03 00")
        == "01 00 02 02 00 00 03 00 00");
  CHECK(convert("t;t{next:opt(t),v:u8}", "t;t{v:u16,next:opt(t)}", "01 00 02 01")
        == "01 00 01 02 00 00");
}

TEST_CASE("shared pointers keep their identity") {
  auto from = "{a:shared(u8),b:shared(u8),c:shared(u8)}";
  CHECK(convert(from, "{a:shared(u16),b:shared(u16),c:shared(u16)}", "01 07 02 01 08")
        == "01 07 00 02 01 08 00");
  // The definition is in a field that went away.
  CHECK(convert(from, "{b:shared(u8),c:shared(u8)}", "01 07 02 01 08") == "01 07 01 08");
  CHECK(convert(from, "{b:shared(u8),c:shared(u8)}", "01 07 02 02") == "01 07 02");
  // Numbers change when definitions change places.
  CHECK(convert(from, "{c:shared(u8),a:shared(u8),b:shared(u8)}", "01 07 01 08 03")
        == "01 08 01 07 02");
  CHECK(convert(from, "{c:shared(u8),b:shared(u8),a:shared(u8)}", "01 07 02 02") == "01 07 02 02");
  CHECK(convert(from, "{a:shared(u8)}", "00 01 07 02") == "00");
  CHECK(convert(from, "{a:shared(u8)}", "00 01 07 03") == "[unknown_reference]");
  // Inside of each other.
  CHECK(convert("{x:n,y:n};n{v:u8,next:shared(n)}", "{y:n};n{v:u16,next:shared(n)}",
                "01 01 02 00 03 02")
        == "03 00 01 02 00 00");
  CHECK(convert("{x:n,y:n};n{v:u8,next:shared(n)}", "{y:n,x:n};n{v:u8,next:shared(n)}",
                "01 01 02 01 04 00 03 03")
        == "03 01 04 00 01 01 02 02");
  CHECK(convert("shared(u8)", "weak(u8)", "00").starts_with("no plan"));
  CHECK(convert("shared(u8)", "opt(u8)", "00").starts_with("no plan"));
}

TEST_CASE("a weak pointer may refer to what is around it") {
  // A parent that is shared, and a child that knows it.
  auto from = "shared(n);n{v:u8,up:weak(n),down:shared(n)}";
  auto to = "shared(n);n{v:u16,up:weak(n),down:shared(n)}";
  CHECK(convert(from, to, "01 01 00 01 02 02 00") == "01 01 00 00 01 02 00 02 00");
}

TEST_CASE("choices of types are matched by name") {
  auto from = "opt(any(circle:{radius:u8},square:{side:u8}))";
  CHECK(convert(from, "opt(any(circle:{radius:u16},dot:{},square:{side:u16}))",
                "01 06 73 71 75 61 72 65 03")
        == "01 06 73 71 75 61 72 65 03 00");
  CHECK(convert(from, "opt(any(circle:{radius:u16}))", "01 06 73 71 75 61 72 65 03")
        == "[value_not_representable]");
  CHECK(convert(from, from, "01 01 61 03") == "[unknown_derived_type]");
}

TEST_CASE("handles, errors and messages pass through") {
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 00") == "01 00 00");
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 02 85 01") == "01 00 02 85 01");
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 01 01 01 04 03 02 01 07*20 05 00*7")
        == "01 00 01 01 01 04 03 02 01 " + to_hex(from_hex("07*20 05 00*7")));
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 03 05") == "01 00 03 05");
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 05 85 01") == "01 00 05 85 01");
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 04 85 01 01 01 04 03 02 01 07*20 05 00*7")
        == "01 00 04 85 01 01 01 04 03 02 01 " + to_hex(from_hex("07*20 05 00*7")));
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 04 05 00 05 00*6") == "[unexpected_end]");
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 04 80*9 01 00*9") == "[invalid_varint]");
  CHECK(convert("{a:u8,b:actor}", "{a:u16,b:actor}", "01 06") == "[invalid_tag]");
  CHECK(convert("{a:u8,b:caf::error}", "{a:u16,b:caf::error}", "01 12 34 01 0d 01 78")
        == "01 00 12 34 01 0d 01 78");
  CHECK(convert("{a:u8,b:caf::message}", "{a:u16,b:caf::message}", "01 02 06 0d 05 00*3 01 61")
        == "01 00 02 06 0d 05 00 00 00 01 61");
  CHECK(convert("{a:u8,b:caf::message}", "{a:u16,b:caf::message}", "01 01 00 01 78 00*8 00")
        == "[unknown_type]");
  CHECK(convert("{a:u8,b:caf::node_id}", "{a:u16,b:caf::node_id}", "01 00") == "01 00 00");
  CHECK(convert("caf::uri", "caf::node_id", "00").starts_with("no plan"));
}

TEST_CASE("what a schema does not tell cannot be converted") {
  CHECK(convert("{a:seq(?)}", "{a:seq(?)}", "00")
        == "no plan: seq(?): its schema does not tell how to read it");
  CHECK(convert("x;x{a:caf::of_tomorrow,b:u8}", "x;x{b:u8}", "00")
        == "no plan: x.a: its schema does not tell how to read it");
  CHECK(convert("{a:i32}", "{a:seq(c8)}", "00") == "no plan: a: i32 there, seq(c8) here");
  CHECK(convert("{a:{b:seq(i32)}}", "{a:{b:seq(seq(c8))}}", "00")
        == "no plan: a.b.element: i32 there, seq(c8) here");
}

TEST_CASE("errors of values tell the place and both types") {
  converter f{"{a:{b:i32}}", "{a:{b:i8}}"};
  CHECK(f("ff ff 00 00") == "[value_not_representable]");
  CHECK(f.detail == "a.b: a value of i32 there does not fit into i8 here");
  converter g{"var(u8,bool)", "var(u8)"};
  CHECK(g("01 01") == "[value_not_representable]");
  CHECK(g.detail == "value: bool there, no alternative here");
}

TEST_CASE("arrays of structs are converted in one go") {
  converter f{"seq({a:u8,b:u16,c:u8,d:u32})", "seq({a:u8,b:u32,c:u8,d:u32})"};
  auto* root = f.plan().root();
  REQUIRE(root != nullptr);
  REQUIRE(root->parts.size() == 1);
  // One copy, one conversion, one copy.
  CHECK(root->parts[0].how->flat.steps.size() == 3);
  CHECK(f("02 01 02 00 03 04 00 00 00 05 06 00 07 08 00 00 00")
        == "02 01 02 00 00 00 03 04 00 00 00 05 06 00 00 00 07 08 00 00 00");
  // More than a block.
  std::string in = "90 4e 00*14";
  std::string out;
  for (auto i = 0; i < 10'000; ++i) {
    in += " 01 02 00 03 04 00 00 00";
    out += " 01 02 00 00 00 03 04 00 00 00";
  }
  auto is_equal = f(in) == to_hex(from_hex("90 4e 00*14")) + out;
  CHECK(is_equal);
}
