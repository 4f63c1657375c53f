// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>
#include <cstring>

namespace cafwire {

namespace detail {

/// Copies `N` bytes, a constant that compilers turn into one or two instructions.
template <size_t N>
[[gnu::always_inline]] inline void copy_exactly(std::byte* to, const std::byte* from) noexcept {
  std::byte tmp[N];
  std::memcpy(tmp, from, N);
  std::memcpy(to, tmp, N);
}

/// Copies between `N` and `2 * N` bytes: the first `N` and the last `N`, which may overlap.
template <size_t N>
[[gnu::always_inline]] inline void
copy_both_ends(std::byte* to, const std::byte* from, size_t num_bytes) noexcept {
  std::byte head[N];
  std::byte tail[N];
  std::memcpy(head, from, N);
  std::memcpy(tail, from + (num_bytes - N), N);
  std::memcpy(to, head, N);
  std::memcpy(to + (num_bytes - N), tail, N);
}

} // namespace detail

/// Copies bytes like `std::memcpy`, but without a call if there are up to 32 of them: a call with a
/// length that compilers do not know takes longer than the copy itself. Touches no other bytes.
[[gnu::always_inline]] inline void copy_bytes(std::byte* to, const void* from,
                                              size_t num_bytes) noexcept {
  auto* first = static_cast<const std::byte*>(from);
  if (num_bytes > 32)
    std::memcpy(to, first, num_bytes);
  else if (num_bytes >= 16)
    detail::copy_both_ends<16>(to, first, num_bytes);
  else if (num_bytes >= 8)
    detail::copy_both_ends<8>(to, first, num_bytes);
  else if (num_bytes >= 4)
    detail::copy_both_ends<4>(to, first, num_bytes);
  else if (num_bytes >= 2)
    detail::copy_both_ends<2>(to, first, num_bytes);
  else if (num_bytes == 1)
    *to = *first;
}

} // namespace cafwire
