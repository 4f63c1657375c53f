// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace cafwire {

/// Bytes of a frame header on the wire.
inline constexpr size_t frame_header_size = 16;

/// Frames start on a multiple of this, so that long runs inside of them are aligned.
inline constexpr size_t frame_alignment = 16;

/// What a frame holds.
enum class frame_kind : uint8_t {
  /// The first frame in each direction: who speaks, and how.
  handshake = 1,
  /// Records of a session.
  records = 2,
  /// Comes before the handshake if both sides of a link have a shared key: a proof of that.
  authentication = 3,
};

/// What stands in front of everything that travels as one unit.
struct frame_header {
  /// Bytes of the body. Zero bytes fill it up to a multiple of 16.
  uint32_t body_size = 0;
  frame_kind kind = frame_kind::records;
  /// The low 32 bits of the epoch of the session.
  uint32_t epoch = 0;
  /// The low 32 bits of the number of the frame, starting at 0.
  uint32_t sequence = 0;

  friend bool operator==(const frame_header&, const frame_header&) = default;
};

/// Returns how many zero bytes follow a body.
constexpr size_t frame_padding(size_t body_size) noexcept {
  return (frame_alignment - body_size % frame_alignment) % frame_alignment;
}

/// Returns the bytes of a frame in all.
constexpr size_t frame_size(size_t body_size) noexcept {
  return frame_header_size + body_size + frame_padding(body_size);
}

/// Writes a header.
/// @pre there is room for `frame_header_size` bytes.
void write_frame_header(std::byte* out, const frame_header& header) noexcept;

/// Reads a header.
/// @returns `ec::invalid_frame` for unknown kinds and nonzero reserved bytes, or
///          `ec::frame_too_large`.
/// @pre `input.size() >= frame_header_size`
[[nodiscard]] ec read_frame_header(std::span<const std::byte> input, const limits& bounds,
                                   frame_header& header) noexcept;

/// Checks the bytes behind the body of a frame.
/// @returns `ec::nonzero_padding` if one of them is not zero.
/// @pre `frame` holds the whole frame, `frame_size(body_size)` bytes.
[[nodiscard]] ec check_frame_padding(std::span<const std::byte> frame, size_t body_size) noexcept;

/// Numbers the frames of one direction.
class frame_counter {
public:
  /// @param next_sequence the number of the next frame.
  explicit frame_counter(uint64_t epoch, uint32_t next_sequence = 0) noexcept
    : epoch_(static_cast<uint32_t>(epoch)), sequence_(next_sequence) {
    // nop
  }

  /// Returns the header of the next outgoing frame.
  /// @pre `body_size` fits into 32 bits.
  frame_header next(frame_kind kind, size_t body_size) noexcept {
    return {static_cast<uint32_t>(body_size), kind, epoch_, sequence_++};
  }

  /// Checks that an incoming frame is the next one.
  /// @returns `ec::wrong_epoch`, `ec::sequence_gap`, `ec::sequence_repeat`, or `ec::none`, which
  ///          counts the frame.
  [[nodiscard]] ec accept(const frame_header& header) noexcept {
    if (header.epoch != epoch_)
      return ec::wrong_epoch;
    auto ahead = static_cast<int32_t>(header.sequence - sequence_);
    if (ahead != 0)
      return ahead > 0 ? ec::sequence_gap : ec::sequence_repeat;
    ++sequence_;
    return ec::none;
  }

private:
  uint32_t epoch_;
  uint32_t sequence_;
};

} // namespace cafwire
