// This file is part of cafwire. See the file LICENSE for license terms.

// No `#pragma once` here, for the reason that `traits.hpp` gives.
#include "cafwire/inspect/formatter/traits.hpp"

#ifndef CAFWIRE_INSPECT_POINTEE_HPP
#  define CAFWIRE_INSPECT_POINTEE_HPP

#  include "cafwire/inspect/derived_types.hpp"

#  include <algorithm>
#  include <array>
#  include <cstddef>
#  include <memory>
#  include <string>
#  include <string_view>
#  include <type_traits>
#  include <typeinfo>
#  include <utility>

namespace cafwire::detail {

/// The identity of a type inside this process.
template <class T>
inline const char type_key = 0;

/// Creates an object to load into. Takes `sizeof(T)` bytes from the budget of the reader.
template <class T>
std::unique_ptr<T> make_owned() {
  if constexpr (layout::needs_factory_v<T>) {
    return std::make_unique<T>(make_element<T>());
  } else {
    layout::require_creatable<T>();
    return std::make_unique<T>();
  }
}

template <class T>
std::shared_ptr<T> make_shared() {
  if constexpr (layout::needs_factory_v<T>) {
    return std::make_shared<T>(make_element<T>());
  } else {
    layout::require_creatable<T>();
    return std::make_shared<T>();
  }
}

/// What a pointer to `T` may point to: objects of type `T`, or of the types in the list. Functions
/// for objects get the type that they really have.
template <class T, class List>
struct pointee_choice {
  static constexpr bool by_name = false;

  static constexpr void require_exact() noexcept {
    static_assert(!std::is_polymorphic_v<T> || std::is_final_v<T>,
                  "cafwire: a pointer to a polymorphic type may point to objects of others; list "
                  "them in cafwire::derived_types<T>, or make T final");
  }

  template <class Fn>
  static bool visit(serializer&, const T& x, Fn&& fn) {
    require_exact();
    return fn(x);
  }

  template <class Fn>
  static bool select(deserializer&, Fn&& fn) {
    require_exact();
    return fn(std::type_identity<T>{});
  }

  static std::shared_ptr<T> resolve(const void* key, const std::shared_ptr<void>& object) {
    return key == &type_key<T> ? std::static_pointer_cast<T>(object) : nullptr;
  }

  static void schema(layout::schema_builder& f) {
    f.type<T>();
  }

  template <class Derived>
  static bool save_name(serializer&) {
    return true;
  }
};

template <class Base, class... Ts>
struct pointee_choice<Base, derived_list<Ts...>> {
  static_assert((std::is_base_of_v<Base, Ts> && ...),
                "cafwire: cafwire::derived_types<T> lists a type that does not derive from T");

  static constexpr bool by_name = true;

  template <class Fn>
  static bool visit(serializer& f, const Base& x, Fn&& fn) {
    auto& type = typeid(x);
    auto ok = false;
    auto found = ((type == typeid(Ts) && (ok = fn(down_cast<Ts>(x)), true)) || ...);
    return found ? ok : f.fail(ec::unknown_derived_type, type.name());
  }

  template <class Fn>
  static bool select(deserializer& f, Fn&& fn) {
    size_t n = 0;
    if (!f.count(n, 1) || !f.align_run(n))
      return false;
    const auto* first = f.view(n);
    if (first == nullptr)
      return false;
    auto name = std::string_view{reinterpret_cast<const char*>(first), n};
    auto ok = false;
    auto found = ((name == wire_name_of<Ts>() && (ok = fn(std::type_identity<Ts>{}), true)) || ...);
    return found ? ok : f.fail(ec::unknown_derived_type, std::string{name});
  }

  static std::shared_ptr<Base> resolve(const void* key, const std::shared_ptr<void>& object) {
    std::shared_ptr<Base> result;
    std::ignore = ((key == &type_key<Ts> && (result = std::static_pointer_cast<Ts>(object), true))
                   || ...);
    return result;
  }

  /// Lists the types in the order of their names, so that the order in the program means nothing.
  static void schema(layout::schema_builder& f) {
    struct entry {
      std::string_view name;
      void (*append)(layout::schema_builder&);
    };
    auto entries = std::array<entry, sizeof...(Ts)>{
      entry{wire_name_of<Ts>(), [](layout::schema_builder& g) { g.type<Ts>(); }}...};
    std::sort(entries.begin(), entries.end(), [](auto& x, auto& y) { return x.name < y.name; });
    f.varying_with("any", 1, [&] {
      for (auto& [name, append] : entries) {
        f.name(name);
        append(f);
      }
    });
  }

  template <class Derived>
  static bool save_name(serializer& f) {
    auto name = wire_name_of<Derived>();
    return f.string(name.data(), name.size());
  }

private:
  template <class T>
  static const T& down_cast(const Base& x) {
    if constexpr (requires { static_cast<const T&>(x); })
      return static_cast<const T&>(x);
    else
      return dynamic_cast<const T&>(x); // the base is virtual
  }
};

template <class T>
using pointee = pointee_choice<std::remove_const_t<T>,
                               std::remove_cv_t<decltype(derived_types<std::remove_const_t<T>>)>>;

} // namespace cafwire::detail

#endif
