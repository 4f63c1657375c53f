// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

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
};

/// The head of a record on a link: one byte, then varints for what is there.
struct record_head {
  link_op op = link_op::message;
  /// The actor on the node of the receiver. For `down`: the actor on the node of the sender.
  uint64_t target = 0;
  /// The actor on the node of the sender, or 0.
  uint64_t source = 0;
  /// Whether `source` is an actor on the node of the receiver instead.
  bool returned_source = false;
  /// The ID of the message with its flags.
  caf::message_id id;
};

/// First byte: the record names a source.
inline constexpr uint8_t has_source_flag = 0x08;

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
    | (head.returned_source ? returned_source_flag : 0) | (has_id ? has_id_flag : 0));
  pos = write_varint(pos, head.target);
  if (head.source != 0)
    pos = write_varint(pos, head.source);
  // The flags of an ID are in its high bits: rotate them to the low end to keep the number short.
  if (has_id)
    pos = write_varint(pos, std::rotl(head.id.integer_value(), 4));
  out.set_size(static_cast<size_t>(pos - out.data()));
  return true;
}

/// Reads a head.
[[nodiscard]] inline ec read_record_head(input_cursor& in, record_head& head) noexcept {
  auto first = uint8_t{0};
  if (auto code = in.read_integer(first); code != ec::none)
    return code;
  auto op = static_cast<uint8_t>(first & 0x07);
  if (op < static_cast<uint8_t>(link_op::message) || op > static_cast<uint8_t>(link_op::unlink)
      || (first & ~(0x07 | has_source_flag | returned_source_flag | has_id_flag)) != 0)
    return ec::invalid_tag;
  head.op = static_cast<link_op>(op);
  head.source = 0;
  head.returned_source = (first & returned_source_flag) != 0;
  head.id = caf::message_id{};
  if (auto code = in.read_varint(head.target); code != ec::none)
    return code;
  if ((first & has_source_flag) != 0)
    if (auto code = in.read_varint(head.source); code != ec::none)
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
