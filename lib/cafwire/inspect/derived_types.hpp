// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/type_id.hpp>

#include <string_view>
#include <type_traits>

namespace cafwire {

/// A list of types that derive from a common base.
template <class... Ts>
struct derived_list {};

/// Lists the types that a `std::unique_ptr<Base>` or `std::shared_ptr<Base>` may point to. Each of
/// them needs an `inspect` overload and a name (see `wire_name`); objects of other types, further
/// derived ones too, are refused. List `Base` itself if there are objects of it:
///
/// ```
/// template <>
/// inline constexpr auto cafwire::derived_types<shape> = cafwire::derived_list<circle, square>{};
/// ```
///
/// The types may be incomplete here. Pointers to a polymorphic type need this list, unless the type
/// is final.
template <class Base>
inline constexpr auto derived_types = std::false_type{};

/// The name of a type behind a pointer to its base. Types with a CAF type ID have the name that CAF
/// knows; others need a specialization:
///
/// ```
/// template <>
/// inline constexpr std::string_view cafwire::wire_name<circle> = "circle";
/// ```
template <class T>
inline constexpr std::string_view wire_name = {};

namespace detail {

template <class Base>
inline constexpr bool has_derived_types_v
  = !std::is_same_v<std::remove_cv_t<decltype(derived_types<Base>)>, std::false_type>;

template <class T>
std::string_view wire_name_of() noexcept {
  static_assert(!wire_name<T>.empty() || caf::has_type_id_v<T>,
                "cafwire: a derived type needs a name: give it a CAF type ID or specialize "
                "cafwire::wire_name<T>");
  if constexpr (!wire_name<T>.empty())
    return wire_name<T>;
  else
    return compat::to_std(caf::type_name_by_id_v<caf::type_id_v<T>>);
}

} // namespace detail

} // namespace cafwire
