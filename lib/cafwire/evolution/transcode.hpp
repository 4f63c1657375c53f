// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/evolution/plan.hpp"
#include "cafwire/layout/value_walker.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cafwire::evolution {

/// Turns a message of a peer into the bytes that the own versions of its types would have. Safe
/// against any input and any plan: what comes out may still be refused by a deserializer, which has
/// to read it anyway. Belongs to one thread.
class transcoder {
public:
  /// @param payload the elements of one message, one behind the other.
  /// @param out is cleared.
  transcoder(std::span<const std::byte> payload, const limits& bounds, layout::type_source* types,
             output_buffer& out);

  /// Converts all elements. Allocates only for objects behind shared pointers, for fields in
  /// another order, and if the buffer has to grow.
  /// @param plans what to do with each element; all of them have a root.
  /// @returns whether that went well; `code()` and `detail()` tell the cause otherwise.
  [[nodiscard]] bool run(std::span<plan* const> plans);

  ec code() const noexcept {
    return walker_.code();
  }

  /// Returns the place and the types of a value without a counterpart, for humans.
  const std::string& detail() const noexcept {
    return walker_.detail();
  }

private:
  class object_finder;

  /// An object behind a shared pointer.
  struct object {
    /// Where its value begins in the payload.
    const std::byte* position;
    const layout::schema_node* type;
    /// The number of the object in the output, or `not_written`.
    uint64_t number;
  };

  static constexpr auto not_written = static_cast<uint64_t>(-1);

  bool value(const conversion& x);

  bool structure(const conversion& x);

  bool field(const conversion& x, const conversion::part& part);

  bool fallback(const conversion::part& part);

  bool elements(const conversion& x);

  bool pointer(const conversion& x);

  bool write_object(const layout::schema_node& from, const layout::schema_node& to, object& x);

  bool choice(const conversion& x);

  bool handle();

  bool node_and_id();

  bool message();

  bool element_type(const layout::schema_node*& type);

  bool error();

  /// Copies a value whose type is known by its schema only.
  bool same(const layout::schema_node& type);

  bool bits(const conversion& x);

  bool copy(const std::byte* first);

  /// Makes room.
  /// @returns `nullptr` if there is none; nobody looks at the place of no bytes.
  std::byte* grow(size_t num_bytes);

  bool put(const void* bytes, size_t num_bytes);

  bool put_byte(uint8_t x);

  bool put_varint(uint64_t x);

  bool align();

  layout::value_walker walker_;
  std::span<const std::byte> payload_;
  limits bounds_;
  layout::type_source* types_;
  output_buffer& out_;
  size_t budget_;
  plan* plan_ = nullptr;
  /// In the order of their positions.
  std::vector<object> objects_;
  uint64_t objects_written_ = 0;
};

} // namespace cafwire::evolution
