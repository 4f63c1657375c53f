// This file is part of cafwire. See the file LICENSE for license terms.

// Texts of schemas. What the parser accepts, it can print, and read again.

#include "fuzz/target.hpp"
#include "support/specimens.hpp"

#include <cafwire/codec.hpp>
#include <cafwire/layout/schema.hpp>
#include <cafwire/layout/schema_tree.hpp>

using cafwire::ec;
using cafwire::layout::schema_tree;

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> result;
  test::for_each_specimen(
    [&result]<class T>(const T&) { result.push_back(cafwire::layout::schema_of<T>().text); });
  result.emplace_back("any(circle:{radius:u8},square:{side?:u16})");
  result.emplace_back("n\\:\\:t;n\\:\\:t{value:duration(i64,1/1000),next:seq(n\\:\\:t),seq(?)}");
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  schema_tree tree;
  std::string problem;
  if (schema_tree::parse({reinterpret_cast<const char*>(data), size}, tree, problem) != ec::none) {
    fuzz::require(!problem.empty(), "a failure has a text");
    return 0;
  }
  auto text = cafwire::layout::to_text(tree.root());
  schema_tree again;
  fuzz::require(schema_tree::parse(text, again, problem) == ec::none, "a tree has a text");
  fuzz::require(cafwire::layout::to_text(again.root()) == text, "it has its text again");
  return 0;
}
