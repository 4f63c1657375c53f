// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/fwd.hpp"
#include "cafwire/layout/inspection_dsl.hpp"

#include <caf/detail/is_complete.hpp>
#include <caf/inspector_access.hpp>

#include <array>
#include <bit>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cafwire {

/// Switches the fast path off for `T`: specialize it with `true` for types whose `inspect` overload
/// does what no proof can see, such as changing the object while saving it.
template <class T>
inline constexpr bool disable_blit = false;

/// Lets inspectors find the members of the aggregate `T` by themselves: specialize it with `true`
/// and include `cafwire/reflect.hpp`.
template <class T>
inline constexpr bool reflect_members = false;

/// Whether CAF's own serializers use the encoding of cafwire for `T`, see
/// `cafwire/message/accelerator.hpp`. Set by `CAFWIRE_ACCELERATE`. Makes no difference to the
/// inspectors of cafwire.
template <class T>
inline constexpr bool is_accelerated = false;

/// Says that the `inspect` overload of `T` replaces all members each time it reads: specialize it
/// with `true` for types whose overload lists all members and nothing depends on old values.
/// Objects inside of containers are then read in place and keep their memory. Without it they are
/// created anew, since a member that the overload leaves out would keep the value of an old
/// element.
template <class T>
inline constexpr bool inspects_all_members = false;

namespace layout {

template <class T>
inline constexpr bool is_byte_v = std::is_same_v<T, std::byte> || std::is_same_v<T, compat::byte>;

/// Enums other than the byte types.
template <class T>
concept enumeration = std::is_enum_v<T> && !is_byte_v<T>;

template <class T>
struct is_duration : std::false_type {};

template <class Rep, class Period>
struct is_duration<std::chrono::duration<Rep, Period>> : std::true_type {
  using rep = Rep;
};

template <class T>
struct is_time_point : std::false_type {};

template <class Clock, class Duration>
struct is_time_point<std::chrono::time_point<Clock, Duration>> : std::true_type {
  using rep = typename Duration::rep;
};

/// Durations and time points: one number in memory and on the wire.
template <class T>
concept chrono_type = is_duration<T>::value || is_time_point<T>::value;

/// The number inside a duration or time point.
template <chrono_type T>
using chrono_rep =
  typename std::conditional_t<is_duration<T>::value, is_duration<T>, is_time_point<T>>::rep;

template <class T>
struct is_std_array : std::false_type {};

template <class T, size_t N>
struct is_std_array<std::array<T, N>> : std::true_type {};

template <class T>
struct is_tuple : std::false_type {};

template <class... Ts>
struct is_tuple<std::tuple<Ts...>> : std::true_type {};

template <class T, class U>
struct is_tuple<std::pair<T, U>> : std::true_type {};

template <class T>
struct is_complex : std::false_type {};

/// Two numbers in memory, as the standard says.
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};

/// Numbers whose bytes in memory are their bytes on the wire on a little-endian host, whatever they
/// are. Not `bool` (two valid bytes only) and not `long double` (padding inside).
template <class T>
concept plain_number
  = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double>)
    || is_byte_v<T>;

#ifdef __SIZEOF_INT128__
__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// Integers of 128 bits where the compiler has them but does not take them for integers, as with
/// `-std=c++20`. With `-std=gnu++20` they are numbers like others.
template <class T>
concept unofficial_integer
  = (std::is_same_v<T, int128> || std::is_same_v<T, uint128>) &&!std::is_arithmetic_v<T>;
#else
template <class T>
concept unofficial_integer = false;
#endif

/// Types with an `inspect` overload for `Inspector`.
template <class Inspector, class T>
concept inspectable = requires(Inspector& f, T& x) {
  { inspect(f, x) } -> std::convertible_to<bool>;
};

/// Marks specializations of `caf::inspector_access` that call cafwire, and which it must not call.
struct encoded_access_base {};

template <class T>
constexpr bool has_inspector_access() noexcept {
  if constexpr (!is_accelerated<T> && caf::detail::is_complete<caf::inspector_access<T>>)
    return !std::is_base_of_v<encoded_access_base, caf::inspector_access<T>>;
  else
    return false;
}

/// Types for which somebody other than cafwire specialized `caf::inspector_access`.
template <class T>
inline constexpr bool has_inspector_access_v = has_inspector_access<T>();

/// Bytes of a `long double` on the wire: the x87 format without its padding.
inline constexpr size_t long_double_size = 10;

/// Bytes of an arithmetic type on the wire.
template <class T>
inline constexpr size_t number_size_v = std::is_same_v<T, long double> ? long_double_size
                                                                       : sizeof(T);

/// Sequences that take at least this many bytes start on a multiple of 16 (see
/// `docs/wire-format.md`). A constant of the format.
inline constexpr size_t long_run_bytes = 256;

/// The boundary of long runs. A constant of the format.
inline constexpr size_t long_run_alignment = 16;

/// Hands the integer of an enum to the `inspect` overload of the enum, which judges it and may map
/// it. Knows nothing but this one integer.
template <class Integer>
class enum_loader {
public:
  static constexpr bool is_loading = true;

  explicit enum_loader(Integer raw) noexcept : raw_(raw) {
    // nop
  }

  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  /// Returns whether the overload asked for anything else than the underlying integer.
  bool asked_otherwise() const noexcept {
    return asked_otherwise_;
  }

  template <class T>
  bool value(T& x) {
    if constexpr (std::is_same_v<T, Integer>) {
      x = raw_;
      return true;
    } else {
      asked_otherwise_ = true;
      return false;
    }
  }

  template <class T>
  bool apply(T& x) {
    return value(x);
  }

  template <class Get, class Set>
  bool apply(Get&& get, Set&& set) {
    using type = std::decay_t<decltype(get())>;
    auto tmp = type{};
    if (!value(tmp))
      return false;
    if constexpr (std::is_void_v<decltype(set(std::move(tmp)))>) {
      set(std::move(tmp));
      return true;
    } else if constexpr (std::is_same_v<decltype(set(std::move(tmp))), bool>) {
      return set(std::move(tmp));
    } else {
      return caf::error{set(std::move(tmp))}.empty();
    }
  }

  void set_error(const caf::error&) noexcept {
    // nop
  }

  template <class... Ts>
  void emplace_error(Ts&&...) noexcept {
    // nop
  }

private:
  Integer raw_;
  bool asked_otherwise_ = false;
};

/// Takes the integer that the `inspect` overload of an enum writes.
template <class Integer>
class enum_saver {
public:
  static constexpr bool is_loading = false;

  explicit enum_saver(Integer raw) noexcept : raw_(raw) {
    // nop
  }

  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  /// Returns whether the overload wrote exactly the underlying integer.
  bool wrote_underlying() const noexcept {
    return wrote_underlying_;
  }

  template <class T>
  bool value(const T& x) {
    if constexpr (std::is_same_v<T, Integer>) {
      wrote_underlying_ = x == raw_;
      return true;
    } else {
      return false;
    }
  }

  template <class T>
  bool apply(const T& x) {
    return value(x);
  }

  template <class Get, class Set>
  bool apply(Get&& get, Set&&) {
    return value(get());
  }

  void set_error(const caf::error&) noexcept {
    // nop
  }

  template <class... Ts>
  void emplace_error(Ts&&...) noexcept {
    // nop
  }

private:
  Integer raw_;
  bool wrote_underlying_ = false;
};

/// Reads the bytes of an object that may hold an invalid value.
template <class T>
CAFWIRE_INLINE auto raw_bits(const T& x) noexcept {
  using integer = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  integer result;
  std::memcpy(&result, &x, sizeof result);
  return result;
}

} // namespace layout

} // namespace cafwire
