// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"

#include <bit>
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
    : begin_(bytes.data()), end_(bytes.data() + bytes.size()), pos_(bytes.data()) {
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
  [[nodiscard, gnu::always_inline]] ec read_varint(uint64_t& value) noexcept {
    if (pos_ != end_ && *pos_ < std::byte{0x80}) [[likely]] {
      value = static_cast<uint64_t>(*pos_++);
      return ec::none;
    }
    return read_longer_varint(value);
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
    constexpr size_t width = 16;
    auto over = offset() % width;
    if (over == 0)
      return ec::none;
    auto count = width - over;
    if (count > remaining())
      return ec::unexpected_end;
    // The sixteen bytes up to the boundary lie inside of the input: the first `over` of them have
    // been read already.
    uint64_t words[2];
    std::memcpy(words, pos_ - over, sizeof words);
    if constexpr (std::endian::native == std::endian::little) {
      auto low = over < 8 ? words[0] >> (8 * over) : 0;
      auto high = over < 8 ? words[1] : words[1] >> (8 * (over - 8));
      if ((low | high) != 0)
        return ec::nonzero_padding;
    } else {
      auto low = over < 8 ? words[0] << (8 * over) : 0;
      auto high = over < 8 ? words[1] : words[1] << (8 * (over - 8));
      if ((low | high) != 0)
        return ec::nonzero_padding;
    }
    pos_ += count;
    return ec::none;
  }

private:
  /// A number and where its bytes end, or `nullptr` and an `ec`.
  struct parsed_varint {
    const std::byte* end;
    uint64_t value;
  };

  [[gnu::always_inline]] ec read_longer_varint(uint64_t& value) noexcept {
    auto result = parse_long_varint(pos_, end_);
    if (result.end == nullptr)
      return static_cast<ec>(result.value);
    value = result.value;
    pos_ = result.end;
    return ec::none;
  }

  // Takes no `this`, so that compilers may keep the position of a local cursor in registers.
  static parsed_varint parse_long_varint(const std::byte* pos, const std::byte* end) noexcept;

  const std::byte* begin_ = nullptr;
  const std::byte* end_ = nullptr;
  // Not between the others: compilers copy two pointers at once, and processors cannot forward one
  // pointer that has just been stored to a load of two.
  const std::byte* pos_ = nullptr;
};

} // namespace cafwire
