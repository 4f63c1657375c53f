// This file is part of cafwire. See the file LICENSE for license terms.

// The files of recordings.json and recordings_invalid.json in tests/vectors.

#include "cafwire/recording/recording_reader.hpp"

#include "support/temporary_file.hpp"
#include "support/vector_file.hpp"

using namespace cafwire;
using namespace session_test;

TEST_CASE("the vectors of recordings") {
  for (auto& x : read_recordings("recordings.json")) {
    INFO(x.name);
    test::temporary_path file;
    test::write_file(file.path(), x.bytes);
    recording_reader reader;
    REQUIRE(reader.open(file.string()).empty());
    recording_chunk chunk;
    for (auto& expected : x.chunks) {
      CHECK_FALSE(reader.at_end());
      REQUIRE(reader.next(chunk).empty());
      CHECK(static_cast<uint8_t>(chunk.kind) == expected.kind);
      CHECK(static_cast<uint8_t>(chunk.direction) == expected.direction);
      CHECK(chunk.stream == expected.stream);
      CHECK(chunk.time == expected.time);
      CHECK(to_hex(chunk.body) == to_hex(expected.body));
    }
    CHECK(reader.at_end());
    CHECK(reader.offset() == x.bytes.size());
  }
}

TEST_CASE("the vectors of invalid recordings") {
  for (auto& x : read_cases("recordings_invalid.json")) {
    INFO(x.name << ": " << x.note);
    test::temporary_path file;
    test::write_file(file.path(), x.bytes);
    recording_reader reader;
    recording_chunk chunk;
    auto reason = reader.open(file.string());
    while (reason.empty() && !reader.at_end())
      reason = reader.next(chunk);
    CHECK(to_string(static_cast<ec>(reason.code())) == x.error);
  }
}
