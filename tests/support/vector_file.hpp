// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Reads the files of tests/vectors (see the README there) and checks values against them.

#include <cafwire/codec.hpp>
#include <cafwire/layout/schema.hpp>

#include "support/catch.hpp"
#include "support/session_bytes.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace session_test {

/// A case of a file: one value, or one input that is refused. What a file does not tell is empty.
struct vector_case {
  std::string name;
  std::string schema;
  /// The value, or what is wrong, for people.
  std::string note;
  /// The name of the error.
  std::string error;
  /// The bytes as they are written in the file.
  std::string hex;
  byte_vector bytes;
  /// The value as a JSON text.
  std::string value;
};

/// A record of a session, or of a link.
struct vector_record {
  std::string kind;
  std::string note;
  byte_vector bytes;
};

/// Records that follow each other.
struct vector_stream {
  std::string name;
  std::vector<vector_record> records;
};

/// A type of the format.
struct vector_slot {
  uint32_t slot = 0;
  std::string name;
  std::string schema;
};

/// A record of a link. What it does not have is 0.
struct vector_link_record {
  std::string op;
  uint64_t target = 0;
  uint64_t source = 0;
  bool returned = false;
  /// Whether the actors live on third nodes.
  bool relayed_target = false;
  bool relayed_source = false;
  /// The ID of CAF.
  uint64_t id = 0;
  /// Whether `id` stands there.
  bool has_id = false;
};

/// A frame of a link.
struct vector_frame {
  std::string note;
  std::vector<vector_link_record> records;
  byte_vector bytes;
};

/// A link. The connecting side is the first direction.
struct vector_link {
  std::string name;
  /// The shared key, or nothing.
  byte_vector key;
  std::vector<std::vector<vector_frame>> directions;
};

/// A chunk of a recording.
struct vector_chunk {
  uint8_t kind = 0;
  uint8_t direction = 0;
  uint32_t stream = 0;
  int64_t time = 0;
  byte_vector body;
};

/// A recording.
struct vector_recording {
  std::string name;
  std::vector<vector_chunk> chunks;
  byte_vector bytes;
};

/// A value of another version of a type.
struct vector_conversion {
  std::string name;
  std::string schema;
  /// The bytes of the writer as they are written in the file.
  std::string hex;
  std::string reader_schema;
  /// What the reader makes of them, unless there is an error.
  byte_vector reader_bytes;
  std::string error;
};

/// Read a file of the format's current version. Throw if it is not what the README says.
std::vector<vector_case> read_cases(const std::string& file);

std::vector<vector_stream> read_streams(const std::string& file);

std::vector<vector_slot> read_slots();

std::vector<vector_conversion> read_conversions(const std::string& file);

std::vector<vector_recording> read_recordings(const std::string& file);

std::vector<vector_link> read_links(const std::string& file);

/// Pointers to equal objects are not equal.
template <class T>
struct is_pointer : std::false_type {};

template <class T>
struct is_pointer<std::unique_ptr<T>> : std::true_type {};

template <class T>
struct is_pointer<std::shared_ptr<T>> : std::true_type {};

template <class T>
struct is_pointer<std::weak_ptr<T>> : std::true_type {};

template <class T>
struct is_pointer<std::vector<T>> : is_pointer<T> {};

template <class T, class U>
struct is_pointer<std::pair<T, U>> : std::disjunction<is_pointer<T>, is_pointer<U>> {};

/// One of the files with values. Values that are not in the file, and cases without a value, are
/// failures.
class vector_group {
public:
  explicit vector_group(std::string file) : file_(std::move(file)) {
    for (auto& x : read_cases(file_))
      if (!cases_.emplace(x.name, x).second)
        throw std::runtime_error{file_ + ": the name " + x.name + " occurs twice"};
  }

  /// Encodes and decodes `value` and compares with the case called `name`.
  template <class T>
  void check(const std::string& name, const T& value) {
    INFO(file_ << ": " << name);
    auto i = cases_.find(name);
    REQUIRE(i != cases_.end());
    auto [schema, expected] = std::pair{i->second.schema, i->second.bytes};
    cases_.erase(i);
    CHECK(cafwire::layout::schema_of<T>().text == schema);
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

  /// Checks that all cases have been used.
  void finish() const {
    for (auto& [name, unused] : cases_)
      FAIL(file_ << ": no value for " << name);
  }

private:
  std::string file_;
  std::map<std::string, vector_case> cases_;
};

} // namespace session_test
