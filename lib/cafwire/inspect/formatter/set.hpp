// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <utility>

namespace cafwire {

/// Sets: the number of elements, then the elements. Sorted sets arrive in their own order, each
/// element once (`multiset`: in an order that does not descend); a duplicate is an error.
template <detail::set_container T>
struct formatter<T> {
  using value_type = typename T::value_type;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const T& xs) {
    if (!f.varint(xs.size()))
      return false;
    if constexpr (detail::packed_saving<value_type>) {
      return f.packed_range(xs.begin(), xs.end());
    } else {
      for (auto& x : xs)
        if (!f.apply(x))
          return false;
      return true;
    }
  }

  static bool load(deserializer& f, T& xs) {
    size_t n = 0;
    if (!detail::load_count<value_type>(f, n))
      return false;
    auto load_new = [&] {
      auto x = detail::make_element<value_type>();
      return f.apply(x) && insert(f, xs, std::move(x));
    };
    if constexpr (detail::node_container<T> && detail::replaces_all_v<value_type>) {
      auto old = detail::take_entries(xs);
      detail::reserve_entries<value_type>(f, xs, n);
      return detail::load_elements<value_type>(f, n, [&] {
        if (old.empty())
          return load_new();
        auto node = old.extract(old.begin());
        return f.apply(node.value()) && insert_node(f, xs, std::move(node));
      });
    } else {
      xs.clear();
      detail::reserve_entries<value_type>(f, xs, n);
      return detail::load_elements<value_type>(f, n, load_new);
    }
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<value_type>(detail::sorted_container<T> ? "set" : "uset", 1);
  }

private:
  static bool insert(deserializer& f, T& xs, value_type&& x) {
    return detail::insert_entry(
      f, xs, x, [&] { xs.insert(xs.end(), std::move(x)); },
      [&] { return xs.insert(std::move(x)); });
  }

  template <class Node>
  static bool insert_node(deserializer& f, T& xs, Node&& node) {
    return detail::insert_entry(
      f, xs, node.value(), [&] { xs.insert(xs.end(), std::move(node)); },
      [&] { return xs.insert(std::move(node)); });
  }
};

} // namespace cafwire
