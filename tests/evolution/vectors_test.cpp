// This file is part of cafwire. See the file LICENSE for license terms.

// The conversions of tests/vectors/v1/evolution.json.

#include "evolution/converter.hpp"

#include "support/vector_file.hpp"

#include "support/catch.hpp"

using namespace evolution_test;

TEST_CASE("the vectors of conversions") {
  for (auto& x : session_test::read_conversions("evolution.json")) {
    INFO(x.name);
    auto result = convert(x.schema, x.reader_schema, x.hex);
    if (x.error.empty())
      CHECK(result == to_hex(x.reader_bytes));
    else if (x.error == "schema_mismatch")
      CHECK(result.starts_with("no plan: "));
    else
      CHECK(result == '[' + x.error + ']');
  }
}
