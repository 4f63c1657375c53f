// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/probe.hpp"
#include "cafwire/layout/type_traits.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

/// @file
/// Decides whether a value may cross as one memory copy ("blit"). A blit is an optimization, never
/// a format: it must give the bytes that the user's own `inspect` overload would have written.
///
/// The verdict has two parts: a structural one per type and direction (`may_blit_save`,
/// `may_blit_load`), computed once on a value-initialized object, and a replay per value
/// (`image_is_encoding`, `accept_image`) that costs nothing for overloads that only list fields,
/// because compilers reduce it to `true`.

namespace cafwire::layout {

// Version 14 of clang-format takes `>&&` for a reference.
// clang-format off

/// Class types whose objects are their bytes, as far as the language knows.
template <class T>
inline constexpr bool is_plain_data_v
  = std::is_class_v<T> && std::is_trivially_copyable_v<T> && std::is_copy_assignable_v<T>
    && !std::is_empty_v<T> && !std::is_polymorphic_v<T>;

// clang-format on

/// Class types whose members an inspector can follow.
// clang-format off
template <class T>
concept followable
  = inspectable<probe<probe_mode::save>, T> || reflect_members<T> || is_tuple<T>::value
    || is_std_array<T>::value || is_complex<T>::value;

/// Class types that may qualify. The proof itself needs an object and happens at run time.
template <class T>
concept blit_candidate
  = is_plain_data_v<T> && std::endian::native == std::endian::little && followable<T>
    && !disable_blit<T> && (reflect_members<T> || !has_inspector_access_v<T>);
// clang-format on

/// The structural part of the proof.
struct blit_verdict {
  /// Obstacles in the direction of writing, see `obstacle`. With none, an object may be written
  /// with one copy if the replay agrees.
  uint32_t save_obstacles = 0;
  /// Obstacles in the direction of reading.
  uint32_t load_obstacles = 0;
};

/// Storage for an object to run a probe on. All of its bytes are defined.
template <class T>
class probe_object {
public:
  probe_object() {
    std::memset(storage_, 0, sizeof storage_);
    // Keeps the zero fill, although the lifetime of the object only begins behind it.
    asm volatile("" : : "r"(static_cast<void*>(storage_)) : "memory");
    if constexpr (std::is_default_constructible_v<T>)
      ::new (static_cast<void*>(storage_)) T();
    else
      static_assert(std::is_trivially_copyable_v<T>);
    // A constructor may leave members alone, and compilers may then take them for anything.
    asm volatile("" : : "r"(static_cast<void*>(storage_)) : "memory");
  }

  probe_object(const probe_object&) = delete;

  probe_object& operator=(const probe_object&) = delete;

  ~probe_object() {
    if constexpr (std::is_default_constructible_v<T>)
      std::destroy_at(&get());
  }

  T& get() noexcept {
    return *std::launder(reinterpret_cast<T*>(storage_));
  }

  const std::byte* bytes() const noexcept {
    return storage_;
  }

private:
  alignas(T) std::byte storage_[sizeof(T)];
};

namespace detail {

template <probe_mode Mode, class T>
uint32_t find_obstacles() {
  probe_object<T> object;
  std::byte before[sizeof(T)];
  std::memcpy(before, object.bytes(), sizeof before);
  probe<Mode> f{object.bytes()};
  auto result = uint32_t{0};
  if (!f.apply(object.get()))
    result |= refused;
  result |= f.obstacles();
  if (f.encoded_size() != sizeof(T))
    result |= out_of_place;
  if (std::memcmp(before, object.bytes(), sizeof before) != 0)
    result |= changed_object;
  return result;
}

} // namespace detail

/// Computes the structural verdict. Runs the `inspect` overload of `T` on a new object.
template <blit_candidate T>
blit_verdict blit_verdict_of() {
  return {detail::find_obstacles<probe_mode::save, T>(),
          detail::find_obstacles<probe_mode::load, T>()};
}

namespace detail {

/// Verdicts as bits, so that asking costs one load and one branch: 1 for "known", 2 for "may be
/// written", 4 for "may be read". Threads that race compute the same bits.
template <class T>
inline std::atomic<uint8_t> blit_bits{0};

template <class T>
[[gnu::noinline]] uint8_t find_blit_bits() {
  auto verdict = blit_verdict_of<T>();
  auto bits = static_cast<uint8_t>(1 | (verdict.save_obstacles == 0 ? 2 : 0)
                                   | (verdict.load_obstacles == 0 ? 4 : 0));
  blit_bits<T>.store(bits, std::memory_order_relaxed);
  return bits;
}

template <class T>
CAFWIRE_INLINE bool test_blit_bit(uint8_t mask) {
  auto bits = blit_bits<T>.load(std::memory_order_relaxed);
  if (bits == 0) [[unlikely]]
    bits = find_blit_bits<T>();
  return (bits & mask) != 0;
}

} // namespace detail

/// Returns whether the structure of `T` allows writing an object with one copy.
template <blit_candidate T>
CAFWIRE_INLINE bool may_blit_save() {
  return detail::test_blit_bit<T>(2);
}

/// Returns whether the structure of `T` allows reading an object with one copy.
template <blit_candidate T>
CAFWIRE_INLINE bool may_blit_load() {
  return detail::test_blit_bit<T>(4);
}

namespace detail {

template <probe_mode Mode, class T>
[[gnu::flatten]] inline bool follow(T* first, size_t n) {
  probe<Mode> f{first};
  auto ok = true;
  // One probe for all rounds: g++ 12 keeps a loop whose rounds create and destroy one.
  for (size_t i = 0; i < n; ++i) {
    f.rebase(first + i);
    ok &= f.apply(first[i]);
    ok &= f.encoded_size() == sizeof(T);
  }
  return ok && f.obstacles() == 0;
}

} // namespace detail

/// Replays the save inspection on a value: are its bytes exactly what `inspect` would write?
/// @pre `may_blit_save<T>()`
template <blit_candidate T>
[[gnu::flatten]] inline bool image_is_encoding(T& x) {
  probe<probe_mode::save> f{std::addressof(x)};
  return f.apply(x) && f.obstacles() == 0 && f.encoded_size() == sizeof(T);
}

/// The same for `n` values in a row.
template <blit_candidate T>
inline bool images_are_encoding(T* first, size_t n) {
  return detail::follow<probe_mode::save>(first, n);
}

/// Replays the load inspection on a value that was copied from the wire: checks `bool`, enums and
/// invariants. Where it returns false, the value must be decoded field by field, which also gives
/// the exact error.
/// @pre `may_blit_load<T>()`
template <blit_candidate T>
[[gnu::flatten]] inline bool accept_image(T& x) {
  probe<probe_mode::accept> f{std::addressof(x)};
  return f.apply(x) && f.obstacles() == 0 && f.encoded_size() == sizeof(T);
}

/// The same for `n` values in a row.
template <blit_candidate T>
inline bool accept_images(T* first, size_t n) {
  return detail::follow<probe_mode::accept>(first, n);
}

} // namespace cafwire::layout
