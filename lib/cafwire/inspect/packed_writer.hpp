// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/layout/inspection_dsl.hpp"
#include "cafwire/layout/type_traits.hpp"
#include "cafwire/wire/copy.hpp"
#include "cafwire/wire/varint.hpp"

#include <caf/detail/is_complete.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

/// @file
/// Writing without asking for room at every value. A `serializer` asks once for as much room as
/// some values can take, and then writes them through a position that compilers keep in a
/// register. That is what makes small values as fast as code written by hand.
///
/// A formatter takes part with two functions:
/// - `size_t bound(const T&)`: no value takes more bytes than this, alignment included;
/// - `void put(packed_writer&, const T&)`: writes the value; cannot fail and runs no user code.
///
/// If that is possible for some values only, there is a third function, `bool may_put(const T&)`,
/// which says so and may run user code.

namespace cafwire::detail {

class packed_writer;

/// The bytes of a number in the order of the wire.
template <class T>
CAFWIRE_INLINE void store_number(std::byte* pos, T x) noexcept {
  if constexpr (std::is_same_v<T, long double>) {
    static_assert(std::numeric_limits<long double>::digits == 64,
                  "cafwire: long double is supported on x87 targets only; send a double");
  }
  if constexpr (std::is_same_v<T, bool>) {
    *pos = x ? std::byte{1} : std::byte{0};
  } else if constexpr (std::endian::native == std::endian::big && sizeof(T) > 1) {
    std::byte bytes[sizeof(T)];
    std::memcpy(bytes, &x, sizeof(T));
    for (size_t i = 0; i < sizeof(T); ++i)
      pos[i] = bytes[sizeof(T) - 1 - i];
  } else {
    std::memcpy(pos, &x, layout::number_size_v<T>);
  }
}

// Version 14 of clang-format does not understand concepts well.
// clang-format off

template <class T>
concept formatter_putting = caf::detail::is_complete<formatter<T>>
                            && requires(packed_writer& w, const T& x) {
  formatter<T>::bound(x);
  formatter<T>::put(w, x);
};

template <class T>
concept formatter_putting_some = formatter_putting<T> && requires(const T& x) {
  formatter<T>::may_put(x);
};

// clang-format on

template <class T>
constexpr bool saves_packed() noexcept;

/// Types that can be written through a `packed_writer`.
template <class T>
concept packed_saving = saves_packed<std::remove_cv_t<T>>();

template <class T>
constexpr bool saves_packed() noexcept {
  if constexpr (std::is_array_v<T>)
    return saves_packed<std::remove_cv_t<std::remove_extent_t<T>>>();
  else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>)
    return true;
  else
    return formatter_putting<T> && !formatter_putting_some<T>;
}

/// Writes values where room has been made for them.
class packed_writer {
public:
  /// @param begin where the message starts, from where alignment counts.
  CAFWIRE_INLINE packed_writer(std::byte* pos, const std::byte* begin) noexcept
    : pos_(pos), begin_(begin) {
    // nop
  }

  CAFWIRE_INLINE std::byte* position() const noexcept {
    return pos_;
  }

  /// Declares bytes as written.
  CAFWIRE_INLINE void advance(size_t num_bytes) noexcept {
    pos_ += num_bytes;
  }

  /// Returns how many bytes `x` takes at most.
  template <class T>
  CAFWIRE_INLINE static size_t bound(const T& x) noexcept {
    if constexpr (std::is_array_v<T>)
      return bound(x, std::extent_v<T>);
    else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>)
      return layout::number_size_v<T>;
    else
      return formatter<T>::bound(x);
  }

  /// Returns how many bytes `n` values take at most.
  template <packed_saving T>
  CAFWIRE_INLINE static size_t bound(const T* xs, size_t n) noexcept {
    if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>) {
      return n * layout::number_size_v<T>;
    } else {
      size_t result = 0;
      for (size_t i = 0; i < n; ++i)
        result += bound(xs[i]);
      return result;
    }
  }

  /// Returns how many bytes a sequence with `num_bytes` bytes of content takes at most.
  CAFWIRE_INLINE static constexpr size_t sequence_bound(size_t num_bytes) noexcept {
    return max_varint_size + layout::long_run_alignment + num_bytes;
  }

  /// Writes a value.
  template <class T>
  CAFWIRE_INLINE void put(const T& x) noexcept {
    if constexpr (std::is_array_v<T>) {
      put(x, std::extent_v<T>);
    } else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>) {
      store_number(pos_, x);
      pos_ += layout::number_size_v<T>;
    } else {
      formatter<T>::put(*this, x);
    }
  }

  /// Writes `n` values.
  template <packed_saving T>
  CAFWIRE_INLINE void put(const T* xs, size_t n) noexcept {
    if constexpr (layout::plain_number<
                    T> && (std::endian::native == std::endian::little || sizeof(T) == 1)) {
      bytes(xs, n * sizeof(T));
    } else {
      for (size_t i = 0; i < n; ++i)
        put(xs[i]);
    }
  }

  /// Writes a length, count or index.
  CAFWIRE_INLINE void varint(uint64_t x) noexcept {
    if (x < 0x80) [[likely]]
      *pos_++ = static_cast<std::byte>(x);
    else
      pos_ = write_varint(pos_, x);
  }

  /// Writes bytes as they are.
  CAFWIRE_INLINE void bytes(const void* from, size_t num_bytes) noexcept {
    if (__builtin_constant_p(num_bytes))
      std::memcpy(pos_, from, num_bytes);
    else
      copy_bytes(pos_, from, num_bytes);
    pos_ += num_bytes;
  }

  /// Writes the length of a sequence, and alignment if its content is a long run.
  /// @param run_bytes the size of the content if its elements have a fixed size, otherwise 0.
  CAFWIRE_INLINE void sequence_head(size_t n, size_t run_bytes) noexcept {
    varint(n);
    if (run_bytes >= layout::long_run_bytes) {
      // Always sixteen bytes: what is too much gets overwritten by the run.
      std::memset(pos_, 0, layout::long_run_alignment);
      auto over = static_cast<size_t>(pos_ - begin_) % layout::long_run_alignment;
      pos_ += over == 0 ? 0 : layout::long_run_alignment - over;
    }
  }

  /// Writes a sequence of numbers.
  template <class T>
  CAFWIRE_INLINE void sequence(const T* xs, size_t n) noexcept {
    sequence_head(n, n * layout::number_size_v<T>);
    put(xs, n);
  }

private:
  std::byte* pos_;
  const std::byte* begin_;
};

} // namespace cafwire::detail
