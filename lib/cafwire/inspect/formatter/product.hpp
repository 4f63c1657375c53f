// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <tuple>
#include <utility>

namespace cafwire {

namespace detail {

/// The bytes of elements one behind the other, or 0 if they differ between values.
template <class T>
struct packed_sum_of;

template <class T>
constexpr size_t packed_sum() noexcept {
  return packed_sum_of<T>::value();
}

template <class... Ts>
struct packed_sum_of<std::tuple<Ts...>> {
  static constexpr size_t value() noexcept {
    if constexpr ((packed_loading<Ts> && ...)) {
      auto differ = ((packed_size<Ts>() == 0) || ...);
      return differ ? 0 : (packed_size<Ts>() + ... + size_t{0});
    } else {
      return 0;
    }
  }
};

template <class T, class U>
struct packed_sum_of<std::pair<T, U>> : packed_sum_of<std::tuple<T, U>> {};

template <class T, size_t N>
struct packed_sum_of<std::array<T, N>> {
  static constexpr size_t value() noexcept {
    return N * packed_sum_of<std::tuple<T>>::value();
  }
};

} // namespace detail

/// Arrays: the elements, without a length.
template <class T, size_t N>
struct formatter<std::array<T, N>> {
  static constexpr size_t min_size = 0;

  static bool save(serializer& f, const std::array<T, N>& xs) {
    return f.elements(const_cast<T*>(xs.data()), N);
  }

  static bool load(deserializer& f, std::array<T, N>& xs) {
    if constexpr (N == 0)
      return true;
    else
      return f.elements(xs.data(), N);
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  CAFWIRE_INLINE static size_t bound(const std::array<T, N>& xs) noexcept
    requires(detail::packed_saving<T>) {
    return detail::packed_writer::bound(xs.data(), N);
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const std::array<T, N>& xs) noexcept
    requires(detail::packed_saving<T>) {
    w.put(xs.data(), N);
  }

  static constexpr size_t fixed_size = detail::packed_sum<std::array<T, N>>();

  CAFWIRE_INLINE static bool get(detail::packed_reader& r, std::array<T, N>& xs)
    requires(detail::packed_loading<T>) {
    return r.get(xs.data(), N);
  }

  CAFWIRE_INLINE static bool take(detail::packed_reader& r, std::array<T, N>& xs)
    requires(detail::packed_loading<T>) {
    return r.take(xs.data(), N);
  }
  // clang-format on
};

/// Pairs: both elements.
template <class T, class U>
struct formatter<std::pair<T, U>> {
  static constexpr size_t min_size = 0;

  static bool save(serializer& f, const std::pair<T, U>& x) {
    return f.apply(x.first) && f.apply(x.second);
  }

  static bool load(deserializer& f, std::pair<T, U>& x) {
    return f.apply(x.first) && f.apply(x.second);
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  CAFWIRE_INLINE static size_t bound(const std::pair<T, U>& x) noexcept
    requires(detail::packed_saving<T> && detail::packed_saving<U>) {
    return detail::packed_writer::bound(x.first) + detail::packed_writer::bound(x.second);
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const std::pair<T, U>& x) noexcept
    requires(detail::packed_saving<T> && detail::packed_saving<U>) {
    w.put(x.first);
    w.put(x.second);
  }

  static constexpr size_t fixed_size = detail::packed_sum<std::pair<T, U>>();

  CAFWIRE_INLINE static bool get(detail::packed_reader& r, std::pair<T, U>& x)
    requires(detail::packed_loading<T> && detail::packed_loading<U>) {
    return r.get(x.first) && r.get(x.second);
  }

  CAFWIRE_INLINE static bool take(detail::packed_reader& r, std::pair<T, U>& x)
    requires(detail::packed_loading<T> && detail::packed_loading<U>) {
    return r.take(x.first) && r.take(x.second);
  }
  // clang-format on
};

/// Tuples: all elements.
template <class... Ts>
struct formatter<std::tuple<Ts...>> {
  static constexpr size_t min_size = 0;

  static bool save(serializer& f, const std::tuple<Ts...>& x) {
    return std::apply([&f](auto&... ys) { return (f.apply(ys) && ...); }, x);
  }

  static bool load(deserializer& f, std::tuple<Ts...>& x) {
    return std::apply([&f](auto&... ys) { return (f.apply(ys) && ...); }, x);
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  CAFWIRE_INLINE static size_t bound(const std::tuple<Ts...>& x) noexcept
    requires((detail::packed_saving<Ts> && ...)) {
    return std::apply(
      [](auto&... ys) { return (detail::packed_writer::bound(ys) + ... + size_t{0}); }, x);
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const std::tuple<Ts...>& x) noexcept
    requires((detail::packed_saving<Ts> && ...)) {
    std::apply([&w](auto&... ys) { (w.put(ys), ...); }, x);
  }

  static constexpr size_t fixed_size = detail::packed_sum<std::tuple<Ts...>>();

  CAFWIRE_INLINE static bool get(detail::packed_reader& r, std::tuple<Ts...>& x)
    requires((detail::packed_loading<Ts> && ...)) {
    return std::apply([&r](auto&... ys) { return (r.get(ys) && ...); }, x);
  }

  CAFWIRE_INLINE static bool take(detail::packed_reader& r, std::tuple<Ts...>& x)
    requires((detail::packed_loading<Ts> && ...)) {
    return std::apply([&r](auto&... ys) { return (r.take(ys) && ...); }, x);
  }
  // clang-format on
};

/// Complex numbers: the real part, then the imaginary part.
template <class T>
struct formatter<std::complex<T>> {
  static constexpr size_t min_size = 2 * layout::number_size_v<T>;

  static bool save(serializer& f, const std::complex<T>& x) {
    return f.apply(x.real()) && f.apply(x.imag());
  }

  static bool load(deserializer& f, std::complex<T>& x) {
    auto real = T{};
    auto imaginary = T{};
    if (!f.apply(real) || !f.apply(imaginary))
      return false;
    x = {real, imaginary};
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.group_of<T, T>();
  }
};

} // namespace cafwire
