// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Reads the files of tests/vectors (see the README there) and checks values against them.

#include <cafwire/codec.hpp>
#include <cafwire/layout/schema.hpp>

#include "support/catch.hpp"
#include "support/session_bytes.hpp"

#include <concepts>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace session_test {

/// Splits a line at ` | `.
inline std::vector<std::string> columns_of(std::string_view line) {
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

/// Reads a file of vectors line by line. Throws if a line has another number of columns.
inline std::vector<std::vector<std::string>> read_vectors(const std::string& file,
                                                          size_t num_columns) {
  std::ifstream in{std::string{CAFWIRE_VECTORS_DIR} + '/' + file};
  if (!in)
    throw std::runtime_error{"cannot open " + file};
  std::vector<std::vector<std::string>> result;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#')
      continue;
    auto columns = columns_of(line);
    if (columns.size() != num_columns)
      throw std::runtime_error{file + ": not the right number of columns: " + line};
    result.push_back(std::move(columns));
  }
  return result;
}

/// Reads the column with the bytes.
inline byte_vector bytes_of(const std::string& column) {
  return column == "-" ? byte_vector{} : from_hex(column);
}

/// Pointers to equal objects are not equal.
template <class T>
struct is_pointer : std::false_type {};

template <class T>
struct is_pointer<std::unique_ptr<T>> : std::true_type {};

template <class T>
struct is_pointer<std::shared_ptr<T>> : std::true_type {};

template <class T>
struct is_pointer<std::vector<T>> : is_pointer<T> {};

/// One of the files with values. Values that are not in the file, and lines without a value, are
/// failures.
class vector_group {
public:
  explicit vector_group(std::string file) : file_(std::move(file)) {
    for (auto& line : read_vectors(file_, 4)) {
      if (!lines_.emplace(line[0], line).second)
        throw std::runtime_error{file_ + ": the name " + line[0] + " occurs twice"};
    }
  }

  /// Encodes and decodes `value` and compares with the line called `name`.
  template <class T>
  void check(const std::string& name, const T& value) {
    INFO(file_ << ": " << name);
    auto i = lines_.find(name);
    REQUIRE(i != lines_.end());
    auto line = i->second;
    lines_.erase(i);
    CHECK(cafwire::layout::schema_of<T>().text == line[1]);
    auto expected = bytes_of(line[3]);
    cafwire::output_buffer out;
    CHECK(cafwire::serialize(out, value) == cafwire::ec::none);
    CHECK(to_hex(out.bytes()) == to_hex(expected));
    exact_copy input{expected};
    T decoded{};
    REQUIRE(cafwire::deserialize(input.get(), decoded) == cafwire::ec::none);
    cafwire::output_buffer again;
    CHECK(cafwire::serialize(again, decoded) == cafwire::ec::none);
    CHECK(to_hex(again.bytes()) == to_hex(expected));
    // Numbers that differ from themselves have been compared by their bytes.
    if constexpr (requires {
                    { value == value } -> std::same_as<bool>;
                  }
                  && !is_pointer<T>::value)
      if (value == value)
        CHECK((decoded == value));
    // No shorter input is accepted.
    for (size_t n = 0; n < expected.size(); ++n) {
      exact_copy part{input.get().first(n)};
      T ignored{};
      if (cafwire::deserialize(part.get(), ignored) == cafwire::ec::none)
        FAIL("accepts the first " << n << " of " << expected.size() << " bytes");
    }
  }

  /// Checks that all lines have been used.
  void finish() const {
    for (auto& [name, line] : lines_)
      FAIL(file_ << ": no value for " << name);
  }

private:
  std::string file_;
  std::map<std::string, std::vector<std::string>> lines_;
};

} // namespace session_test
