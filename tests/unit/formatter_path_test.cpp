// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/path.hpp"

#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

using cafwire::ec;
using std::filesystem::path;
using test::check_wire;
using test::decode_code;
using test::encode;
using test::from_hex;
using test::to_hex;

TEST_CASE("a path is its text") {
  check_wire(path{}, path{"/old"}, {"seq(c8)", "00"});
  check_wire(path{"a"}, path{"/old/er"}, {"seq(c8)", "0161"});
  check_wire(path{"/a/b.txt"}, path{}, {"seq(c8)", "08 2f612f622e747874"});
  // Nothing is normalized.
  for (auto text : {"/", "//", "a/", "./a/../b", "///a", ".", "..", "a//b"}) {
    auto decoded = test::decode<path>(encode(path{text}));
    CHECK(decoded.native() == text);
    CHECK(decoded == path{text});
  }
}

TEST_CASE("a path keeps all bytes") {
  check_wire(path{u8"\u00e9"}, path{}, {"seq(c8)", "02 c3a9"});
  auto odd = std::string{"\xff\0/b", 4};
  CHECK(test::decode<path>(encode(path{odd})).native() == odd);
}

TEST_CASE("a path of many parts is bounded by the memory limit") {
  test::check_hostile_length(path{"abc"});
  std::string text;
  for (auto i = 0; i < 100000; ++i)
    text += "a/";
  CHECK(decode_code<path>(encode(text)) == ec::memory_limit);
  CHECK(decode_code<path>(encode(text), cafwire::limits::trusted()) == ec::none);
  CHECK(decode_code<path>(encode(std::string(100000, 'a'))) == ec::none);
}

TEST_CASE("paths may be elements and keys") {
  using paths = std::vector<path>;
  check_wire(paths{"a", "/b"}, paths{"old"}, {"seq(seq(c8))", "02 0161 022f62"});
  using sizes = std::map<path, int8_t>;
  check_wire(sizes{{"b", int8_t{1}}, {"a", int8_t{2}}}, sizes{{"old", int8_t{3}}},
             {"map(seq(c8),i8)", "02 016102 016201"});
}
