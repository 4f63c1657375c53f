// This file is part of cafwire. See the file LICENSE for license terms.

// No `#pragma once` here: the inspectors include all formatters behind their own class, and these
// need what follows. Where this header is the first of them all, the inner inclusion must provide
// it.
#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"
#include "cafwire/layout/factory.hpp"

#ifndef CAFWIRE_INSPECT_FORMATTER_TRAITS_HPP
#  define CAFWIRE_INSPECT_FORMATTER_TRAITS_HPP

#  include <caf/detail/is_complete.hpp>

#  include <algorithm>
#  include <array>
#  include <concepts>
#  include <cstring>
#  include <iterator>
#  include <string>
#  include <tuple>
#  include <type_traits>
#  include <utility>

namespace cafwire::detail {

// Version 14 of clang-format does not understand concepts well.
// clang-format off

/// Types that say themselves how they are inspected. As in CAF, this goes before looking like a
/// container.
template <class T>
concept self_inspecting
  = layout::has_inspector_access_v<T>
    || layout::inspectable<layout::probe<layout::probe_mode::save>, T>;

/// Types that look like a container of the standard library.
template <class T>
concept container = std::is_class_v<T> && !self_inspecting<T> && requires(T& xs, const T& cxs) {
  typename T::value_type;
  { cxs.size() } -> std::convertible_to<size_t>;
  cxs.begin();
  cxs.end();
  xs.clear();
};

template <class T>
concept map_container = container<T> && requires {
  typename T::key_type;
  typename T::mapped_type;
};

template <class T>
concept set_container = container<T> && !map_container<T> && requires {
  typename T::key_type;
};

/// Containers with one element behind the other.
template <class T>
concept sequence_container
  = container<T> && !map_container<T> && !set_container<T>
    && requires(T& xs, typename T::value_type&& x) { xs.insert(xs.end(), std::move(x)); };

/// Containers that keep their elements sorted.
template <class T>
concept sorted_container = requires { typename T::key_compare; };

/// Sets and maps that hold a key at most once: inserting tells whether it did. Those of the
/// standard library have a name for that, which works for keys that cannot be copied, too.
template <class T>
concept unique_container = requires(T& xs, typename T::value_type&& x) {
  xs.insert(std::move(x)).second;
} || requires { typename T::insert_return_type; };

// clang-format on

/// Whether loading a `T` replaces all of the old value. Not so for types with an `inspect`
/// overload, which may leave fields out.
template <class T>
inline constexpr bool replaces_all_v
  = !std::is_class_v<T> || caf::detail::is_complete<formatter<T>> || inspects_all_members<T>;

template <class T, size_t N>
inline constexpr bool replaces_all_v<T[N]> = replaces_all_v<T>;

template <class T, size_t N>
inline constexpr bool replaces_all_v<std::array<T, N>> = replaces_all_v<T>;

template <class... Ts>
inline constexpr bool replaces_all_v<std::tuple<Ts...>> = (replaces_all_v<Ts> && ...);

template <class T, class U>
inline constexpr bool replaces_all_v<std::pair<T, U>> = replaces_all_v<std::tuple<T, U>>;

/// The least number of bytes that a `T` takes on the wire, as far as the type alone tells.
template <class T>
constexpr size_t min_size_of() noexcept {
  if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>)
    return layout::number_size_v<T>;
  else if constexpr (layout::unofficial_integer<T>)
    return sizeof(T);
  else if constexpr (std::is_class_v<T> && caf::detail::is_complete<formatter<T>>)
    return formatter<T>::min_size;
  else
    return 0;
}

using layout::make_element;

/// Runs `body` for `n` elements that are nested in the current value. `body` loads one element.
template <class T, class Body>
bool load_elements(deserializer& f, size_t n, Body&& body) {
  // Numbers cannot nest.
  constexpr auto nests = !std::is_arithmetic_v<T> && !layout::is_byte_v<T>;
  if constexpr (nests)
    if (!f.enter())
      return false;
  for (size_t i = 0; i < n; ++i) {
    if constexpr (min_size_of<T>() == 0) {
      auto before = f.remaining();
      if (!body() || !f.progress(before))
        return false;
    } else if (!body()) {
      return false;
    }
  }
  if constexpr (nests)
    return f.leave();
  else
    return true;
}

/// Accounts for the memory of `n` elements.
template <class T>
bool charge_elements(deserializer& f, size_t n) {
  if (f.charge(n, sizeof(T)))
    return true;
  // The usual reason is a length that lies: say so.
  auto& schema = layout::schema_of<T>();
  if (schema.min_size > 0 && n > f.remaining() / schema.min_size)
    f.refine(ec::memory_limit, ec::length_exceeds_input);
  return false;
}

/// Reads the number of elements and checks it against the rest of the input.
template <class T>
bool count_elements(deserializer& f, size_t& n) {
  if (f.count(n, min_size_of<T>()))
    return true;
  if constexpr (min_size_of<T>() == 0)
    if (layout::schema_of<T>().min_size > 0)
      f.refine(ec::unbacked_items_limit, ec::length_exceeds_input);
  return false;
}

/// Types of elements that are read through a `packed_reader` and take input in any case.
template <class T>
constexpr bool loads_packed_input() noexcept {
  if constexpr (packed_loading<T>)
    return min_size_of<T>() > 0 || packed_size<T>() > 0;
  else
    return false;
}

/// Returns an empty container with the comparison or hash function of another one.
template <class T>
constexpr auto make_empty = [](const T& xs) {
  if constexpr (sorted_container<T>)
    return T(xs.key_comp(), xs.get_allocator());
  else
    return T(0, xs.hash_function(), xs.key_eq(), xs.get_allocator());
};

// Version 14 of clang-format does not understand concepts well.
// clang-format off

/// Sets and maps with nodes that can leave them and come back.
template <class T>
concept node_container = requires(T& xs, typename T::node_type node) {
  node = xs.extract(xs.begin());
  xs.get_allocator();
} && (requires(T& xs) { T(xs.key_comp(), xs.get_allocator()); }
      || requires(T& xs, size_t n) {
  T(n, xs.hash_function(), xs.key_eq(), xs.get_allocator());
  xs.rehash(xs.bucket_count());
});

// clang-format on

/// Empties a set or map and returns what it held, for taking the nodes again: they have memory
/// already, and so have the strings inside of them.
template <class T>
T take_entries(T& xs) {
  auto result = make_empty<T>(xs);
  result.swap(xs);
  // As many buckets as before, which also decide about the order of the entries.
  if constexpr (!sorted_container<T>)
    if (xs.bucket_count() < result.bucket_count())
      xs.rehash(result.bucket_count());
  return result;
}

/// Keys that are compared with their encoding: equal ones are the same.
template <class T>
inline constexpr bool recognizable_key = std::is_integral_v<T>;

template <class Char, class Allocator>
inline constexpr bool
  recognizable_key<std::basic_string<Char, std::char_traits<Char>, Allocator>> = sizeof(Char) == 1;

/// Skips a key that is equal to an old one.
/// @returns whether it was; the reader has not moved if not, also if there is no valid key.
template <class T>
CAFWIRE_INLINE bool skip_key(packed_reader& r, const T& old) {
  auto next = r;
  if constexpr (std::is_integral_v<T>) {
    auto key = T();
    if (!next.get(key) || key != old)
      return false;
  } else {
    size_t n = 0;
    if (!next.template image_count<char>(n) || n != old.size()
        || std::memcmp(next.position(), old.data(), n) != 0)
      return false;
    next.advance(n);
  }
  r = next;
  return true;
}

/// Reads the number of elements and accounts for the memory that they take.
template <class T>
bool load_count(deserializer& f, size_t& n) {
  return count_elements<T>(f, n) && charge_elements<T>(f, n);
}

/// Returns how many of `n` elements to create before they are read: as many as the rest of the
/// input can hold, if they have the usual size.
template <class T>
size_t backed_elements(const deserializer& f, size_t n) {
  return std::min(n, f.remaining() / std::max(layout::schema_of<T>().min_size, size_t{1}));
}

/// Makes room for `n` entries in an unordered set or map, as far as the input backs them: buckets
/// that grow while it is filled would be sorted anew a dozen times. Small ones grow, which costs
/// little: the usual first buckets also decide about the order of the entries.
template <class Entry, class T>
void reserve_entries(const deserializer& f, T& xs, size_t n) {
  constexpr size_t many = 64;
  if constexpr (!sorted_container<T> && requires { xs.reserve(xs.bucket_count()); }) {
    n = backed_elements<Entry>(f, n);
    if (n >= many && n > xs.bucket_count())
      xs.reserve(n);
  }
}

/// Returns the key of an entry of a set or map.
template <class Container>
constexpr auto key_of = [](const auto& entry) -> const auto& {
  if constexpr (map_container<Container>)
    return entry.first;
  else
    return entry;
};

/// Checks that `key` may follow the last key of a sorted container.
template <class Container>
bool follows(deserializer& f, const Container& xs, const typename Container::key_type& key) {
  if (xs.empty())
    return true;
  auto& last = key_of<Container>(*std::prev(xs.end()));
  auto less = xs.key_comp();
  if (less(last, key))
    return true;
  if (less(key, last))
    return f.fail(ec::unordered_keys);
  return !unique_container<Container> || f.fail(ec::duplicate_key);
}

/// Inserts an entry that was read, by the rule for its container: behind the last one if the
/// container is sorted, and never in place of another one.
/// @param at_end inserts the entry at the end.
/// @param anywhere inserts the entry and returns what `insert` or `emplace` returns.
template <class Container, class AtEnd, class Anywhere>
bool insert_entry(deserializer& f, const Container& xs, const typename Container::key_type& key,
                  AtEnd at_end, Anywhere anywhere) {
  if constexpr (sorted_container<Container>) {
    if (!follows(f, xs, key))
      return false;
    at_end();
    return true;
  } else {
    auto result = anywhere();
    if constexpr (requires { result.inserted; })
      return result.inserted || f.fail(ec::duplicate_key);
    else if constexpr (requires { result.second; })
      return result.second || f.fail(ec::duplicate_key);
    else
      return true;
  }
}

} // namespace cafwire::detail

#endif
