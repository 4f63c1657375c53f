// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dump/object_checker.hpp"

#include <cafwire/layout/value_walker.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cafwire::dump {

using json = nlohmann::ordered_json;

/// Returns a number, enum, duration or time point in the form that `docs/recordings.md` describes.
json scalar_json(const layout::schema_node& type, std::span<const std::byte> bytes);

/// Returns a sequence of numbers: text, hexadecimal digits or an array.
json run_json(const layout::schema_node& type, std::span<const std::byte> bytes);

/// Returns bits as a string.
std::string bits_text(uint64_t n, std::span<const std::byte> bytes);

/// Returns bytes as hexadecimal digits without blanks.
std::string hex_text(std::span<const std::byte> bytes);

/// Returns the name of an element of a message. The walker knows types of the format by slot.
std::string element_name(std::string_view name);

/// Returns the name of a type of the format.
/// @pre there is a type with this slot.
std::string core_type_name(size_t slot);

/// Returns a number with 16 hexadecimal digits.
std::string hex_number(uint64_t x);

/// Builds the JSON form of a value that a `layout::value_walker` visits.
class json_builder : public object_checker {
public:
  /// Returns the value and turns to the next one of the same message.
  json take();

  void scalar(const layout::schema_node& type, std::span<const std::byte> bytes) override;

  void run(const layout::schema_node& type, uint64_t n, std::span<const std::byte> bytes) override;

  void bits(const layout::schema_node& type, uint64_t n, std::span<const std::byte> bytes) override;

  void begin(const layout::schema_node& type, uint64_t n) override;

  void end(const layout::schema_node& type) override;

  void part(const layout::schema_node& type, const layout::schema_field& part,
            bool is_present) override;

  void object(const layout::schema_node& pointer, uint64_t number,
              const std::byte* position) override;

  void reference(const layout::schema_node& pointer, uint64_t number) override;

  void null(const layout::schema_node& pointer) override;

  void handle(const layout::handle_parts& parts) override;

  void element(std::string_view type_name, uint8_t code) override;

private:
  /// A value that is not complete.
  struct level {
    /// `nullptr` for an object behind a shared pointer.
    const layout::schema_node* type;
    /// An index, or the number of an object.
    uint64_t number;
    /// The values inside of it.
    std::vector<json> values;
    /// Names of types, one for each value.
    std::vector<std::string> names;
    /// The code of an error.
    uint8_t code = 0;
    /// The value is one that may be absent.
    bool maybe = false;
    /// A run of numbers stands for all values.
    bool is_run = false;
  };

  /// Adds a complete value to the one around it.
  void add(json value);

  std::vector<level> levels_;
  json result_;
};

} // namespace cafwire::dump
