// This file is part of cafwire. See the file LICENSE for license terms.

// The ways to register types at the start of a program: one program each, because registering lasts
// until a program ends.

#include "support/catch.hpp"

#include <cstdlib>
#include <string>

namespace {

/// Runs a program and returns whether it was content.
bool run(const std::string& name) {
  auto command = '"' + std::string{CAFWIRE_TEST_PROGRAMS_DIR} + '/' + name + '"';
  return std::system(command.c_str()) == 0;
}

} // namespace

TEST_CASE("CAFWIRE_MAIN replaces CAF_MAIN") {
  CHECK(run("cafwire_main"));
}

TEST_CASE("CAFWIRE_MAIN takes modules and configurations") {
  CHECK(run("cafwire_main_with_config"));
}

TEST_CASE("cafwire may be added behind CAF_MAIN") {
  CHECK(run("behind_caf_main"));
}

TEST_CASE("cafwire may come before CAF") {
  CHECK(run("before_caf"));
}

TEST_CASE("cafwire may come behind CAF") {
  CHECK(run("behind_caf"));
}

TEST_CASE("a program that registers nothing gets errors") {
  CHECK(run("not_at_all"));
}
