// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <algorithm>
#include <iterator>
#include <valarray>
#include <vector>

namespace cafwire {

/// Arrays for calculations: a sequence like any other one, with one copy where a vector has one.
template <class T>
requires(!detail::self_inspecting<std::valarray<T>>) struct formatter<std::valarray<T>> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const std::valarray<T>& xs) {
    auto n = xs.size();
    return f.varint(n) && f.align_run(n * layout::fixed_size_of<T>())
           && (n == 0 || f.elements(const_cast<T*>(&xs[0]), n));
  }

  static bool load(deserializer& f, std::valarray<T>& xs) {
    if constexpr (detail::min_size_of<T>() == 0) {
      // The length may lie, and a valarray cannot grow: let a vector find out.
      std::vector<T> elements;
      if (!f.apply(elements))
        return false;
      xs.resize(elements.size());
      std::move(elements.begin(), elements.end(), std::begin(xs));
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
