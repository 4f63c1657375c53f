// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <atomic>

namespace cafwire {

/// Atomics: the value at the time of writing. Loads and stores are sequentially consistent; two
/// atomics of one message are two loads, not a snapshot.
template <class T>
requires(!detail::self_inspecting<std::atomic<T>>) struct formatter<std::atomic<T>> {
  static constexpr size_t min_size = detail::min_size_of<T>();

  static bool save(serializer& f, const std::atomic<T>& x) {
    return f.apply(x.load());
  }

  static bool load(deserializer& f, std::atomic<T>& x) {
    auto value = detail::make_element<T>();
    if (!f.apply(value))
      return false;
    x.store(value);
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.type<T>();
  }
};

} // namespace cafwire
