// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <utility>

namespace cafwire {

/// Maps: the number of entries, then key and value of each. Sorted maps arrive in the order of
/// their keys, each key once (`multimap`: in an order that does not descend); a duplicate is an
/// error.
template <detail::map_container T>
struct formatter<T> {
  using key_type = typename T::key_type;

  using mapped_type = typename T::mapped_type;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const T& xs) {
    if (!f.varint(xs.size()))
      return false;
    for (auto& [key, value] : xs)
      if (!f.apply(key) || !f.apply(value))
        return false;
    return true;
  }

  static bool load(deserializer& f, T& xs) {
    using entry = std::pair<key_type, mapped_type>;
    size_t n = 0;
    if (!detail::load_count<entry>(f, n))
      return false;
    xs.clear();
    return detail::load_elements<entry>(f, n, [&] {
      auto key = detail::make_element<key_type>();
      auto value = detail::make_element<mapped_type>();
      return f.apply(key) && f.apply(value) && insert(f, xs, std::move(key), std::move(value));
    });
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<key_type, mapped_type>(detail::sorted_container<T> ? "map" : "umap", 1);
  }

private:
  static bool insert(deserializer& f, T& xs, key_type&& key, mapped_type&& value) {
    if constexpr (detail::sorted_container<T>) {
      if (!detail::follows(
            f, xs, xs.key_comp(), key, [](auto& y) -> auto& { return y.first; }))
        return false;
      xs.emplace_hint(xs.end(), std::move(key), std::move(value));
      return true;
    } else if constexpr (detail::unique_container<T>) {
      return xs.emplace(std::move(key), std::move(value)).second || f.fail(ec::duplicate_key);
    } else {
      xs.emplace(std::move(key), std::move(value));
      return true;
    }
  }
};

} // namespace cafwire
