// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/type_traits.hpp"

#include <caf/detail/is_complete.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cafwire {

/// Creates objects of type `T` to load into. Specialize it for types without a public default
/// constructor that are elements of containers, optionals, variants or pointers:
///
/// ```
/// template <>
/// struct cafwire::factory<account> {
///   static account make() {
///     return account{0};
///   }
/// };
/// ```
///
/// The object is overwritten right away; it only has to be valid. `T` must be movable.
template <class T>
struct factory;

namespace layout {

/// Types with a specialization of `cafwire::factory`.
template <class T>
inline constexpr bool has_factory_v = caf::detail::is_complete<factory<T>>;

/// Types of which objects can be created to load into.
template <class T>
struct is_creatable : std::bool_constant<has_factory_v<T> || std::is_default_constructible_v<T>> {};

template <class T, size_t N>
struct is_creatable<std::array<T, N>> : is_creatable<T> {};

template <class... Ts>
struct is_creatable<std::tuple<Ts...>> : std::bool_constant<(is_creatable<Ts>::value && ...)> {};

template <class T, class U>
struct is_creatable<std::pair<T, U>>
  : std::bool_constant<is_creatable<T>::value && is_creatable<U>::value> {};

/// Types that only a factory creates: `T()` does not work or is not wanted.
template <class T>
inline constexpr bool needs_factory_v
  = has_factory_v<T> || (is_creatable<T>::value && !std::is_default_constructible_v<T>);

/// Stops the compiler with advice unless objects of type `T` can be created to load into.
template <class T>
constexpr void require_creatable() noexcept {
  static_assert(is_creatable<T>::value,
                "cafwire: elements are created before they are loaded; give T a public default "
                "constructor or specialize cafwire::factory<T>");
}

namespace detail {

template <class T>
struct maker {
  static T make() {
    require_creatable<T>();
    if constexpr (has_factory_v<T>)
      return factory<T>::make();
    else
      return T{};
  }
};

template <class T, size_t N>
requires(needs_factory_v<T>) struct maker<std::array<T, N>> {
  static std::array<T, N> make() {
    return of(std::make_index_sequence<N>{});
  }

  template <size_t... Is>
  static std::array<T, N> of(std::index_sequence<Is...>) {
    return {((void) Is, maker<T>::make())...};
  }
};

template <class... Ts>
requires(needs_factory_v<Ts> || ...) struct maker<std::tuple<Ts...>> {
  static std::tuple<Ts...> make() {
    return {maker<Ts>::make()...};
  }
};

template <class T, class U>
requires(needs_factory_v<T> || needs_factory_v<U>) struct maker<std::pair<T, U>> {
  static std::pair<T, U> make() {
    return {maker<T>::make(), maker<U>::make()};
  }
};

} // namespace detail

/// Creates an object to load into.
template <class T>
T make_element() {
  return detail::maker<T>::make();
}

} // namespace layout

} // namespace cafwire
