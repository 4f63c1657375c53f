// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>
#include <cstdint>

namespace cafwire {

/// Writes an integer as the format does: the least significant byte first.
/// @param out has room for `sizeof(T)` bytes.
template <class T>
void store_little_endian(std::byte* out, T x) noexcept {
  for (size_t i = 0; i < sizeof(T); ++i)
    out[i] = static_cast<std::byte>(static_cast<uint64_t>(x) >> (8 * i));
}

/// Reads an integer of `sizeof(T)` bytes.
template <class T>
T load_little_endian(const std::byte* in) noexcept {
  uint64_t result = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    result |= static_cast<uint64_t>(in[i]) << (8 * i);
  return static_cast<T>(result);
}

} // namespace cafwire
