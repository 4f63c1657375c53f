// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/layout/type_traits.hpp"

#include <caf/inspector_access.hpp>
#include <caf/inspector_access_base.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/// @file
/// Inspects aggregates without an `inspect` overload, by reflection over their members. Opt in type
/// by type; works with all inspectors of CAF and cafwire, and costs nothing at run time:
///
/// ```
/// struct point {
///   int32_t x, y;
/// };
///
/// template <>
/// inline constexpr bool cafwire::reflect_members<point> = true;
/// ```
///
/// The fields are called "0", "1", and so on, unless there are names:
///
/// ```
/// template <>
/// inline constexpr auto cafwire::member_names<point>
///   = std::array<std::string_view, 2>{"x", "y"};
/// ```
///
/// Members may be arrays, move-only, or aggregates that opt in themselves. With names there is no
/// need to count members, which arrays of containers, arrays of what cannot be copied, and arrays
/// of more than 64 elements need. Not for aggregates with base classes, references, bit fields, or
/// more than 24 members.

namespace cafwire {

/// The names of the members of an aggregate, in their order.
template <class T>
inline constexpr auto member_names = std::array<std::string_view, 0>{};

namespace detail {

/// More members than this need an `inspect` overload.
inline constexpr size_t max_members = 24;

/// Converts to whatever a member is. By value, so that also works what cannot be copied.
struct any_value {
  size_t index;

  template <class T>
  operator T() const noexcept; // NOLINT: never defined, and implicit on purpose
};

/// What may stand in braces as an element of an array. Not for containers and what cannot be
/// copied: in braces, a vector of them would take its elements from a list, and clang looks into
/// that.
// clang-format off
template <class T>
concept array_element
  = std::is_scalar_v<T>
    || (std::is_copy_constructible_v<T>
        && (!requires { typename T::allocator_type; } || requires { typename T::traits_type; }));
// clang-format on

/// Converts to whatever an element of an array is.
struct any_element {
  size_t index;

  template <array_element T>
  operator T() const noexcept; // NOLINT: never defined, and implicit on purpose
};

/// Whether `T` can be initialized by as many values as there are indexes.
template <class T, size_t... Is>
constexpr bool takes_values(std::index_sequence<Is...>) noexcept {
  return requires {
    T{any_value{Is}...};
  };
}

/// The same, with values in braces behind the first ones.
template <class T, size_t... Front, size_t... Braced, size_t... Back>
constexpr bool takes_values(std::index_sequence<Front...>, std::index_sequence<Braced...>,
                            std::index_sequence<Back...>) noexcept {
  return requires {
    T{any_value{Front}..., {any_element{Braced}...}, any_value{Back}...};
  };
}

/// The largest number of initializers. Elements of arrays count one by one.
template <class T, size_t N>
constexpr size_t count_initializers() noexcept {
  if constexpr (N == 0 || takes_values<T>(std::make_index_sequence<N>{}))
    return N;
  else
    return count_initializers<T, N - 1>();
}

/// The number of values that the initializer at `Pos` takes in braces, `N` at most.
template <class T, size_t Pos, size_t N>
constexpr size_t count_braced() noexcept {
  if constexpr (N <= 1
                || takes_values<T>(std::make_index_sequence<Pos>{}, std::make_index_sequence<N>{},
                                   std::index_sequence<>{}))
    return N;
  else
    return count_braced<T, Pos, N - 1>();
}

/// Counts members from the initializer at `Pos` on, given that there are `Total` of them.
template <class T, size_t Pos, size_t Total>
constexpr size_t count_members() noexcept {
  if constexpr (Pos >= Total) {
    return 0;
  } else {
    constexpr auto size = count_braced<T, Pos, Total - Pos>();
    if constexpr (size > 1) {
      // An array takes as many initializers with braces as without, a class only one.
      constexpr auto rest = Total - Pos - size;
      if constexpr (!takes_values<T>(std::make_index_sequence<Pos>{},
                                     std::make_index_sequence<size>{},
                                     std::make_index_sequence<rest + 1>{}))
        return 1 + count_members<T, Pos + size, Total>();
      else
        return 1 + count_members<T, Pos + 1, Total>();
    } else {
      return 1 + count_members<T, Pos + 1, Total>();
    }
  }
}

/// The number of members of an aggregate. Names tell it at once, whatever the members are.
template <class T>
constexpr size_t num_members() noexcept {
  static_assert(std::is_aggregate_v<T>,
                "cafwire: only aggregates have members that reflection can see; provide an inspect "
                "overload for T");
  if constexpr (std::is_empty_v<T>) {
    return 0;
  } else if constexpr (!member_names<T>.empty()) {
    return member_names<T>.size();
  } else {
    // Each member takes a byte at least, unless it is empty.
    constexpr auto limit = size_t{64};
    constexpr auto total = count_initializers<T, std::min(sizeof(T) + 8, limit + 1)>();
    static_assert(total <= limit, "cafwire: T has too many members or large arrays to count them; "
                                  "list the names in cafwire::member_names<T>");
    return count_members<T, 0, total>();
  }
}

/// Returns references to all members.
template <class T>
constexpr auto tie_members([[maybe_unused]] T& x) noexcept {
  constexpr auto N = num_members<T>();
  static_assert(N <= max_members, "cafwire: T has too many members for reflection; provide an "
                                  "inspect overload for T");
  if constexpr (N == 0) {
    return std::tuple<>{};
  } else if constexpr (N == 1) {
    auto& [a] = x;
    return std::tie(a);
  } else if constexpr (N == 2) {
    auto& [a, b] = x;
    return std::tie(a, b);
  } else if constexpr (N == 3) {
    auto& [a, b, c] = x;
    return std::tie(a, b, c);
  } else if constexpr (N == 4) {
    auto& [a, b, c, d] = x;
    return std::tie(a, b, c, d);
  } else if constexpr (N == 5) {
    auto& [a, b, c, d, e] = x;
    return std::tie(a, b, c, d, e);
  } else if constexpr (N == 6) {
    auto& [a, b, c, d, e, f] = x;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (N == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (N == 8) {
    auto& [a, b, c, d, e, f, g, h] = x;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (N == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (N == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (N == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (N == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (N == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (N == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (N == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (N == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (N == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (N == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (N == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (N == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (N == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (N == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (N == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (N == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y);
  }
}

template <class T, size_t I>
compat::string_view name_of_member() noexcept {
  if constexpr (!member_names<T>.empty()) {
    return compat::from_std(member_names<T>[I]);
  } else if constexpr (I < 10) {
    static constexpr char name[] = {'0' + I, '\0'};
    return compat::string_view{name, 1};
  } else {
    static constexpr char name[] = {'0' + I / 10, '0' + I % 10, '\0'};
    return compat::string_view{name, 2};
  }
}

template <class Inspector, class T, size_t... Is>
bool inspect_members(Inspector& f, T& x, std::index_sequence<Is...>) {
  [[maybe_unused]] auto members = tie_members(x);
  return f.object(x).fields(f.field(name_of_member<T, Is>(), std::get<Is>(members))...);
}

} // namespace detail

} // namespace cafwire

namespace caf {

template <class T>
requires(cafwire::reflect_members<T>) struct inspector_access<T> : inspector_access_base<T> {
  template <class Inspector>
  static bool apply(Inspector& f, T& x) {
    constexpr auto size = cafwire::detail::num_members<T>();
    return cafwire::detail::inspect_members(f, x, std::make_index_sequence<size>{});
  }
};

} // namespace caf
