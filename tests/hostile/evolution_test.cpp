// This file is part of cafwire. See the file LICENSE for license terms.

// Schemas and payloads that a stranger could send to have them converted.

#include "evolution/converter.hpp"

#include <cafwire/session/deserializer_session.hpp>

#include "support/session_types.hpp"
#include "support/specimens.hpp"

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace evolution_test;

namespace {

std::vector<std::string> all_schemas() {
  std::vector<std::string> result;
  test::for_each_specimen([&](auto x) { result.push_back(layout::schema_of<decltype(x)>().text); });
  return result;
}

} // namespace

TEST_CASE("converted messages stay within the memory of their input") {
  auto bounds = limits::untrusted();
  bounds.free_memory_bytes = 1000;
  // A byte becomes sixteen: what fits is known before memory is taken.
  converter f{"seq(u8)", "seq(u128)"};
  CHECK(f.run(from_hex("e8 07 00*14 01*1000"), bounds) != "[memory_limit]");
  converter g{"seq(opt(u8))", "seq(opt(u128))"};
  CHECK(g.run(from_hex("03 01 01 01 01 01 01"), bounds).front() != '[');
  bounds.free_memory_bytes = 10;
  CHECK(g.run(from_hex("03 01 01 01 01 01 01"), bounds).front() != '[');
  bounds.memory_per_input_byte = 1;
  CHECK(g.run(from_hex("03 01 01 01 01 01 01"), bounds) == "[memory_limit]");
  CHECK(f.run(from_hex("e8 07 00*14 01*1000"), bounds) == "[memory_limit]");
}

TEST_CASE("elements without bytes do not become many bytes") {
  converter f{"seq({})", "seq({a?:u8})"};
  CHECK(f.run(from_hex("e8 07")).size() > 3000);
  CHECK(f.run(from_hex("ff ff ff ff 0f")) == "[unbacked_items_limit]");
  converter g{"[1000000]{}", "[1000000]{}"};
  CHECK(g.run({}) == "");
  CHECK(g.plan().root() != nullptr);
}

TEST_CASE("a length that the input cannot hold is refused first") {
  converter f{"seq(u8)", "seq(u64)"};
  auto input = from_hex("ff ff ff ff ff ff 03 01");
  CHECK(f.run(input) == "[length_exceeds_input]");
  converter g{"seq(opt(u8))", "seq(opt(u64))"};
  CHECK(g.run(input) == "[length_exceeds_input]");
}

TEST_CASE("nesting of converted values is bounded") {
  converter f{"t;t{next:opt(t)}", "t;t{a?:u8,next:opt(t)}"};
  CHECK(f.run(from_hex("01*60 00")).front() != '[');
  CHECK(f.run(from_hex("01*100000 00")) == "[depth_limit]");
  converter g{"t;t{next:shared(t)}", "t;t{a?:u8,next:shared(t)}"};
  CHECK(g.run(from_hex("01*100000 00")) == "[depth_limit]");
  // A struct that holds itself has no values.
  CHECK(convert("t;t{next:t}", "t;t{a?:u8,next:t}", "00") == "[depth_limit]");
}

TEST_CASE("plans of hostile schemas end soon") {
  // Rings of other lengths than ours, so that many pairs of types meet.
  auto ring = [](size_t n) {
    std::string result;
    for (size_t i = 0; i < n; ++i)
      result += "{a:opt(";
    result += '^' + std::to_string(n);
    for (size_t i = 0; i < n; ++i)
      result += ")}";
    return result;
  };
  auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(convert(ring(61), ring(59), "00").empty());
  // Alternatives in alternatives that fit at first sight only.
  auto nest = [](size_t n, std::string_view last) {
    std::string result;
    for (size_t i = 0; i < n; ++i)
      result += "var({v:";
    result += last;
    for (size_t i = 0; i < n; ++i)
      result += "},{v:bool})";
    return result;
  };
  CHECK(convert(nest(40, "seq(c8)"), nest(40, "u8"), "01 01") == "01 01");
  std::string many = "var(";
  for (auto i = 0; i < 1000; ++i)
    many += "u8,";
  CHECK(convert(many + "bool)", "var(u16,u32,seq(c8))", "00 07") == "00 07 00");
  auto time = std::chrono::steady_clock::now() - start;
  CHECK(time < std::chrono::seconds{20});
}

TEST_CASE("any schema can meet any other, with any bytes") {
  std::minstd_rand random{7};
  auto schemas = all_schemas();
  size_t converted = 0;
  for (auto& from : schemas) {
    for (auto& to : schemas) {
      converter f{from, to};
      if (f.plan().root() == nullptr) {
        CHECK_FALSE(f.plan().problem().empty());
        continue;
      }
      for (auto round = 0; round < 60; ++round) {
        byte_vector bytes(random() % 40);
        for (auto& x : bytes)
          x = static_cast<std::byte>(random() % 4 == 0 ? random() % 256 : random() % 4);
        if (auto text = f.run(bytes); text.empty() || text.front() != '[')
          ++converted;
      }
    }
  }
  CHECK(converted > 100);
}

TEST_CASE("versions of a type that a session meets are bounded") {
  // Each definition is another version of `point`, and each is large.
  session_test::stream_builder stream;
  std::string rest;
  for (auto i = 0; i < 900; ++i)
    rest += ",i8";
  auto name = std::string{"session_test\\:\\:point"};
  for (uint64_t i = 0; i < 400; ++i) {
    auto schema = name + ';' + name + "{x:i32,y:i32,z:i32,a" + std::to_string(i) + ":(i8" + rest
                  + ")}";
    stream.type(512 + i, "session_test::point", layout::fingerprint_of(schema), schema);
  }
  stream.signature(1, {512}).signature(2, {512 + 399});
  byte_vector payload(12 + 901);
  stream.message(1, payload).message(2, payload);
  deserializer_session reader;
  input_cursor in{stream.bytes()};
  session_test::point x;
  CHECK(reader.read(in, x) == ec::none);
  CHECK(reader.read(in, x) == ec::schema_mismatch);
  CHECK(to_string(reader.last_error()).find("too many versions") != std::string::npos);
}
