// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace cafwire::layout {

/// What a type is on the wire. The order of the numbers is that of the grammar in
/// `docs/wire-format.md`.
enum class schema_kind : uint8_t {
  // -- numbers ------------------------------------------------------------------------------------
  boolean,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  i128,
  u128,
  c8,
  c16,
  c32,
  f32,
  f64,
  f80,
  // -- built from one number ----------------------------------------------------------------------
  enumeration,
  duration,
  time_point,
  // -- products -----------------------------------------------------------------------------------
  /// `count` values of one type.
  array,
  tuple,
  structure,
  // -- sums ---------------------------------------------------------------------------------------
  optional,
  variant,
  // -- containers ---------------------------------------------------------------------------------
  sequence,
  set,
  unordered_set,
  map,
  unordered_map,
  /// A sequence of bits: `bits`.
  bit_sequence,
  /// `count` bits: `bits(n)`.
  bit_array,
  // -- pointers -----------------------------------------------------------------------------------
  shared,
  weak,
  /// A choice of types by name.
  any,
  // -- special ------------------------------------------------------------------------------------
  actor,
  /// `caf::message`: the value says what it holds.
  message,
  /// `caf::error`.
  error,
  /// Another type of CAF that stands there by name. Has its encoding as the only child, if the
  /// format knows the type.
  core_type,
  /// A type that never leaves its process.
  unsupported,
  /// `?`: cannot be described without an object.
  unknown,
  /// Nothing stands there: an overload that writes by hand has written nothing for a new object.
  nothing,
};

struct schema_node;

/// A part of a type.
struct schema_field {
  /// The name of a field, or of a type that `any` offers; empty for all other parts.
  std::string name;
  /// Whether there is a name: it may be empty.
  bool has_name = false;
  /// Whether a presence byte stands in front of the value.
  bool may_be_absent = false;
  /// The type. Belongs to the tree.
  const schema_node* type = nullptr;
};

/// A type in a schema.
struct schema_node {
  schema_kind kind = schema_kind::unknown;
  /// The name of a struct that has one, or of a type of CAF.
  std::string name;
  /// The parts: fields, elements, alternatives; key and value of a map; the number of an enum or
  /// duration.
  std::vector<schema_field> fields;
  /// The elements of an array, or the bits of `bits(n)`.
  uint64_t count = 0;
  /// The period of a duration or time point, in seconds.
  uint64_t period_numerator = 1;
  uint64_t period_denominator = 1;
  /// The least number of bytes that a value takes.
  size_t min_size = 0;
  /// Whether all values take `min_size` bytes.
  bool fixed_size = false;
  /// Whether the size is fixed and any bytes are a value, so that nothing has to be checked.
  bool any_bytes = false;

  /// Returns the type of the part with an index.
  const schema_node& child(size_t index = 0) const noexcept {
    return *fields[index].type;
  }

  bool is_number() const noexcept {
    return kind <= schema_kind::f80;
  }

  /// Whether the type is a number, or one number with a meaning.
  bool is_scalar() const noexcept {
    return kind <= schema_kind::time_point;
  }

  bool is_integer() const noexcept {
    return kind >= schema_kind::i8 && kind <= schema_kind::u128;
  }

  bool is_character() const noexcept {
    return kind >= schema_kind::c8 && kind <= schema_kind::c32;
  }

  bool is_float() const noexcept {
    return kind >= schema_kind::f32 && kind <= schema_kind::f80;
  }
};

/// The parsed form of a schema. A named type is one node, however often it occurs, so that types
/// that hold others of their kind are circles of nodes. May be moved, which keeps all nodes in
/// their places.
class schema_tree {
public:
  schema_tree() = default;

  schema_tree(schema_tree&&) = default;

  schema_tree& operator=(schema_tree&&) = default;

  schema_tree(const schema_tree&) = delete;

  schema_tree& operator=(const schema_tree&) = delete;

  /// Parses a canonical text. Safe against any input: takes time and memory linear in its length.
  /// @returns `ec::invalid_definition` if it is malformed, and where to look in `problem`; `result`
  ///          is unchanged then.
  [[nodiscard]] static ec parse(std::string_view text, schema_tree& result, std::string& problem);

  /// The type that the schema describes.
  /// @pre a text has been parsed.
  const schema_node& root() const noexcept {
    return *root_;
  }

  bool empty() const noexcept {
    return root_ == nullptr;
  }

  /// Returns how many types the tree has.
  size_t size() const noexcept {
    return nodes_.size();
  }

  /// All structs of the text, those of the format left out, in the order in which they begin when
  /// each definition is read where its name first occurs.
  const std::vector<const schema_node*>& structures() const noexcept {
    return structures_;
  }

private:
  friend class schema_parser;

  std::deque<schema_node> nodes_;
  std::vector<const schema_node*> structures_;
  const schema_node* root_ = nullptr;
};

/// The encoding of `caf::node_id`, which is part of actor handles.
const schema_node& node_id_schema();

/// Levels of types inside of each other that a schema may have.
inline constexpr size_t max_schema_depth = 128;

/// Returns the canonical text of a type and of all named types inside of it.
std::string to_text(const schema_node& type);

/// Returns what people call a type: its name if it has one, and otherwise its text without the
/// definitions of other types, cut if it is long.
std::string short_name(const schema_node& type);

/// Returns how a number is called in schemas.
/// @pre `kind` is a number.
std::string_view number_name(schema_kind kind) noexcept;

/// Returns the bytes of a number.
/// @pre `kind` is a number.
size_t number_size(schema_kind kind) noexcept;

/// Appends a name to a schema: puts a backslash in front of all that has a meaning in the grammar.
void append_schema_name(std::string& out, std::string_view name);

/// Appends the name of a struct to a schema: in the same way, and with a backslash in front of a
/// name that is a type of the grammar.
void append_struct_name(std::string& out, std::string_view name);

} // namespace cafwire::layout
