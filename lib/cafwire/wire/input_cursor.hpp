// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace cafwire {

/// A position inside of bytes that somebody else owns. All reads check the bounds first; a failed
/// read leaves the position where it was.
class input_cursor {
public:
  constexpr input_cursor() noexcept = default;

  explicit constexpr input_cursor(std::span<const std::byte> bytes) noexcept
    : begin_(bytes.data()), pos_(bytes.data()), end_(bytes.data() + bytes.size()) {
    // nop
  }

  const std::byte* position() const noexcept {
    return pos_;
  }

  const std::byte* end() const noexcept {
    return end_;
  }

  /// Returns the number of bytes between the begin of the input and the position.
  size_t offset() const noexcept {
    return static_cast<size_t>(pos_ - begin_);
  }

  size_t remaining() const noexcept {
    return static_cast<size_t>(end_ - pos_);
  }

  bool at_end() const noexcept {
    return pos_ == end_;
  }

  /// Moves the position.
  /// @pre `num_bytes <= remaining()`
  void advance(size_t num_bytes) noexcept {
    pos_ += num_bytes;
  }

  /// Moves the position to a pointer into the input.
  void position(const std::byte* pos) noexcept {
    pos_ = pos;
  }

  /// Reads an integer in little endian.
  template <class T>
  [[nodiscard]] ec read_integer(T& value) noexcept {
    if (sizeof(T) > remaining())
      return ec::unexpected_end;
    uint64_t result = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      result |= static_cast<uint64_t>(pos_[i]) << (8 * i);
    value = static_cast<T>(result);
    pos_ += sizeof(T);
    return ec::none;
  }

  /// Reads a varint in its shortest form.
  [[nodiscard]] ec read_varint(uint64_t& value) noexcept {
    if (pos_ != end_ && *pos_ < std::byte{0x80}) {
      value = static_cast<uint64_t>(*pos_++);
      return ec::none;
    }
    return read_long_varint(value);
  }

  /// Reads a string behind a varint with its length. The view points into the input.
  [[nodiscard]] ec read_string(std::string_view& value) noexcept {
    auto start = pos_;
    uint64_t length = 0;
    if (auto code = read_varint(length); code != ec::none)
      return code;
    if (length > remaining()) {
      pos_ = start;
      return ec::length_exceeds_input;
    }
    value = {reinterpret_cast<const char*>(pos_), static_cast<size_t>(length)};
    pos_ += length;
    return ec::none;
  }

  /// Skips zero bytes up to the next multiple of 16 from the begin of the input.
  [[nodiscard]] ec skip_alignment() noexcept {
    auto count = (size_t{16} - offset() % 16) % 16;
    if (count > remaining())
      return ec::unexpected_end;
    for (size_t i = 0; i < count; ++i)
      if (pos_[i] != std::byte{0})
        return ec::nonzero_padding;
    pos_ += count;
    return ec::none;
  }

private:
  ec read_long_varint(uint64_t& value) noexcept {
    uint64_t result = 0;
    auto pos = pos_;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (pos == end_)
        return ec::unexpected_end;
      auto bits = static_cast<uint64_t>(*pos++);
      // The tenth byte has room for one bit only.
      if (shift == 63 && bits > 1)
        return ec::invalid_varint;
      result |= (bits & 0x7f) << shift;
      if (bits < 0x80) {
        if (bits == 0 && shift > 0)
          return ec::invalid_varint;
        value = result;
        pos_ = pos;
        return ec::none;
      }
    }
    return ec::invalid_varint;
  }

  const std::byte* begin_ = nullptr;
  const std::byte* pos_ = nullptr;
  const std::byte* end_ = nullptr;
};

} // namespace cafwire
