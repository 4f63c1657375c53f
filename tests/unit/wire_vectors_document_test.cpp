// This file is part of cafwire. See the file LICENSE for license terms.

// The examples in docs/wire-format.md are test vectors, word for word.

#include "support/vector_file.hpp"

#include <algorithm>
#include <fstream>
#include <set>

using namespace session_test;

namespace {

/// Removes the backticks around code.
std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

/// Splits a row of a table at its bars.
std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> result;
  auto trim = [](std::string_view x) {
    while (!x.empty() && x.front() == ' ')
      x.remove_prefix(1);
    while (!x.empty() && x.back() == ' ')
      x.remove_suffix(1);
    return std::string{x};
  };
  for (;;) {
    auto end = line.find('|');
    result.push_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos)
      return result;
    line.remove_prefix(end + 1);
  }
}

/// Returns name, schema, value and bytes of all values.
std::set<std::vector<std::string>> all_vectors() {
  std::set<std::vector<std::string>> result;
  for (auto file :
       {"numbers.json", "strings.json", "containers.json", "structs.json", "caf_types.json"})
    for (auto& x : read_cases(file))
      result.insert({x.name, x.schema, x.note, x.hex});
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
  auto streams = read_streams("session_streams.json");
  auto stream = std::find_if(streams.begin(), streams.end(),
                             [](auto& x) { return x.name == "learned"; });
  REQUIRE(stream != streams.end());
  byte_vector vector;
  for (size_t i = 0; i < 4; ++i) {
    auto& bytes = stream->records.at(i).bytes;
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
  CHECK(next == read_slots().size() + 1);
}
