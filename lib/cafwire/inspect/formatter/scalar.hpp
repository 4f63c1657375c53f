// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <type_traits>

namespace cafwire {

/// Enums: their `inspect` overload if there is one, otherwise the underlying integer.
template <layout::enumeration T>
struct formatter<T> {
  using integer = std::underlying_type_t<T>;

  static bool save(serializer& f, const T& x) {
    if constexpr (layout::inspectable<serializer, T>)
      return inspect(f, const_cast<T&>(x)) || f.fail(ec::invalid_enum);
    else
      return f.apply(static_cast<integer>(x));
  }

  static bool load(deserializer& f, T& x) {
    if constexpr (layout::inspectable<deserializer, T>) {
      if (inspect(f, x))
        return true;
      f.refine(ec::callback_failed, ec::invalid_enum);
      return f.fail(ec::invalid_enum);
    } else {
      auto value = integer{};
      if (!f.apply(value))
        return false;
      x = static_cast<T>(value);
      return true;
    }
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  CAFWIRE_INLINE static size_t bound(const T&) noexcept
    requires(!layout::inspectable<serializer, T>) {
    return sizeof(integer);
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const T& x) noexcept
    requires(!layout::inspectable<serializer, T>) {
    w.put(static_cast<integer>(x));
  }

  static constexpr size_t fixed_size = sizeof(integer);

  CAFWIRE_INLINE static bool get(detail::packed_reader& r, T& x) noexcept
    requires(!layout::inspectable<deserializer, T>) {
    return fixed_size <= r.remaining() ? take(r, x) : r.fail(ec::unexpected_end);
  }
  // clang-format on

  CAFWIRE_INLINE static bool take(detail::packed_reader& r, T& x) noexcept {
    auto value = integer{};
    if (!r.take(value))
      return false;
    x = static_cast<T>(value);
    return true;
  }
};

/// Integers of 128 bits: the low half, then the high half.
template <layout::unofficial_integer T>
struct formatter<T> {
  static constexpr size_t min_size = 16;

  static bool save(serializer& f, const T& x) {
    return f.apply(static_cast<uint64_t>(x)) && f.apply(static_cast<uint64_t>(x >> 64));
  }

  static bool load(deserializer& f, T& x) {
    auto low = uint64_t{0};
    auto high = uint64_t{0};
    if (!f.apply(low) || !f.apply(high))
      return false;
    x = static_cast<T>(T{high} << 64 | T{low});
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.fixed(T{} - 1 < T{} ? "i128" : "u128", 16);
  }
};

/// Durations and time points: the number of ticks.
template <layout::chrono_type T>
struct formatter<T> {
  using rep = layout::chrono_rep<T>;

  static bool save(serializer& f, const T& x) {
    if constexpr (layout::is_duration<T>::value)
      return f.apply(x.count());
    else
      return f.apply(x.time_since_epoch().count());
  }

  static bool load(deserializer& f, T& x) {
    auto ticks = rep{};
    if (!f.apply(ticks))
      return false;
    if constexpr (layout::is_duration<T>::value)
      x = T{ticks};
    else
      x = T{typename T::duration{ticks}};
    return true;
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  CAFWIRE_INLINE static size_t bound(const T&) noexcept requires(std::is_arithmetic_v<rep>) {
    return layout::number_size_v<rep>;
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const T& x) noexcept
    requires(std::is_arithmetic_v<rep>) {
    if constexpr (layout::is_duration<T>::value)
      w.put(x.count());
    else
      w.put(x.time_since_epoch().count());
  }

  static constexpr size_t fixed_size = layout::number_size_v<rep>;

  CAFWIRE_INLINE static bool get(detail::packed_reader& r, T& x) noexcept
    requires(std::is_arithmetic_v<rep>) {
    return fixed_size <= r.remaining() ? take(r, x) : r.fail(ec::unexpected_end);
  }
  // clang-format on

  CAFWIRE_INLINE static bool take(detail::packed_reader& r, T& x) noexcept {
    auto ticks = rep{};
    if (!r.take(ticks))
      return false;
    if constexpr (layout::is_duration<T>::value)
      x = T{ticks};
    else
      x = T{typename T::duration{ticks}};
    return true;
  }
};

} // namespace cafwire
