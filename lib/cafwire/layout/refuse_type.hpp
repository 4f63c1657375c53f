// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/type_traits.hpp"

#include <functional>
#include <memory>
#include <type_traits>

namespace cafwire::layout {

namespace detail {

// clang-format off
template <class T>
inline constexpr bool is_address_v
  = std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_null_pointer_v<T>;
// clang-format on

template <class T>
struct is_reference_wrapper : std::false_type {};

template <class T>
struct is_reference_wrapper<std::reference_wrapper<T>> : std::true_type {};

template <class T>
struct is_array_pointer : std::false_type {};

template <class T, class Deleter>
struct is_array_pointer<std::unique_ptr<T[], Deleter>> : std::true_type {};

template <class T>
struct is_array_pointer<std::shared_ptr<T[]>> : std::true_type {};

template <class T>
struct has_own_deleter : std::false_type {};

template <class T, class Deleter>
struct has_own_deleter<std::unique_ptr<T, Deleter>> : std::true_type {};

} // namespace detail

/// Stops the compiler for a type that nobody said how to encode, with advice.
template <class T>
constexpr void refuse_type() noexcept {
  if constexpr (reflect_members<T>)
    static_assert(!sizeof(T*), "cafwire: include cafwire/reflect.hpp for the members of T");
  else if constexpr (detail::is_address_v<T>)
    static_assert(!sizeof(T*), "cafwire: an address means nothing to another process; send the "
                               "value, or use std::unique_ptr or std::shared_ptr");
  else if constexpr (detail::is_reference_wrapper<T>::value)
    static_assert(!sizeof(T*), "cafwire: a reference means nothing to another process; send the "
                               "value");
  else if constexpr (detail::is_array_pointer<T>::value)
    static_assert(!sizeof(T*), "cafwire: an array behind a pointer does not know its length; use "
                               "std::vector");
  else if constexpr (detail::has_own_deleter<T>::value)
    static_assert(!sizeof(T*), "cafwire: nobody knows how to create objects for this deleter; use "
                               "std::default_delete or specialize cafwire::formatter<T>");
  else if constexpr (
    std::is_same_v<
      T,
      std::shared_ptr<
        void>> || std::is_same_v<T, std::shared_ptr<const void>> || std::is_same_v<T, std::weak_ptr<void>>)
    static_assert(!sizeof(T*), "cafwire: a pointer to void does not know the type of its object");
  else if constexpr (std::is_union_v<T>)
    static_assert(!sizeof(T*), "cafwire: nobody knows which member of a union is active; use "
                               "std::variant or provide an inspect overload");
  else
    static_assert(!sizeof(T*), "cafwire: please provide an inspect overload for T or a "
                               "cafwire::formatter<T>");
}

} // namespace cafwire::layout
