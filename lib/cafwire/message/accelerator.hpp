// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/message/accelerator_codec.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/detail/is_complete.hpp>
#include <caf/inspector_access.hpp>

#include <string_view>
#include <type_traits>
#include <vector>

/// @file
/// Makes CAF's own networking (BASP) faster for applications that stay on it: CAF's
/// `binary_serializer` and `binary_deserializer` move types that were opted in, and vectors of
/// them, as one block of bytes, wherever they occur inside of other types. All other inspectors
/// (JSON, configuration, `deep_to_string`, and those of cafwire) do what they did before. See
/// `docs/accelerator.md`.

namespace cafwire {

/// A list of accelerated types, see `CAFWIRE_ACCELERATE_ALL`.
template <class... Ts>
struct accelerated_types {};

// Version 14 of clang-format does not understand constraints well.
// clang-format off

/// Types that may be accelerated: objects that are their bytes as far as the language knows, with
/// an `inspect` overload. Whether these bytes are also the encoding, so that one copy does, is
/// proven when the program runs; if they are not, for example because of padding, then the fields
/// are encoded one by one, in the same format.
template <class T>
concept accelerable
  = layout::is_plain_data_v<T> && layout::inspectable<layout::probe<layout::probe_mode::save>, T>
    && !disable_blit<T>;

// clang-format on

namespace detail {

/// CAF's inspectors whose encoding the accelerator replaces.
template <class Inspector>
inline constexpr bool is_stock_binary_v
  = std::is_same_v<Inspector,
                   caf::binary_serializer> || std::is_same_v<Inspector, caf::binary_deserializer>;

template <class T>
void collect_schemas(std::vector<std::string_view>& out, std::type_identity<T>) {
  static_assert(is_accelerated<T>, "cafwire: T is not accelerated");
  out.push_back(layout::schema_of<T>().text);
}

template <class... Ts>
void collect_schemas(std::vector<std::string_view>& out,
                     std::type_identity<accelerated_types<Ts...>>) {
  (collect_schemas(out, std::type_identity<Ts>{}), ...);
}

void separate_peers(caf::actor_system_config& cfg, std::vector<std::string_view> schemas);

} // namespace detail

/// Makes peers that do not accelerate the same types refuse each other: adds the fingerprints of
/// the types to each entry of `caf.middleman.app-identifiers`, which nodes compare when they
/// connect. Call it in the constructor of the configuration, or between parsing and creating the
/// actor system; once, because a further call would add to what the first one wrote.
/// @tparam Ts all accelerated types of the program, or lists of them, in any order.
template <class... Ts>
void separate_unlike_peers(caf::actor_system_config& cfg) {
  std::vector<std::string_view> schemas;
  (detail::collect_schemas(schemas, std::type_identity<Ts>{}), ...);
  detail::separate_peers(cfg, std::move(schemas));
}

} // namespace cafwire

// Version 14 of clang-format does not understand constraints well.
// clang-format off

/// Accelerated objects.
template <class T>
  requires(cafwire::is_accelerated<T>)
struct caf::inspector_access<T> : caf::inspector_access_base<T> {
  // clang-format on
  template <class Inspector>
  static bool apply(Inspector& f, T& x) {
    if constexpr (cafwire::detail::is_stock_binary_v<Inspector>)
      return cafwire::detail::accelerated_apply(f, x);
    else
      return inspect(f, x);
  }
};

// clang-format off

/// Vectors of accelerated objects.
template <class T, class Allocator>
  requires(cafwire::is_accelerated<T>)
struct caf::inspector_access<std::vector<T, Allocator>>
  : caf::inspector_access_base<std::vector<T, Allocator>> {
  // clang-format on
  template <class Inspector>
  static bool apply(Inspector& f, std::vector<T, Allocator>& xs) {
    if constexpr (cafwire::detail::is_stock_binary_v<Inspector>)
      return cafwire::detail::accelerated_apply(f, xs);
    else
      return f.list(xs);
  }
};

/// Accelerates a type. Place it in the global namespace, right behind the definition of the type
/// and its `inspect` overload, in the same header: each source file that sends the type must see
/// it.
#define CAFWIRE_ACCELERATE(...)                                                                    \
  template <>                                                                                      \
  inline constexpr bool cafwire::is_accelerated<__VA_ARGS__> = true;                               \
  static_assert(cafwire::accelerable<__VA_ARGS__>,                                                 \
                "cafwire: only trivially copyable classes with an inspect overload can be "        \
                "accelerated");                                                                    \
  static_assert(caf::detail::is_complete<caf::inspector_access<__VA_ARGS__>>,                      \
                "cafwire: the type was used before it is accelerated; put the macro right behind " \
                "its inspect overload");

#define CAFWIRE_DETAIL_PARENTHESES ()
#define CAFWIRE_DETAIL_UNWRAP(...) __VA_ARGS__

// Expands a macro that ends in the name of itself 256 times, which is enough for as many types.
#define CAFWIRE_DETAIL_EXPAND(...)                                                                 \
  CAFWIRE_DETAIL_EXPAND4(                                                                          \
    CAFWIRE_DETAIL_EXPAND4(CAFWIRE_DETAIL_EXPAND4(CAFWIRE_DETAIL_EXPAND4(__VA_ARGS__))))
#define CAFWIRE_DETAIL_EXPAND4(...)                                                                \
  CAFWIRE_DETAIL_EXPAND3(                                                                          \
    CAFWIRE_DETAIL_EXPAND3(CAFWIRE_DETAIL_EXPAND3(CAFWIRE_DETAIL_EXPAND3(__VA_ARGS__))))
#define CAFWIRE_DETAIL_EXPAND3(...)                                                                \
  CAFWIRE_DETAIL_EXPAND2(                                                                          \
    CAFWIRE_DETAIL_EXPAND2(CAFWIRE_DETAIL_EXPAND2(CAFWIRE_DETAIL_EXPAND2(__VA_ARGS__))))
#define CAFWIRE_DETAIL_EXPAND2(...)                                                                \
  CAFWIRE_DETAIL_EXPAND1(                                                                          \
    CAFWIRE_DETAIL_EXPAND1(CAFWIRE_DETAIL_EXPAND1(CAFWIRE_DETAIL_EXPAND1(__VA_ARGS__))))
#define CAFWIRE_DETAIL_EXPAND1(...) __VA_ARGS__

#define CAFWIRE_DETAIL_ACCELERATE_EACH(type, ...)                                                  \
  CAFWIRE_ACCELERATE(CAFWIRE_DETAIL_UNWRAP type)                                                   \
  __VA_OPT__(CAFWIRE_DETAIL_ACCELERATE_AGAIN CAFWIRE_DETAIL_PARENTHESES(__VA_ARGS__))
#define CAFWIRE_DETAIL_ACCELERATE_AGAIN() CAFWIRE_DETAIL_ACCELERATE_EACH

#define CAFWIRE_DETAIL_LIST_EACH(type, ...)                                                        \
  CAFWIRE_DETAIL_UNWRAP type __VA_OPT__(                                                           \
    , CAFWIRE_DETAIL_LIST_AGAIN CAFWIRE_DETAIL_PARENTHESES(__VA_ARGS__))
#define CAFWIRE_DETAIL_LIST_AGAIN() CAFWIRE_DETAIL_LIST_EACH

/// Accelerates up to 256 types, each in parentheses, and defines `cafwire::accelerated::NAME` as
/// the list of them, for `separate_unlike_peers`. The same rules as for `CAFWIRE_ACCELERATE` apply.
#define CAFWIRE_ACCELERATE_ALL(name, ...)                                                          \
  CAFWIRE_DETAIL_EXPAND(CAFWIRE_DETAIL_ACCELERATE_EACH(__VA_ARGS__))                               \
  namespace cafwire::accelerated {                                                                 \
  using name                                                                                       \
    = ::cafwire::accelerated_types<CAFWIRE_DETAIL_EXPAND(CAFWIRE_DETAIL_LIST_EACH(__VA_ARGS__))>;  \
  }
