// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/layout/inspection_dsl.hpp"
#include "cafwire/layout/type_traits.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/input_cursor.hpp"

#include <caf/detail/is_complete.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

/// @file
/// Reading through a position that compilers keep in a register, the counterpart of
/// `packed_writer`. Checks the bounds once for values of fixed size in a row, and all other bounds
/// as a `deserializer` does.
///
/// A formatter takes part with a function `bool get(packed_reader&, T&)`, which runs no user code,
/// and a constant `size_t fixed_size`: the bytes that each value takes, or 0 if they differ. If it
/// is not 0, then there is also `bool take(packed_reader&, T&)`, which may read this many bytes
/// without a check.

namespace cafwire::detail {

class packed_reader;

/// Reads a number from the order of the wire.
template <class T>
CAFWIRE_INLINE T load_number(const std::byte* pos) noexcept {
  T result;
  if constexpr (std::endian::native == std::endian::big && sizeof(T) > 1) {
    std::byte bytes[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes[i] = pos[sizeof(T) - 1 - i];
    std::memcpy(&result, bytes, sizeof(T));
  } else {
    std::memcpy(&result, pos, sizeof(T));
  }
  return result;
}

/// Reads the ten bytes of a `long double`.
/// @returns whether they are a canonical x87 value.
bool load_x87(const std::byte* pos, long double& x) noexcept;

template <class T>
constexpr bool loads_packed() noexcept;

/// Types that can be read through a `packed_reader`.
template <class T>
concept packed_loading = loads_packed<T>();

template <class T>
constexpr bool loads_packed() noexcept {
  if constexpr (std::is_array_v<T>)
    return loads_packed<std::remove_extent_t<T>>();
  else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>)
    return true;
  else if constexpr (caf::detail::is_complete<formatter<T>>)
    return requires(packed_reader & r, T & x) {
      formatter<T>::get(r, x);
    };
  else
    return false;
}

/// The bytes that each value of a type takes, or 0 if they differ.
template <packed_loading T>
constexpr size_t packed_size() noexcept {
  if constexpr (std::is_array_v<T>)
    return std::extent_v<T> * packed_size<std::remove_extent_t<T>>();
  else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>)
    return layout::number_size_v<T>;
  else
    return formatter<T>::fixed_size;
}

/// Reads values, and remembers the first error.
class packed_reader {
public:
  CAFWIRE_INLINE explicit packed_reader(input_cursor in) noexcept : in_(in) {
    // nop
  }

  CAFWIRE_INLINE const input_cursor& cursor() const noexcept {
    return in_;
  }

  CAFWIRE_INLINE size_t remaining() const noexcept {
    return in_.remaining();
  }

  CAFWIRE_INLINE ec code() const noexcept {
    return code_;
  }

  CAFWIRE_INLINE bool fail(ec code) noexcept {
    code_ = code;
    return false;
  }

  /// Reads a value within the bounds.
  template <packed_loading T>
  [[nodiscard]] CAFWIRE_INLINE bool get(T& x) {
    if constexpr (std::is_array_v<T>) {
      return get(x, std::extent_v<T>);
    } else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>) {
      return layout::number_size_v<T> <= remaining() ? take(x) : fail(ec::unexpected_end);
    } else {
      return formatter<T>::get(*this, x);
    }
  }

  /// Reads `n` values within the bounds.
  template <packed_loading T>
  [[nodiscard]] CAFWIRE_INLINE bool get(T* xs, size_t n) {
    if constexpr (layout::plain_number<T> && std::endian::native == std::endian::little) {
      if (n > remaining() / sizeof(T)) [[unlikely]]
        return fail(ec::unexpected_end);
      return take(xs, n);
    } else {
      for (size_t i = 0; i < n; ++i)
        if (!get(xs[i]))
          return false;
      return true;
    }
  }

  /// Reads a value of fixed size.
  /// @pre `packed_size<T>() <= remaining()`
  template <packed_loading T>
  [[nodiscard]] CAFWIRE_INLINE bool take(T& x) {
    if constexpr (std::is_array_v<T>) {
      return take(x, std::extent_v<T>);
    } else if constexpr (std::is_same_v<T, bool>) {
      auto bits = static_cast<uint8_t>(*in_.position());
      in_.advance(1);
      if (bits > 1) [[unlikely]]
        return fail(ec::invalid_bool);
      x = bits != 0;
      return true;
    } else if constexpr (std::is_same_v<T, long double>) {
      auto* pos = in_.position();
      in_.advance(layout::long_double_size);
      return load_x87(pos, x) || fail(ec::invalid_float);
    } else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>) {
      x = load_number<T>(in_.position());
      in_.advance(sizeof(T));
      return true;
    } else {
      static_assert(packed_size<T>() != 0);
      return formatter<T>::take(*this, x);
    }
  }

  /// Reads `n` values of fixed size.
  /// @pre `n * packed_size<T>() <= remaining()`
  template <packed_loading T>
  [[nodiscard]] CAFWIRE_INLINE bool take(T* xs, size_t n) {
    if constexpr (layout::plain_number<T> && std::endian::native == std::endian::little) {
      if (n != 0)
        std::memcpy(static_cast<void*>(xs), in_.position(), n * sizeof(T));
      in_.advance(n * sizeof(T));
      return true;
    } else {
      for (size_t i = 0; i < n; ++i)
        if (!take(xs[i]))
          return false;
      return true;
    }
  }

  /// Reads the number of elements of a sequence, and skips the alignment of a long run.
  /// @param element_size the bytes that each element takes, or 0 if they differ.
  [[nodiscard]] CAFWIRE_INLINE bool sequence_head(size_t& n, size_t element_size) noexcept {
    uint64_t value = 0;
    if (auto code = in_.read_varint(value); code != ec::none) [[unlikely]]
      return fail(code);
    if (element_size != 0) {
      if (value > remaining() / element_size) [[unlikely]]
        return fail(ec::length_exceeds_input);
      if (value * element_size >= layout::long_run_bytes)
        if (auto code = in_.skip_alignment(); code != ec::none) [[unlikely]]
          return fail(code);
    }
    n = static_cast<size_t>(value);
    return true;
  }

  /// The same for numbers of type `T`, all of which the input holds then.
  template <class T>
  [[nodiscard]] CAFWIRE_INLINE bool image_count(size_t& n) noexcept {
    if (!sequence_head(n, sizeof(T)))
      return false;
    // The alignment may have taken the bytes of the last elements.
    if (n > remaining() / sizeof(T)) [[unlikely]]
      return fail(ec::length_exceeds_input);
    return true;
  }

  CAFWIRE_INLINE const std::byte* position() const noexcept {
    return in_.position();
  }

  CAFWIRE_INLINE void advance(size_t num_bytes) noexcept {
    in_.advance(num_bytes);
  }

private:
  input_cursor in_;
  ec code_ = ec::none;
};

} // namespace cafwire::detail
