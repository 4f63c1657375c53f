// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/error.hpp>
#include <caf/type_id.hpp>

#include <memory>
#include <type_traits>
#include <utility>

/// Small functions that must disappear: the layout probe only pays if a compiler can reduce an
/// `inspect` overload to a constant, and encoding a field must not cost a call.
#define CAFWIRE_INLINE [[gnu::always_inline]] inline

/// The same for lambda expressions: stands behind the parameters.
#define CAFWIRE_INLINE_LAMBDA __attribute__((always_inline))

namespace cafwire {

// CAF's inspection DSL (`f.object(x).fields(f.field("a", x.a), ...)`) as two mixins. An inspector
// derives from one of them and says with a handful of functions what a field means to it. CAF's own
// base classes serve one purpose only and have a virtual destructor and an error object, which is
// too much for inspectors that live for three nanoseconds.

/// The parts of CAF's inspector interface that have no bytes in the encoding: where objects, tuples
/// and pairs begin and end.
struct structure_without_bytes {
  CAFWIRE_INLINE bool begin_object(caf::type_id_t, compat::string_view) noexcept {
    return true;
  }

  CAFWIRE_INLINE bool end_object() noexcept {
    return true;
  }

  bool begin_tuple(size_t) noexcept {
    return true;
  }

  bool end_tuple() noexcept {
    return true;
  }

  bool begin_key_value_pair() noexcept {
    return true;
  }

  bool end_key_value_pair() noexcept {
    return true;
  }
};

/// Implements the DSL for inspectors that read from objects.
///
/// `Subtype` provides:
/// - `bool member(name, x)`: a field by reference;
/// - `bool member_or_fallback(name, x, fallback)`: a field by reference with a fallback;
/// - `bool computed(name, get)`: a field by getter;
/// - `bool computed_or_fallback(name, get, fallback)`: a field by getter with a fallback;
/// - `bool optional_computed(name, is_present, get)`: a field that may be absent;
/// - `bool save_callback(fun)`: the `on_save` callback behind the last field.
template <class Subtype>
class save_dsl : public structure_without_bytes {
public:
  static constexpr bool is_loading = false;

  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  // -- fields -------------------------------------------------------------------------------------

  template <class T, class U>
  struct fallback_field {
    compat::string_view name;
    T* value;
    U fallback;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.member_or_fallback(name, *value, fallback);
    }

    template <class Predicate>
    fallback_field&& invariant(Predicate&&) && {
      return std::move(*this);
    }
  };

  template <class T>
  struct plain_field {
    using plain_type = T;

    compat::string_view name;
    T* value;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.member(name, *value);
    }

    template <class U>
    auto fallback(U other) && {
      return fallback_field<T, U>{name, value, std::move(other)};
    }

    template <class Predicate>
    plain_field&& invariant(Predicate&&) && {
      return std::move(*this);
    }
  };

  template <class Get, class U>
  struct computed_fallback_field {
    compat::string_view name;
    Get get;
    U fallback;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.computed_or_fallback(name, get, fallback);
    }

    template <class Predicate>
    computed_fallback_field&& invariant(Predicate&&) && {
      return std::move(*this);
    }
  };

  template <class Get>
  struct computed_field {
    compat::string_view name;
    Get get;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.computed(name, get);
    }

    template <class U>
    auto fallback(U other) && {
      return computed_fallback_field<Get, U>{name, std::move(get), std::move(other)};
    }

    template <class Predicate>
    computed_field&& invariant(Predicate&&) && {
      return std::move(*this);
    }
  };

  template <class IsPresent, class Get>
  struct optional_computed_field {
    compat::string_view name;
    IsPresent is_present;
    Get get;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.optional_computed(name, is_present, get);
    }
  };

  template <class T>
  static plain_field<T> field(compat::string_view name, T& x) {
    static_assert(!std::is_const_v<T>);
    return {name, std::addressof(x)};
  }

  template <class Get, class Set>
  static computed_field<Get> field(compat::string_view name, Get get, Set&&) {
    return {name, std::move(get)};
  }

  template <class IsPresent, class Get, class Reset, class Set>
  static optional_computed_field<IsPresent, Get>
  field(compat::string_view name, IsPresent is_present, Get get, Reset&&, Set&&) {
    return {name, std::move(is_present), std::move(get)};
  }

  /// Visits the fields of an object one by one. A `Subtype` that knows better has its own version.
  template <class... Fields>
  CAFWIRE_INLINE bool members(Fields&... xs) {
    return (xs(*static_cast<Subtype*>(this)) && ...);
  }

  // -- objects ------------------------------------------------------------------------------------

  template <class Callback>
  struct callback_object {
    Subtype* self;
    caf::type_id_t type;
    compat::string_view name;
    Callback callback;

    template <class... Fields>
    CAFWIRE_INLINE bool fields(Fields&&... xs) {
      return self->begin_object(type, name) && self->members(xs...) && self->save_callback(callback)
             && self->end_object();
    }

    template <class F>
    callback_object&& on_load(F&&) && {
      return std::move(*this);
    }

    callback_object&& pretty_name(compat::string_view new_name) && {
      name = new_name;
      return std::move(*this);
    }
  };

  struct plain_object {
    Subtype* self;
    caf::type_id_t type;
    compat::string_view name;

    template <class... Fields>
    CAFWIRE_INLINE bool fields(Fields&&... xs) {
      return self->begin_object(type, name) && self->members(xs...) && self->end_object();
    }

    template <class F>
    plain_object&& on_load(F&&) && {
      return std::move(*this);
    }

    template <class F>
    callback_object<F> on_save(F fun) && {
      return {self, type, name, std::move(fun)};
    }

    plain_object&& pretty_name(compat::string_view new_name) && {
      name = new_name;
      return std::move(*this);
    }
  };

  template <class T>
  plain_object object(T&) noexcept {
    return {static_cast<Subtype*>(this), caf::type_id_or_invalid<T>(),
            caf::type_name_or_anonymous<T>()};
  }

  plain_object virtual_object(compat::string_view type_name) noexcept {
    return {static_cast<Subtype*>(this), caf::invalid_type_id, type_name};
  }
};

/// Implements the DSL for inspectors that write to objects.
///
/// `Subtype` provides:
/// - `bool member(name, x, predicate)`: a field by reference with its invariant;
/// - `bool member_or_fallback(name, x, predicate, fallback)`;
/// - `bool assigned<T>(name, set, predicate)`: a field of type `T` by setter; `set` returns bool,
///   void or `caf::error`;
/// - `bool assigned_or_fallback<T>(name, set, predicate, fallback)`;
/// - `bool optional_assigned<T>(name, reset, set)`: a field that may be absent;
/// - `bool load_callback(fun)`: the `on_load` callback behind the last field.
template <class Subtype>
class load_dsl : public structure_without_bytes {
public:
  static constexpr bool is_loading = true;

  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  /// The invariant of a field without one.
  struct no_invariant {
    template <class T>
    constexpr bool operator()(T&&) const noexcept {
      return true;
    }
  };

  // -- fields -------------------------------------------------------------------------------------

  template <class T, class Predicate, class U>
  struct fallback_field {
    compat::string_view name;
    T* value;
    Predicate predicate;
    U fallback;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.member_or_fallback(name, *value, predicate, fallback);
    }

    template <class OtherPredicate>
    auto invariant(OtherPredicate pred) && {
      return fallback_field<T, OtherPredicate, U>{name, value, std::move(pred),
                                                  std::move(fallback)};
    }
  };

  template <class T, class Predicate>
  struct plain_field {
    using plain_type = T;

    compat::string_view name;
    T* value;
    Predicate predicate;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.member(name, *value, predicate);
    }

    template <class U>
    auto fallback(U other) && {
      return fallback_field<T, Predicate, U>{name, value, std::move(predicate), std::move(other)};
    }

    template <class OtherPredicate>
    auto invariant(OtherPredicate pred) && {
      return plain_field<T, OtherPredicate>{name, value, std::move(pred)};
    }
  };

  template <class T, class Set, class Predicate, class U>
  struct assigned_fallback_field {
    compat::string_view name;
    Set set;
    Predicate predicate;
    U fallback;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.template assigned_or_fallback<T>(name, set, predicate, fallback);
    }

    template <class OtherPredicate>
    auto invariant(OtherPredicate pred) && {
      return assigned_fallback_field<T, Set, OtherPredicate, U>{name, std::move(set),
                                                                std::move(pred),
                                                                std::move(fallback)};
    }
  };

  template <class T, class Set, class Predicate>
  struct assigned_field {
    compat::string_view name;
    Set set;
    Predicate predicate;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.template assigned<T>(name, set, predicate);
    }

    template <class U>
    auto fallback(U other) && {
      return assigned_fallback_field<T, Set, Predicate, U>{name, std::move(set),
                                                           std::move(predicate), std::move(other)};
    }

    template <class OtherPredicate>
    auto invariant(OtherPredicate pred) && {
      return assigned_field<T, Set, OtherPredicate>{name, std::move(set), std::move(pred)};
    }
  };

  template <class T, class Reset, class Set>
  struct optional_assigned_field {
    compat::string_view name;
    Reset reset;
    Set set;

    CAFWIRE_INLINE bool operator()(Subtype& f) {
      return f.template optional_assigned<T>(name, reset, set);
    }
  };

  template <class T>
  static plain_field<T, no_invariant> field(compat::string_view name, T& x) {
    static_assert(!std::is_const_v<T>);
    return {name, std::addressof(x), {}};
  }

  template <class Get, class Set>
  static auto field(compat::string_view name, Get get, Set set) {
    using type = std::decay_t<decltype(get())>;
    return assigned_field<type, Set, no_invariant>{name, std::move(set), {}};
  }

  template <class IsPresent, class Get, class Reset, class Set>
  static auto field(compat::string_view name, IsPresent&&, Get get, Reset reset, Set set) {
    using type = std::decay_t<decltype(get())>;
    return optional_assigned_field<type, Reset, Set>{name, std::move(reset), std::move(set)};
  }

  /// Visits the fields of an object one by one. A `Subtype` that knows better has its own version.
  template <class... Fields>
  CAFWIRE_INLINE bool members(Fields&... xs) {
    return (xs(*static_cast<Subtype*>(this)) && ...);
  }

  // -- objects ------------------------------------------------------------------------------------

  template <class Callback>
  struct callback_object {
    Subtype* self;
    caf::type_id_t type;
    compat::string_view name;
    Callback callback;

    template <class... Fields>
    CAFWIRE_INLINE bool fields(Fields&&... xs) {
      return self->begin_object(type, name) && self->members(xs...) && self->load_callback(callback)
             && self->end_object();
    }

    template <class F>
    callback_object&& on_save(F&&) && {
      return std::move(*this);
    }

    callback_object&& pretty_name(compat::string_view new_name) && {
      name = new_name;
      return std::move(*this);
    }
  };

  struct plain_object {
    Subtype* self;
    caf::type_id_t type;
    compat::string_view name;

    template <class... Fields>
    CAFWIRE_INLINE bool fields(Fields&&... xs) {
      return self->begin_object(type, name) && self->members(xs...) && self->end_object();
    }

    template <class F>
    plain_object&& on_save(F&&) && {
      return std::move(*this);
    }

    template <class F>
    callback_object<F> on_load(F fun) && {
      return {self, type, name, std::move(fun)};
    }

    plain_object&& pretty_name(compat::string_view new_name) && {
      name = new_name;
      return std::move(*this);
    }
  };

  template <class T>
  plain_object object(T&) noexcept {
    return {static_cast<Subtype*>(this), caf::type_id_or_invalid<T>(),
            caf::type_name_or_anonymous<T>()};
  }

  plain_object virtual_object(compat::string_view type_name) noexcept {
    return {static_cast<Subtype*>(this), caf::invalid_type_id, type_name};
  }
};

/// Calls a setter that returns bool, void or an error; `on_error` gets the error.
template <class Set, class T, class OnError>
CAFWIRE_INLINE bool call_setter(Set& set, T&& value, OnError&& on_error) {
  using result = decltype(set(std::forward<T>(value)));
  if constexpr (std::is_same_v<result, bool>) {
    return set(std::forward<T>(value));
  } else if constexpr (std::is_void_v<result>) {
    set(std::forward<T>(value));
    return true;
  } else {
    static_assert(std::is_convertible_v<result, caf::error>,
                  "a setter must return caf::error, bool or void");
    auto err = caf::error{set(std::forward<T>(value))};
    if (err.empty())
      return true;
    on_error(std::move(err));
    return false;
  }
}

/// Calls an `on_save` or `on_load` callback that returns bool or an error.
template <class Callback, class OnError>
CAFWIRE_INLINE bool call_callback(Callback& callback, OnError&& on_error) {
  if constexpr (std::is_same_v<decltype(callback()), bool>) {
    return callback();
  } else {
    auto err = caf::error{callback()};
    if (err.empty())
      return true;
    on_error(std::move(err));
    return false;
  }
}

} // namespace cafwire
