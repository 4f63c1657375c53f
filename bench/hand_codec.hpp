// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "workloads.hpp"

#include <cafwire/wire/output_buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace cafwire::bench {

// The contender `hand`: code that somebody wrote for these four types only, with their memory
// layout in mind. It produces the same bytes as cafwire, checks growth when writing and everything
// that cafwire checks when reading. It runs on little-endian hosts only.

namespace hand_detail {

/// Runs of at least this many bytes start on a boundary of `run_alignment` bytes, counted from the
/// start of the message.
inline constexpr size_t long_run_bytes = 256;

inline constexpr size_t run_alignment = 16;

template <class T>
std::byte* put(std::byte* pos, const T& x) noexcept {
  std::memcpy(pos, &x, sizeof(T));
  return pos + sizeof(T);
}

template <class T>
const std::byte* get(const std::byte* pos, T& x) noexcept {
  std::memcpy(&x, pos, sizeof(T));
  return pos + sizeof(T);
}

/// Writes a length as LEB128.
/// @pre there is room for ten bytes.
inline std::byte* put_length(std::byte* pos, size_t n) noexcept {
  while (n >= 0x80) {
    *pos++ = static_cast<std::byte>(n | 0x80);
    n >>= 7;
  }
  *pos++ = static_cast<std::byte>(n);
  return pos;
}

/// Reads a length in shortest form. Returns `nullptr` if there is none.
inline const std::byte* get_length(const std::byte* pos, const std::byte* end, size_t& n) noexcept {
  n = 0;
  for (unsigned shift = 0; pos != end && shift < 64; shift += 7) {
    auto bits = static_cast<size_t>(*pos++);
    if (shift == 63 && bits > 1)
      return nullptr;
    n |= (bits & 0x7F) << shift;
    if (bits < 0x80)
      return bits == 0 && shift > 0 ? nullptr : pos;
  }
  return nullptr;
}

/// Returns whether the bytes from `offset` up to the first boundary are zero, by two loads in place
/// of a loop over bytes.
/// @pre `0 < offset && offset < 16` and `start` points to at least 16 bytes.
inline bool is_padded(const std::byte* start, size_t offset) noexcept {
  uint64_t words[2];
  std::memcpy(words, start, sizeof(words));
  if (offset < 8)
    return ((words[0] >> (8 * offset)) | words[1]) == 0;
  return words[1] >> (8 * (offset - 8)) == 0;
}

/// Appends a message with one sequence of `n` elements of `sizeof(T)` bytes each.
template <class T>
bool save_run(output_buffer& out, const T* xs, size_t n) noexcept {
  constexpr size_t overhead = 10 + run_alignment;
  auto num_bytes = n * sizeof(T);
  if (!out.reserve_more(overhead + num_bytes))
    return false;
  auto* start = out.data() + out.size();
  auto* pos = put_length(start, n);
  if (num_bytes >= long_run_bytes) {
    // One store of constant size in place of a loop: there is room, and the run overwrites the
    // rest. The length takes ten bytes at most, so the run starts at the first boundary.
    std::memset(pos, 0, run_alignment);
    pos = start + run_alignment;
  }
  if (num_bytes > 0)
    std::memcpy(pos, xs, num_bytes);
  pos += num_bytes;
  out.set_size(static_cast<size_t>(pos - out.data()));
  return true;
}

/// Checks the frame of a message with one sequence of elements of `element_size` bytes.
/// @returns the first element, or `nullptr` if the message is malformed.
inline const std::byte* find_run(std::span<const std::byte> in, size_t element_size,
                                 size_t& n) noexcept {
  auto* end = in.data() + in.size();
  auto* pos = get_length(in.data(), end, n);
  if (pos == nullptr || n > static_cast<size_t>(end - pos) / element_size)
    return nullptr;
  auto num_bytes = n * element_size;
  if (num_bytes >= long_run_bytes) {
    // The length takes ten bytes at most, so the run starts at the first boundary.
    if (!is_padded(in.data(), static_cast<size_t>(pos - in.data())))
      return nullptr;
    pos = in.data() + run_alignment;
    if (num_bytes > static_cast<size_t>(end - pos))
      return nullptr;
  }
  return num_bytes == static_cast<size_t>(end - pos) ? pos : nullptr;
}

/// Replaces the content of a vector without filling new memory with zeros first, as `resize` does.
/// Not inlined: g++ 12 turns the loop over elements inside of `assign` into one copy only then.
template <class T>
[[gnu::noinline]] void assign_objects(std::vector<T>& xs, const T* first, size_t n) {
  xs.assign(first, first + n);
}

template <class T>
bool load_run(std::span<const std::byte> in, std::vector<T>& xs) {
  size_t n = 0;
  auto* pos = find_run(in, sizeof(T), n);
  if (pos == nullptr)
    return false;
  if (reinterpret_cast<uintptr_t>(pos) % alignof(T) == 0) {
    auto* first = reinterpret_cast<const T*>(pos);
    if constexpr (std::is_trivial_v<T>)
      xs.assign(first, first + n);
    else
      assign_objects(xs, first, n);
  } else {
    // Only runs of less than 256 bytes start anywhere.
    xs.resize(n);
    if (n > 0)
      std::memcpy(xs.data(), pos, n * sizeof(T));
  }
  return true;
}

} // namespace hand_detail

struct hand_codec {
  static bool save(output_buffer& out, const struct12& x) noexcept {
    static_assert(sizeof(struct12) == 12);
    if (!out.reserve_more(sizeof(struct12)))
      return false;
    hand_detail::put(out.data() + out.size(), x);
    out.set_size(out.size() + sizeof(struct12));
    return true;
  }

  static bool load(std::span<const std::byte> in, struct12& x) noexcept {
    if (in.size() != sizeof(struct12))
      return false;
    hand_detail::get(in.data(), x);
    return true;
  }

  /// Bytes of `mixed` without its padding.
  static constexpr size_t mixed_bytes = 8 + 8 + 1 + 4 + 16 + 1;

  static bool save(output_buffer& out, const mixed& x) noexcept {
    using hand_detail::put;
    if (!out.reserve_more(mixed_bytes))
      return false;
    auto* pos = out.data() + out.size();
    pos = put(pos, x.id);
    pos = put(pos, x.weight);
    pos = put(pos, x.kind);
    pos = put(pos, x.count);
    pos = put(pos, x.position);
    put(pos, x.active);
    out.set_size(out.size() + mixed_bytes);
    return true;
  }

  static bool load(std::span<const std::byte> in, mixed& x) noexcept {
    using hand_detail::get;
    if (in.size() != mixed_bytes || in[mixed_bytes - 1] > std::byte{1})
      return false;
    auto* pos = in.data();
    pos = get(pos, x.id);
    pos = get(pos, x.weight);
    pos = get(pos, x.kind);
    pos = get(pos, x.count);
    pos = get(pos, x.position);
    get(pos, x.active);
    return true;
  }

  static bool save(output_buffer& out, const byte_vector& xs) noexcept {
    return hand_detail::save_run(out, xs.data(), xs.size());
  }

  static bool load(std::span<const std::byte> in, byte_vector& xs) {
    return hand_detail::load_run(in, xs);
  }

  static bool save(output_buffer& out, const matrix_vector& xs) noexcept {
    static_assert(sizeof(matrix4x4) == 64);
    return hand_detail::save_run(out, xs.data(), xs.size());
  }

  static bool load(std::span<const std::byte> in, matrix_vector& xs) {
    return hand_detail::load_run(in, xs);
  }
};

} // namespace cafwire::bench
