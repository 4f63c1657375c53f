// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <cstdint>
#include <utility>

namespace cafwire {

/// Optionals: one byte that tells whether there is a value, then the value.
template <class T>
requires(compat::is_optional<T>::value) struct formatter<T> {
  using value_type = std::decay_t<decltype(*std::declval<T&>())>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const T& x) {
    return x ? f.byte(1) && f.apply(*x) : f.byte(0);
  }

  static bool load(deserializer& f, T& x) {
    auto present = false;
    if (!f.flag(present))
      return false;
    if (!present) {
      x = T{};
      return true;
    }
    if (!x || !detail::replaces_all_v<value_type>) {
      if constexpr (layout::needs_factory_v<value_type>) {
        x.emplace(detail::make_element<value_type>());
      } else {
        layout::require_creatable<value_type>();
        x.emplace();
      }
    }
    return f.enter() && f.apply(*x) && f.leave();
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  CAFWIRE_INLINE static size_t bound(const T& x) noexcept
    requires(detail::packed_saving<value_type>) {
    return x ? 1 + detail::packed_writer::bound(*x) : 1;
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const T& x) noexcept
    requires(detail::packed_saving<value_type>) {
    w.put(static_cast<bool>(x));
    if (x)
      w.put(*x);
  }
  // clang-format on

  static void schema(layout::schema_builder& f) {
    f.varying_of<value_type>("opt", 1);
  }
};

/// Variants: the index of the alternative, then its value. Alternatives need no type ID and may
/// occur twice.
template <class T>
requires(compat::variant_traits<T>::size > 0) struct formatter<T> {
  using traits = compat::variant_traits<T>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const T& x) {
    return save_at(f, x, std::make_index_sequence<traits::size>{});
  }

  static bool load(deserializer& f, T& x) {
    uint64_t index = 0;
    if (!f.varint(index))
      return false;
    if (index >= traits::size)
      return f.fail(ec::invalid_variant_index);
    return f.enter() && load_at(f, x, index, std::make_index_sequence<traits::size>{}) && f.leave();
  }

  static void schema(layout::schema_builder& f) {
    traits::template rebind<alternatives>::schema(f);
  }

private:
  template <class... Ts>
  struct alternatives {
    static void schema(layout::schema_builder& f) {
      f.varying_of<Ts...>("var", 1);
    }
  };

  template <size_t... Is>
  static bool save_at(serializer& f, const T& x, std::index_sequence<Is...>) {
    auto ok = false;
    auto found
      = ((x.index() == Is && (ok = f.varint(Is) && f.apply(traits::template get<Is>(x)), true))
         || ...);
    return found ? ok : f.fail(ec::valueless_variant);
  }

  template <size_t... Is>
  static bool load_at(deserializer& f, T& x, uint64_t index, std::index_sequence<Is...>) {
    auto ok = false;
    std::ignore = ((index == Is && (ok = f.apply(emplace<Is>(x)), true)) || ...);
    return ok;
  }

  template <size_t I>
  static auto& emplace(T& x) {
    using alternative = std::decay_t<decltype(traits::template get<I>(x))>;
    if constexpr (layout::needs_factory_v<alternative>) {
      return traits::template emplace<I>(x, detail::make_element<alternative>());
    } else {
      layout::require_creatable<alternative>();
      return traits::template emplace<I>(x);
    }
  }
};

} // namespace cafwire
