// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/blit.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

/// @file
/// Checks values without copying them: bytes that somebody else owns, and that nobody may write to.

namespace cafwire::layout {

namespace detail {

/// The largest integer that objects consist of.
template <size_t Size>
using unit_of
  = std::conditional_t<Size % 8 == 0, uint64_t,
                       std::conditional_t<Size % 4 == 0, uint32_t,
                                          std::conditional_t<Size % 2 == 0, uint16_t, uint8_t>>>;

/// Compares an object with what it was before.
template <class Unit, size_t... Is>
CAFWIRE_INLINE Unit differences(const std::byte* xs, const Unit* before,
                                std::index_sequence<Is...>) {
  auto unit = [xs](size_t i) {
    Unit result;
    std::memcpy(&result, xs + i * sizeof(Unit), sizeof result);
    return result;
  };
  return static_cast<Unit>(((unit(Is) ^ before[Is]) | ...));
}

/// Runs the load inspection on an object of which the compiler knows nothing, and asks the compiler
/// whether the result depends on the object, and whether the object may have changed.
template <class T>
[[gnu::noinline, gnu::flatten]] bool prove_that_all_images_are_valid() {
#if defined(__OPTIMIZE__)
  using unit = unit_of<sizeof(T)>;
  constexpr auto num_units = sizeof(T) / sizeof(unit);
  // Compilers give up on larger objects.
  if constexpr (num_units <= 64) {
    alignas(T) std::byte image[sizeof(T)] = {};
    asm volatile("" : "+m"(image));
    unit before[num_units];
    std::memcpy(before, image, sizeof image);
    // No std::launder here: compilers lose track of the object behind it.
    auto valid = accept_image(*reinterpret_cast<T*>(image));
    auto changed = differences(image, before, std::make_index_sequence<num_units>{});
    auto is_proven = __builtin_constant_p(valid) && __builtin_constant_p(changed);
    return is_proven && valid && changed == 0;
  }
#endif
  return false;
}

} // namespace detail

/// Returns whether any bytes at all are a valid `T` that loading leaves as it is. `false` means
/// that it could not be proven: always so without optimization.
template <blit_candidate T>
bool all_images_are_valid() {
  static const auto result = detail::prove_that_all_images_are_valid<T>();
  return result;
}

/// Returns whether `n` values in a row may be used as they are: all of them are accepted by the
/// load inspection, which changes none of them. Costs O(1) if `all_images_are_valid`, O(n)
/// otherwise.
/// @pre `may_blit_load<T>()`
template <blit_candidate T>
bool images_are_valid(const std::byte* images, size_t n) {
  if (all_images_are_valid<T>())
    return true;
  for (size_t i = 0; i < n; ++i, images += sizeof(T)) {
    alignas(T) std::byte copy[sizeof(T)];
    std::memcpy(copy, images, sizeof(T));
    if (!accept_image(*std::launder(reinterpret_cast<T*>(copy)))
        || std::memcmp(copy, images, sizeof(T)) != 0)
      return false;
  }
  return true;
}

} // namespace cafwire::layout
