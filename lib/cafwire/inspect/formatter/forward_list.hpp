// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/sequence_io.hpp"

#include <forward_list>
#include <iterator>

namespace cafwire {

/// Singly linked lists: a sequence like any other one. Counts the elements in a walk of its own.
template <class T, class Allocator>
requires(!detail::self_inspecting<std::forward_list<T, Allocator>>) struct formatter<
  std::forward_list<T, Allocator>> {
  using type = std::forward_list<T, Allocator>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const type& xs) {
    return save_sequence<T>(f, xs.begin(),
                            static_cast<size_t>(std::distance(xs.begin(), xs.end())));
  }

  static bool load(deserializer& f, type& xs) {
    auto last = xs.before_begin();
    return load_sequence<T>(
      f, [&](size_t) { xs.clear(); },
      [&] {
        if constexpr (layout::needs_factory_v<T>) {
          last = xs.emplace_after(last, detail::make_element<T>());
        } else {
          layout::require_creatable<T>();
          last = xs.emplace_after(last);
        }
        return f.apply(*last);
      });
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<T>("seq", 1);
  }
};

} // namespace cafwire
