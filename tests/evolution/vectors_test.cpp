// This file is part of cafwire. See the file LICENSE for license terms.

// The conversions of tests/vectors/evolution.txt.

#include "evolution/converter.hpp"

#include "support/vector_file.hpp"

#include "support/catch.hpp"

using namespace evolution_test;

TEST_CASE("the vectors of conversions") {
  for (auto& line : session_test::read_vectors("evolution.txt", 5)) {
    INFO(line[0]);
    auto result = convert(line[1], line[3], line[2]);
    auto code = ec::none;
    if (!cafwire::from_string(compat::from_std(line[4]), code))
      CHECK(result == to_hex(session_test::bytes_of(line[4])));
    else if (code == ec::schema_mismatch)
      CHECK(result.starts_with("no plan: "));
    else
      CHECK(result == '[' + line[4] + ']');
  }
}
