// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/export_table.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/input_cursor.hpp"
#include "cafwire/wire/output_buffer.hpp"
#include "cafwire/wire/varint.hpp"

#include <caf/message_id.hpp>

#include <bit>
#include <cstdint>

namespace cafwire::detail {

/// What a record on a link is about. The low three bits of its first byte.
enum class link_op : uint8_t {
  /// A message for an actor; the record of the session follows.
  message = 1,
  /// The sender wants to know when an actor of the receiver terminates.
  monitor = 2,
  /// An actor of the sender has terminated; its exit reason follows as `caf::error`.
  down = 3,
  /// An actor of the sender has linked itself to an actor of the receiver.
  link = 4,
  /// An actor of the sender has removed such a link.
  unlink = 5,
  /// The sender has no handle left to an actor of the receiver; the number of records that it has
  /// handled so far follows.
  release = 6,
};

/// The head of a record on a link: one byte, then varints for what is there. Actors are known by
/// their keys in the `export_table` of their side.
struct record_head {
  link_op op = link_op::message;
  /// An actor that the receiver has exported. For `down`: one that the sender has exported.
  uint64_t target = 0;
  /// An actor that the sender has exported, or 0.
  uint64_t source = 0;
  /// Whether `source` is an actor that the receiver has exported instead.
  bool returned_source = false;
  /// The ID of the message with its flags.
  caf::message_id id;
};

/// First byte: the record names a source.
inline constexpr uint8_t has_source_flag = 0x08;

/// First byte: the target is an actor of a third node, known by the number of who relays to it.
inline constexpr uint8_t relayed_target_flag = 0x40;

/// First byte: the same for the source. Unless it is a returned one, node and ID of the actor
/// follow the head.
inline constexpr uint8_t relayed_source_flag = 0x80;

/// First byte: the source lives on the node of the receiver. A message that came from there and was
/// delegated back.
inline constexpr uint8_t returned_source_flag = 0x20;

/// First byte: the record has a message ID other than that of asynchronous messages.
inline constexpr uint8_t has_id_flag = 0x10;

/// The most bytes that a head takes.
inline constexpr size_t max_record_head_size = 1 + 3 * max_varint_size;

/// Appends a head.
/// @returns `false` if there is not enough memory.
[[nodiscard]] inline bool write_record_head(output_buffer& out, const record_head& head) noexcept {
  if (!out.reserve_more(max_record_head_size))
    return false;
  auto* pos = out.data() + out.size();
  auto has_id = head.id.integer_value() != caf::message_id::default_async_value;
  *pos++ = static_cast<std::byte>(
    static_cast<uint8_t>(head.op) | (head.source != 0 ? has_source_flag : 0)
    | (head.returned_source ? returned_source_flag : 0) | (has_id ? has_id_flag : 0)
    | ((head.target & relayed_bit) != 0 ? relayed_target_flag : 0)
    | ((head.source & relayed_bit) != 0 ? relayed_source_flag : 0));
  pos = write_varint(pos, head.target & ~relayed_bit);
  if (head.source != 0)
    pos = write_varint(pos, head.source & ~relayed_bit);
  // The flags of an ID are in its high bits: rotate them to the low end to keep the number short.
  if (has_id)
    pos = write_varint(pos, std::rotl(head.id.integer_value(), 4));
  out.set_size(static_cast<size_t>(pos - out.data()));
  return true;
}

/// Reads the key of an actor.
[[nodiscard]] inline ec read_key(input_cursor& in, bool relayed, uint64_t& key) noexcept {
  if (auto code = in.read_varint(key); code != ec::none)
    return code;
  if ((key & relayed_bit) != 0)
    return ec::invalid_varint;
  if (relayed)
    key |= relayed_bit;
  return ec::none;
}

/// Reads a head.
[[nodiscard]] inline ec read_record_head(input_cursor& in, record_head& head) noexcept {
  auto first = uint8_t{0};
  if (auto code = in.read_integer(first); code != ec::none)
    return code;
  auto op = static_cast<uint8_t>(first & 0x07);
  if (op < static_cast<uint8_t>(link_op::message) || op > static_cast<uint8_t>(link_op::release))
    return ec::invalid_tag;
  // What is said about a source needs one.
  if ((first & has_source_flag) == 0 && (first & (returned_source_flag | relayed_source_flag)) != 0)
    return ec::invalid_tag;
  head.op = static_cast<link_op>(op);
  head.source = 0;
  head.returned_source = (first & returned_source_flag) != 0;
  head.id = caf::message_id{};
  if (auto code = read_key(in, (first & relayed_target_flag) != 0, head.target); code != ec::none)
    return code;
  if ((first & has_source_flag) != 0)
    if (auto code = read_key(in, (first & relayed_source_flag) != 0, head.source); code != ec::none)
      return code;
  if ((first & has_id_flag) != 0) {
    uint64_t rotated = 0;
    if (auto code = in.read_varint(rotated); code != ec::none)
      return code;
    // Whether a request has been answered is the business of the side that answers.
    head.id = caf::message_id{std::rotr(rotated, 4) & ~caf::message_id::answered_flag_mask};
  }
  return ec::none;
}

} // namespace cafwire::detail
