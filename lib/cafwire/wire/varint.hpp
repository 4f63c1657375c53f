// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace cafwire {

/// The most bytes that a varint takes.
inline constexpr size_t max_varint_size = 10;

/// Returns how many bytes `value` takes as a varint (unsigned LEB128, shortest form).
constexpr size_t varint_size(uint64_t value) noexcept {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

/// Writes `value` as a varint and returns the end of what was written.
/// @pre there is room for `varint_size(value)` bytes at `pos`.
inline std::byte* write_varint(std::byte* pos, uint64_t value) noexcept {
  while (value >= 0x80) {
    *pos++ = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  *pos++ = static_cast<std::byte>(value);
  return pos;
}

} // namespace cafwire
