// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace cafwire {

namespace detail {

/// `std::valarray`, known by what only it has: its header is too large to be included for programs
/// that send none.
// clang-format off
template <class T>
concept valarray = std::is_class_v<T> && !self_inspecting<T> && requires(T& xs, size_t n) {
  typename T::value_type;
  xs.size();
  xs.resize(n);
  xs.cshift(1);
  xs.sum();
};
// clang-format on

} // namespace detail

/// Arrays for calculations: a sequence like any other one, with one copy where a vector has one.
template <detail::valarray Array>
struct formatter<Array> {
  using T = typename Array::value_type;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const Array& xs) {
    auto n = xs.size();
    return f.varint(n) && f.align_run(n * layout::fixed_size_of<T>())
           && (n == 0 || f.elements(const_cast<T*>(&xs[0]), n));
  }

  static bool load(deserializer& f, Array& xs) {
    if constexpr (detail::min_size_of<T>() == 0) {
      // The length may lie, and a valarray cannot grow: let a vector find out.
      std::vector<T> elements;
      if (!f.apply(elements))
        return false;
      xs.resize(elements.size());
      for (size_t i = 0; i < elements.size(); ++i)
        xs[i] = std::move(elements[i]);
      return true;
    } else {
      size_t n = 0;
      if (!detail::count_elements<T>(f, n) || !f.align_run(n * layout::fixed_size_of<T>()))
        return false;
      // The alignment may have taken the bytes of the last elements.
      if (n > f.remaining() / detail::min_size_of<T>())
        return f.fail(ec::length_exceeds_input);
      if constexpr (layout::plain_number<T>) {
        if (n != xs.size())
          xs.resize(n);
        return n == 0 || f.elements(&xs[0], n);
      } else {
        if (!detail::charge_elements<T>(f, n))
          return false;
        // Also puts new elements in the place of the old ones.
        xs.resize(n);
        size_t i = 0;
        return detail::load_elements<T>(f, n, [&] { return f.apply(xs[i++]); });
      }
    }
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<T>("seq", 1);
  }
};

} // namespace cafwire
