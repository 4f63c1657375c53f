// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/schema_tree.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/handle_tag.hpp"
#include "cafwire/wire/input_cursor.hpp"
#include "cafwire/wire/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cafwire::layout {

/// Finds the types that values name: the elements of messages inside of values, and the categories
/// of errors.
class type_source {
public:
  virtual ~type_source();

  /// Returns the type with a slot of the format, or `nullptr`.
  virtual const schema_node* core_type(uint64_t slot) = 0;

  /// Returns the type of an application, or `nullptr`.
  virtual const schema_node* named_type(std::string_view name, uint64_t fingerprint) = 0;

  /// Returns whether types of an application have the name, but none of them the fingerprint.
  virtual bool has_other_version(std::string_view name, uint64_t fingerprint) = 0;
};

/// What stands in an actor handle. What a tag does not have is 0.
struct handle_parts {
  handle_tag tag = handle_tag::null;
  /// If only links have the tag: the ID of the actor, or the number of who relays to it.
  uint64_t number = 0;
  /// If the tag says where the actor lives: its node, in the encoding of `node_id_schema()`, and
  /// its ID there. A long URI in it is aligned from the begin of the input, and so by the cursor.
  std::span<const std::byte> node;
  input_cursor at_node;
  uint64_t id = 0;
  /// All of the handle, tag included.
  std::span<const std::byte> bytes;
};

/// Gets the parts of a value one by one. All functions do nothing unless overridden.
class value_visitor {
public:
  virtual ~value_visitor();

  /// A number, enum, duration or time point, in the bytes of the wire.
  virtual void scalar(const schema_node& type, std::span<const std::byte> bytes);

  /// A sequence or array of numbers, such as a string, in one piece.
  virtual void run(const schema_node& type, uint64_t n, std::span<const std::byte> bytes);

  /// A sequence or array of bits, 8 per byte, the first one lowest.
  virtual void bits(const schema_node& type, uint64_t n, std::span<const std::byte> bytes);

  /// A value with `n` parts begins: a product, container, optional, variant, message or error.
  virtual void begin(const schema_node& type, uint64_t n);

  /// The value has ended.
  virtual void end(const schema_node& type);

  /// The value of a field, element of a tuple, or alternative of a variant or choice follows, or is
  /// absent.
  virtual void part(const schema_node& type, const schema_field& part, bool is_present);

  /// An object behind a shared pointer follows.
  virtual void object(const schema_node& pointer, uint64_t number, const std::byte* position);

  /// A shared pointer refers to an object that was there before.
  virtual void reference(const schema_node& pointer, uint64_t number);

  /// A pointer to nothing.
  virtual void null(const schema_node& pointer);

  /// An actor handle.
  virtual void handle(const handle_parts& parts);

  /// Zero bytes that align what follows them, unless they are inside of a handle.
  virtual void padding(std::span<const std::byte> bytes);

  /// An element of a message follows, or the context of an error with a category and a code.
  virtual void element(std::string_view type_name, uint8_t code);
};

/// Reads values whose types are known by their schemas only. Checks all that a deserializer checks
/// except what only the type knows: the order of keys, duplicate keys, and invariants. Safe against
/// any input. Belongs to one thread.
class value_walker {
public:
  /// @param in one message: alignment counts from the begin of the input.
  /// @param types must outlive this object. Without it, messages inside of values are refused, and
  ///              so are errors.
  value_walker(input_cursor in, const limits& bounds, type_source* types) noexcept
    : in_(in),
      types_(types),
      depth_left_(bounds.max_depth),
      objects_left_(bounds.max_depth + 1),
      unbacked_left_(bounds.max_unbacked_items) {
    // nop
  }

  // -- values -------------------------------------------------------------------------------------

  /// Reads a value and shows its parts. Takes time linear in the number of bytes, plus at most
  /// `limits::max_unbacked_items`.
  /// @returns whether that went well; `code()` has the cause otherwise.
  [[nodiscard]] bool visit(const schema_node& type, value_visitor& visitor);

  /// Reads a value and forgets it.
  [[nodiscard]] bool skip(const schema_node& type);

  // -- properties ---------------------------------------------------------------------------------

  ec code() const noexcept {
    return code_;
  }

  /// Returns a text for humans that belongs to `code()`, or nothing.
  const std::string& detail() const noexcept {
    return detail_;
  }

  input_cursor& cursor() noexcept {
    return in_;
  }

  type_source* types() const noexcept {
    return types_;
  }

  // -- building blocks, for those who read values in another order --------------------------------

  bool varint(uint64_t& x) {
    auto code = in_.read_varint(x);
    return code == ec::none || fail(code);
  }

  /// Reads the ID or the number of an actor in a handle.
  bool handle_number(uint64_t& x);

  bool byte(uint8_t& x) {
    auto code = in_.read_integer(x);
    return code == ec::none || fail(code);
  }

  /// Reads a byte that must be 0 or 1.
  bool flag(bool& x);

  /// Reads bytes as they are.
  bool view(size_t num_bytes, std::span<const std::byte>& bytes);

  /// Reads the number of parts of a sequence, set or map, and the zero bytes behind it.
  bool count(const schema_node& container, uint64_t& n);

  /// Reads the index of an alternative.
  bool alternative(const schema_node& variant, size_t& index);

  /// Reads the name of the type of an object.
  /// @param index is the number of alternatives if there is none of this name.
  bool choice(const schema_node& any, size_t& index, std::string_view& name);

  /// Reads a string as the encoding has it.
  bool string(std::string_view& text);

  /// Reads the type of an element of a message.
  /// @param type is `nullptr` if it is not known; that is no error.
  bool element_type(const schema_node*& type, std::string& name);

  /// Accounts for an element that may have consumed no input.
  bool progress(size_t old_remaining);

  bool enter() {
    if (depth_left_ == 0)
      return fail(ec::depth_limit);
    --depth_left_;
    return true;
  }

  bool leave() noexcept {
    ++depth_left_;
    return true;
  }

  bool enter_object() {
    if (objects_left_ == 0)
      return fail(ec::depth_limit);
    --objects_left_;
    return true;
  }

  bool leave_object() noexcept {
    ++objects_left_;
    return true;
  }

  /// Tells how many objects the message has, for values that are not read in their order: each may
  /// be referred to from everywhere.
  void known_objects(uint64_t n) noexcept {
    objects_ = n;
  }

  bool fail(ec code, std::string detail = {}) {
    if (code_ == ec::none) {
      code_ = code;
      detail_ = std::move(detail);
    }
    return false;
  }

private:
  bool walk(const schema_node& type);

  /// Reads what `body` reads as the parts of a value.
  template <class Body>
  bool enclosed(const schema_node& type, uint64_t n, Body body) {
    if (visitor_ != nullptr)
      visitor_->begin(type, n);
    if (!body())
      return false;
    if (visitor_ != nullptr)
      visitor_->end(type);
    return true;
  }

  /// Reads the only part of a value.
  bool only_part(const schema_node& type, const schema_field& part, uint64_t n, bool is_present);

  bool skip_alignment();

  bool scalar(const schema_node& type);

  bool elements(const schema_node& type, uint64_t n);

  bool parts(const schema_node& type);

  bool pointer(const schema_node& type);

  bool handle();

  bool message(const schema_node& type);

  bool error(const schema_node& type);

  input_cursor in_;
  type_source* types_;
  value_visitor* visitor_ = nullptr;
  size_t depth_left_;
  size_t objects_left_;
  size_t unbacked_left_;
  uint64_t objects_ = 0;
  ec code_ = ec::none;
  std::string detail_;
};

} // namespace cafwire::layout
