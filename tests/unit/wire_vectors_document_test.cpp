// This file is part of cafwire. See the file LICENSE for license terms.

// The examples in docs/wire-format.md are test vectors, word for word.

#include "support/vector_file.hpp"

#include <set>

using namespace session_test;

namespace {

/// Removes the backticks around code.
std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

std::set<std::vector<std::string>> all_vectors() {
  std::set<std::vector<std::string>> result;
  for (auto file : {"numbers.txt", "strings.txt", "containers.txt", "structs.txt", "caf_types.txt"})
    for (auto& line : read_vectors(file, 4))
      result.insert(line);
  return result;
}

} // namespace

TEST_CASE("the examples of the document are vectors") {
  std::ifstream in{std::string{CAFWIRE_VECTORS_DIR} + "/../../docs/wire-format.md"};
  REQUIRE(in);
  auto vectors = all_vectors();
  size_t examples = 0;
  auto inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#"))
      inside = line == "### 1.11 Examples" || line == "### 1.14 Examples of pointers";
    if (!inside || !line.starts_with("| `"))
      continue;
    INFO(line);
    auto columns = columns_of(line);
    // In front of the first bar and behind the last one is nothing.
    REQUIRE(columns.size() == 6);
    std::vector<std::string> example;
    for (size_t i = 1; i <= 4; ++i)
      example.push_back(plain(columns[i]));
    CHECK(vectors.contains(example));
    ++examples;
  }
  CHECK(examples >= 20);
}

TEST_CASE("the stream in the document is a vector") {
  std::ifstream in{std::string{CAFWIRE_VECTORS_DIR} + "/../../docs/wire-format.md"};
  REQUIRE(in);
  byte_vector document;
  auto inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#"))
      inside = line == "### 3.10 Example";
    if (!inside || !line.starts_with("| `"))
      continue;
    auto bytes = from_hex(plain(columns_of(line)[1]));
    document.insert(document.end(), bytes.begin(), bytes.end());
  }
  byte_vector vector;
  size_t records = 0;
  for (auto& line : read_vectors("session_streams.txt", 3)) {
    if (line[0] != "learned" || records++ == 4)
      break;
    auto bytes = bytes_of(line[2]);
    vector.insert(vector.end(), bytes.begin(), bytes.end());
  }
  CHECK_FALSE(document.empty());
  CHECK(to_hex(document) == to_hex(vector));
}

TEST_CASE("the table of slots in the document is complete") {
  std::ifstream in{std::string{CAFWIRE_VECTORS_DIR} + "/../../docs/wire-format.md"};
  REQUIRE(in);
  // The rows give ranges that follow each other.
  size_t next = 1;
  auto inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#"))
      inside = line == "### 3.7 The types of the format";
    if (!inside || !line.starts_with("| ") || line.find("slots") != std::string::npos)
      continue;
    auto range = columns_of(line)[1];
    auto separator = range.find(" to ");
    auto first = std::stoul(range);
    auto last = separator == std::string::npos ? first : std::stoul(range.substr(separator + 4));
    CHECK(first == next);
    next = last + 1;
  }
  CHECK(next == read_vectors("core_slots.txt", 2).size() + 1);
}
