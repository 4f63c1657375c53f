// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <cstddef>
#include <span>

namespace cafwire::detail {

/// Makes whole frames of the pieces in which a stream arrives. Belongs to one thread.
class frame_collector {
public:
  /// Returns room for what arrives next, or nothing if there is no memory.
  std::span<std::byte> prepare(size_t num_bytes) noexcept {
    if (!buffer_.reserve_more(num_bytes))
      return {};
    return {buffer_.data() + buffer_.size(), num_bytes};
  }

  /// Declares a part of the room as filled.
  void commit(size_t num_bytes) noexcept {
    buffer_.set_size(buffer_.size() + num_bytes);
  }

  /// Frees the memory if nothing is in it.
  void release_memory() noexcept {
    if (buffer_.empty())
      buffer_ = output_buffer{};
  }

  /// Returns what has arrived and was not taken.
  std::span<const std::byte> bytes() const noexcept {
    return buffer_.bytes();
  }

  /// Drops bytes from the begin.
  /// @pre `num_bytes <= bytes().size()`
  void drop(size_t num_bytes) noexcept;

  /// Finds the frames that have arrived whole.
  /// @returns why there is no frame behind them, or `ec::none`.
  [[nodiscard]] ec scan(const limits& bounds) noexcept;

  /// Returns how many bytes the frames have in all that `scan` has found.
  size_t complete() const noexcept {
    return complete_;
  }

  /// Returns how many bytes the next frame lacks, or 0 if that is not known.
  size_t missing() const noexcept {
    return missing_;
  }

  /// Hands out the frames that `scan` has found.
  /// @param spare an empty buffer for what comes next.
  /// @param frames receives the frames.
  /// @returns `ec::out_of_memory` or `ec::none`.
  [[nodiscard]] ec take(output_buffer spare, output_buffer& frames) noexcept;

private:
  output_buffer buffer_;
  size_t complete_ = 0;
  size_t missing_ = 0;
};

} // namespace cafwire::detail
