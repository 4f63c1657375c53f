// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <type_traits>
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
    if constexpr (has_packed_entries) {
      return f.packed_range(xs.begin(), xs.end());
    } else {
      for (auto& [key, value] : xs)
        if (!f.apply(key) || !f.apply(value))
          return false;
      return true;
    }
  }

  static bool load(deserializer& f, T& xs) {
    using entry = std::pair<key_type, mapped_type>;
    size_t n = 0;
    if (!detail::load_count<entry>(f, n))
      return false;
    if constexpr (updates) {
      return update(f, xs, n);
    } else if constexpr (recycles) {
      auto old = detail::take_entries(xs);
      detail::reserve_entries<entry>(f, xs, n);
      return detail::load_elements<entry>(f, n, [&] {
        if (old.empty())
          return load_new(f, xs);
        auto node = old.extract(old.begin());
        return load_entry(f, node.key(), node.mapped()) && insert(f, xs, std::move(node));
      });
    } else {
      xs.clear();
      detail::reserve_entries<entry>(f, xs, n);
      return detail::load_elements<entry>(f, n, [&] { return load_new(f, xs); });
    }
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<key_type, mapped_type>(detail::sorted_container<T> ? "map" : "umap", 1);
  }

private:
  using node_value = std::pair<const key_type, mapped_type>;

  // Version 14 of clang-format does not understand these operators well.
  // clang-format off

  /// Whether entries are written without asking for room at each of their parts.
  static constexpr bool has_packed_entries
    = detail::packed_saving<node_value> && std::is_same_v<typename T::value_type, node_value>;

  /// Whether old nodes may get new content.
  static constexpr bool recycles
    = detail::node_container<T> && detail::replaces_all_v<key_type>
      && detail::replaces_all_v<mapped_type>;

  /// Whether entries stay where they are if their keys come again.
  static constexpr bool updates
    = recycles && detail::sorted_container<T> && detail::unique_container<T>
      && detail::recognizable_key<key_type>;

  // clang-format on

  /// Reads `n` entries into a map that holds others. As long as the keys are the same as before, as
  /// in objects that are read into again and again, nothing but the values change.
  static bool update(deserializer& f, T& xs, size_t n) {
    if (!f.enter())
      return false;
    auto pos = xs.begin();
    if (!update_values(f, xs, pos, n))
      return false;
    if (n == 0) {
      xs.erase(pos, xs.end());
      return f.leave();
    }
    // From here on, the old entries are no more than nodes to take again.
    auto old = detail::make_empty<T>(xs);
    while (pos != xs.end())
      old.insert(old.end(), xs.extract(pos++));
    for (; n > 0; --n) {
      if (old.empty()) {
        if (!load_new(f, xs))
          return false;
      } else {
        auto node = old.extract(old.begin());
        if (!load_entry(f, node.key(), node.mapped()) || !insert(f, xs, std::move(node)))
          return false;
      }
    }
    return f.leave();
  }

  /// Reads entries until there is a key that is not the one at `pos`. Moves `pos`, and takes what
  /// it has read from `n`.
  static bool update_values(deserializer& f, T& xs, typename T::iterator& pos, size_t& n) {
    if constexpr (detail::packed_loading<mapped_type>) {
      return f.packed_run([&](detail::packed_reader& r) CAFWIRE_INLINE_LAMBDA {
        for (; n > 0 && pos != xs.end() && detail::skip_key(r, pos->first); --n, ++pos)
          if (!r.get(pos->second))
            return false;
        return true;
      });
    } else {
      for (; n > 0 && pos != xs.end(); --n, ++pos) {
        detail::packed_reader r{f.cursor()};
        if (!detail::skip_key(r, pos->first))
          return true;
        f.cursor() = r.cursor();
        if (!f.apply(pos->second))
          return false;
      }
      return true;
    }
  }

  static bool load_entry(deserializer& f, key_type& key, mapped_type& value) {
    if constexpr (detail::packed_loading<key_type> && detail::packed_loading<mapped_type>)
      return f.packed_run([&](detail::packed_reader& r)
                            CAFWIRE_INLINE_LAMBDA { return r.get(key) && r.get(value); });
    else
      return f.apply(key) && f.apply(value);
  }

  static bool load_new(deserializer& f, T& xs) {
    auto key = detail::make_element<key_type>();
    auto value = detail::make_element<mapped_type>();
    return load_entry(f, key, value) && insert(f, xs, std::move(key), std::move(value));
  }

  /// Inserts a node.
  template <class Node>
  static bool insert(deserializer& f, T& xs, Node&& node) {
    return detail::insert_entry(
      f, xs, node.key(), [&] { xs.insert(xs.end(), std::move(node)); },
      [&] { return xs.insert(std::move(node)); });
  }

  static bool insert(deserializer& f, T& xs, key_type&& key, mapped_type&& value) {
    return detail::insert_entry(
      f, xs, key, [&] { xs.emplace_hint(xs.end(), std::move(key), std::move(value)); },
      [&] { return xs.emplace(std::move(key), std::move(value)); });
  }
};

} // namespace cafwire
