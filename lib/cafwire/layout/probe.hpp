// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/inspection_dsl.hpp"
#include "cafwire/layout/type_traits.hpp"

#include <caf/error.hpp>
#include <caf/inspector_access.hpp>
#include <caf/span.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace cafwire::layout {

/// What keeps the bytes of an object from being its encoding. A set of bits.
enum obstacle : uint32_t {
  /// The overload visits memory outside of the object or out of order: a temporary, a pointee, a
  /// reference member, the copy of a bit field, a field twice.
  out_of_place = 1,
  /// A getter that returns by value, or a setter.
  computed_value = 2,
  /// The encoding has no fixed size: optional, variant, sequence, string, fallback.
  dynamic_size = 4,
  /// An `on_save` or `on_load` callback.
  has_callback = 8,
  /// The overload returned false.
  refused = 16,
  /// The object changed although the probe wrote nothing.
  changed_object = 32,
};

/// What a probe looks for.
enum class probe_mode {
  /// Follows the fields in the order in which they are written.
  save,
  /// Follows the fields in the order in which they are read, without judging values.
  load,
  /// The same on an object that was just copied from the wire: also tests the bytes of `bool`,
  /// lets enums judge their integer, and runs invariants.
  accept,
};

/// Runs a user's `inspect` overload over an object to learn whether the bytes of the object are
/// exactly its encoding: every leaf is visited by plain reference, each right behind the last.
///
/// The probe moves no data. Its state is two words, and for an overload that only lists fields, a
/// compiler reduces the whole run to a constant. It is not a CAF inspector by inheritance, because
/// their virtual destructor and error object would prevent that.
template <probe_mode Mode>
class probe : public std::conditional_t<Mode == probe_mode::save, save_dsl<probe<Mode>>,
                                        load_dsl<probe<Mode>>> {
public:
  static constexpr bool loads = Mode != probe_mode::save;

  static constexpr bool judges = Mode == probe_mode::accept;

  explicit probe(const void* object) noexcept : base_(static_cast<const std::byte*>(object)) {
    // nop
  }

  // -- the verdict --------------------------------------------------------------------------------

  /// Bytes of the encoding so far.
  CAFWIRE_INLINE size_t encoded_size() const noexcept {
    return pos_;
  }

  CAFWIRE_INLINE uint32_t obstacles() const noexcept {
    return obstacles_;
  }

  /// Starts over with another object.
  CAFWIRE_INLINE void rebase(const void* object) noexcept {
    base_ = static_cast<const std::byte*>(object);
    pos_ = 0;
  }

  // -- errors: nobody reads them ------------------------------------------------------------------

  template <class... Ts>
  void emplace_error(Ts&&...) noexcept {
    obstacles_ |= refused;
  }

  void set_error(const caf::error&) noexcept {
    obstacles_ |= refused;
  }

  caf::error get_error() const noexcept {
    return {};
  }

  // -- recursion ----------------------------------------------------------------------------------

  template <class T>
  [[nodiscard]] CAFWIRE_INLINE bool apply(const T& cx) {
    using type = std::remove_volatile_t<T>;
    auto& x = const_cast<type&>(cx);
    if constexpr (std::is_volatile_v<T>) {
      obstacles_ |= out_of_place;
      return true;
    } else if constexpr (std::is_array_v<type>) {
      return elements(x, std::extent_v<type>);
    } else if constexpr (is_std_array<type>::value) {
      return elements(x, x.size());
    } else if constexpr (std::is_same_v<type, long double>) {
      obstacles_ |= out_of_place;
      pos_ += long_double_size;
      return true;
    } else if constexpr (std::is_same_v<type, bool>) {
      return leaf(x) && (!judges || raw_bits(x) < 2);
    } else if constexpr (std::is_arithmetic_v<type> || is_byte_v<type>) {
      return leaf(x);
    } else if constexpr (chrono_type<type>) {
      static_assert(sizeof(type) == sizeof(chrono_rep<type>));
      if constexpr (plain_number<chrono_rep<type>>)
        return leaf(x);
      else
        return apply(reinterpret_cast<chrono_rep<type>&>(x));
    } else if constexpr (enumeration<type>) {
      return enumerator(x);
    } else if constexpr (is_complex<type>::value) {
      using part = typename type::value_type;
      return elements(reinterpret_cast<part(&)[2]>(x), 2);
    } else if constexpr (is_tuple<type>::value) {
      return std::apply([this](auto&... ys) { return (this->apply(ys) && ...); }, x);
    } else if constexpr (caf::detail::is_complete<formatter<type>> || disable_blit<type>) {
      obstacles_ |= dynamic_size;
      return true;
    } else if constexpr (has_inspector_access_v<type>) {
      return caf::inspector_access<type>::apply(*this, x);
    } else if constexpr (inspectable<probe, type>) {
      return inspect(*this, x);
    } else if constexpr (std::is_empty_v<type>) {
      return true;
    } else {
      obstacles_ |= dynamic_size;
      return true;
    }
  }

  template <class Get, class Set>
  [[nodiscard]] CAFWIRE_INLINE bool apply(Get&& get, Set&&) {
    return by_getter(get);
  }

  template <class T>
  CAFWIRE_INLINE bool builtin_inspect(T& x) {
    return apply(x);
  }

  template <class T>
  CAFWIRE_INLINE bool value(const T& x) {
    if constexpr (std::is_arithmetic_v<T> || is_byte_v<T>) {
      return apply(x);
    } else {
      return dynamic();
    }
  }

  bool value(caf::span<compat::byte> xs) noexcept {
    return run(xs.data(), xs.size());
  }

  bool value(caf::span<const compat::byte> xs) noexcept {
    return run(xs.data(), xs.size());
  }

  template <class T>
  CAFWIRE_INLINE bool tuple(T& x) {
    return apply(x);
  }

  template <class T>
  bool list(T&) noexcept {
    return dynamic();
  }

  template <class T>
  bool map(T&) noexcept {
    return dynamic();
  }

  // -- the DSL ------------------------------------------------------------------------------------

  template <class T>
  CAFWIRE_INLINE bool member(compat::string_view, T& x) {
    return apply(x);
  }

  template <class T, class Predicate>
  CAFWIRE_INLINE bool member(compat::string_view, T& x, Predicate& predicate) {
    if constexpr (judges)
      return apply(x) && predicate(x);
    else
      return apply(x);
  }

  template <class... Ts>
  bool member_or_fallback(compat::string_view, Ts&...) noexcept {
    return dynamic();
  }

  template <class Get>
  CAFWIRE_INLINE bool computed(compat::string_view, Get& get) {
    return by_getter(get);
  }

  template <class... Ts>
  bool computed_or_fallback(compat::string_view, Ts&...) noexcept {
    return dynamic();
  }

  template <class... Ts>
  bool optional_computed(compat::string_view, Ts&...) noexcept {
    return dynamic();
  }

  // Setters are never called: the probe has no values to hand out.
  template <class T, class... Ts>
  bool assigned(compat::string_view, Ts&...) noexcept {
    obstacles_ |= computed_value;
    return true;
  }

  template <class T, class... Ts>
  bool assigned_or_fallback(compat::string_view, Ts&...) noexcept {
    return dynamic();
  }

  template <class T, class... Ts>
  bool optional_assigned(compat::string_view, Ts&...) noexcept {
    return dynamic();
  }

  template <class Callback>
  bool save_callback(Callback&) noexcept {
    obstacles_ |= has_callback;
    return true;
  }

  template <class Callback>
  bool load_callback(Callback&) noexcept {
    obstacles_ |= has_callback;
    return true;
  }

  // -- calls by hand ------------------------------------------------------------------------------

  CAFWIRE_INLINE bool begin_field(compat::string_view) noexcept {
    return true;
  }

  template <class T, class... Ts>
  bool begin_field(compat::string_view, T&&, Ts&&...) noexcept {
    return dynamic();
  }

  CAFWIRE_INLINE bool end_field() noexcept {
    return true;
  }

  template <class T>
  bool begin_sequence(T&& size) noexcept {
    return begin_container(size);
  }

  bool end_sequence() noexcept {
    return true;
  }

  template <class T>
  bool begin_associative_array(T&& size) noexcept {
    return begin_container(size);
  }

  bool end_associative_array() noexcept {
    return true;
  }

  bool fetch_next_object_type(caf::type_id_t& id) noexcept {
    id = caf::invalid_type_id;
    obstacles_ |= refused;
    return false;
  }

private:
  bool dynamic() noexcept {
    obstacles_ |= dynamic_size;
    return true;
  }

  template <class T>
  bool begin_container(T& size) noexcept {
    if constexpr (loads && !std::is_const_v<T>)
      size = 0;
    return dynamic();
  }

  CAFWIRE_INLINE bool run(const void* data, size_t size) noexcept {
    if (static_cast<const std::byte*>(data) != base_ + pos_)
      obstacles_ |= out_of_place;
    pos_ += size;
    return true;
  }

  template <class T>
  CAFWIRE_INLINE bool leaf(const T& x) noexcept {
    return run(std::addressof(x), sizeof(T));
  }

  template <class T>
  CAFWIRE_INLINE bool enumerator(T& x) {
    using integer = std::underlying_type_t<T>;
    leaf(x);
    if constexpr (judges && std::is_same_v<integer, bool>)
      if (raw_bits(x) > 1)
        return false;
    integer raw;
    std::memcpy(&raw, std::addressof(x), sizeof raw);
    if constexpr (!loads) {
      enum_saver<integer> f{raw};
      if constexpr (inspectable<enum_saver<integer>, T>)
        if (!inspect(f, x) || !f.wrote_underlying())
          obstacles_ |= computed_value;
    } else if constexpr (inspectable<enum_loader<integer>, T>) {
      enum_loader<integer> f{raw};
      // The overload may map the integer to another value: let it write into the object when it
      // judges, but only into a copy when it does not.
      if constexpr (judges) {
        return inspect(f, x);
      } else {
        auto copy = x;
        std::ignore = inspect(f, copy);
        if (f.asked_otherwise())
          obstacles_ |= computed_value;
      }
    }
    return true;
  }

  template <class Get>
  CAFWIRE_INLINE bool by_getter(Get& get) {
    if constexpr (!loads && std::is_lvalue_reference_v<decltype(get())>) {
      return apply(get());
    } else {
      obstacles_ |= computed_value;
      return true;
    }
  }

  template <class Array>
  CAFWIRE_INLINE bool elements(Array& xs, size_t n) {
    using type = std::remove_cvref_t<decltype(xs[0])>;
    if (n == 0)
      return true;
    if constexpr (plain_number<type>) {
      return run(std::addressof(xs[0]), n * sizeof(type));
    } else if constexpr (std::is_same_v<type, bool>) {
      auto bits = 0u;
      if constexpr (judges)
        for (size_t i = 0; i < n; ++i)
          bits |= raw_bits(xs[i]);
      return run(std::addressof(xs[0]), n) && bits < 2;
    } else {
      // Each element is followed from its own address, so that a compiler sees a loop whose rounds
      // do not depend on each other and can drop it.
      const auto* outer_base = base_;
      const auto outer_pos = pos_;
      auto ok = true;
      auto filled = true;
      for (size_t i = 0; i < n; ++i) {
        rebase(std::addressof(xs[i]));
        ok &= apply(xs[i]);
        filled &= pos_ == sizeof(type);
      }
      base_ = outer_base;
      pos_ = outer_pos;
      if (!filled)
        obstacles_ |= out_of_place;
      run(std::addressof(xs[0]), n * sizeof(type));
      return ok;
    }
  }

  const std::byte* base_;
  size_t pos_ = 0;
  uint32_t obstacles_ = 0;
};

} // namespace cafwire::layout
