// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <array>
#include <complex>
#include <tuple>
#include <utility>

namespace cafwire {

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
