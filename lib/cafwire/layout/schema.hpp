// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/blit.hpp"
#include "cafwire/layout/factory.hpp"
#include "cafwire/layout/inspection_dsl.hpp"
#include "cafwire/layout/refuse_type.hpp"
#include "cafwire/layout/type_traits.hpp"

#include <caf/error.hpp>
#include <caf/inspector_access.hpp>
#include <caf/type_id.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cafwire::layout {

/// The identity of a struct inside of this program.
template <class T>
inline constexpr char struct_key = 0;

/// Writes a new object of type `T`. Defined in `cafwire/inspect/default_value.hpp`.
template <class T>
[[gnu::cold]] ec save_default(output_buffer& out);

/// What readers of other versions of a struct need, and its schema does not tell.
struct struct_info {
  /// The address of the `struct_key` of the type.
  const void* key = nullptr;
  /// Writes a new object. `nullptr` if nothing can create one.
  ec (*save_default)(output_buffer&) = nullptr;
};

/// What a type looks like on the wire.
struct type_schema {
  /// The canonical text: the type, then the definitions of all named types inside of it. Logical
  /// only: no offsets, no padding. See `docs/wire-format.md` for the grammar.
  std::string text;
  /// XXH3-64 of the text. Equal fingerprints mean equal encodings.
  uint64_t fingerprint = 0;
  /// The least number of bytes that a value takes.
  size_t min_size = 0;
  /// Whether all values take `min_size` bytes.
  bool fixed_size = false;
  /// All structs of the text, in the order of `schema_tree::structures()`.
  std::vector<struct_info> structs;
};

/// Hashes the canonical text of a schema with XXH3-64.
uint64_t fingerprint_of(std::string_view text) noexcept;

/// The name of an arithmetic type in schemas.
template <class T>
constexpr std::string_view number_name() noexcept {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (is_byte_v<T>)
    return "u8";
  else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, char8_t>)
    return "c8";
  else if constexpr (std::is_same_v<T, char16_t>)
    return "c16";
  else if constexpr (std::is_same_v<T, char32_t>)
    return "c32";
  else if constexpr (std::is_same_v<T, wchar_t>)
    return sizeof(T) == 2 ? "c16" : "c32";
  else if constexpr (std::is_same_v<T, long double>)
    return "f80";
  else if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? "f32" : "f64";
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? "i8"
           : sizeof(T) == 2 ? "i16"
           : sizeof(T) == 4 ? "i32"
           : sizeof(T) == 8 ? "i64"
                            : "i128";
  else
    return sizeof(T) == 1   ? "u8"
           : sizeof(T) == 2 ? "u16"
           : sizeof(T) == 4 ? "u32"
           : sizeof(T) == 8 ? "u64"
                            : "u128";
}

/// Writes the schema of a type by running its `inspect` overload. Formatters describe themselves
/// with `fixed`, `varying` and `varying_of`.
class schema_builder : public save_dsl<schema_builder> {
public:
  // -- for formatters -----------------------------------------------------------------------------

  // What does not depend on types is never inlined: this code runs once per type, and programs
  // have many types.

  /// Appends a type of a known size.
  void fixed(std::string_view text, size_t size);

  /// Appends a type whose values differ in size.
  void varying(std::string_view text, size_t min_size);

  /// Appends a type that is built from others, such as `seq(T)`. The sizes of the others do not
  /// count.
  template <class... Ts>
  void varying_of(std::string_view head, size_t min_size) {
    varying_with(head, min_size, [this] { (item<Ts>(), ...); });
  }

  /// Appends a type that is built from what `append` appends.
  template <class Append>
  void varying_with(std::string_view head, size_t min_size, Append append) {
    auto outer = size_;
    open(head);
    append();
    close();
    size_ = {outer.min + min_size, false};
  }

  /// Appends the name of what is appended next.
  void name(std::string_view name) {
    field_name(compat::from_std(name), false);
  }

  /// Appends types one behind the other, as `(T,U)`.
  template <class... Ts>
  void group_of() {
    open({});
    (item<Ts>(), ...);
    close();
  }

  /// Appends the type `T`.
  /// @param object an object of the type, where there is one.
  template <class T>
  void type(T* object = nullptr) {
    using plain = std::remove_cv_t<T>;
    if constexpr (std::is_array_v<plain>) {
      repeated<std::remove_extent_t<plain>>(std::extent_v<plain>);
    } else if constexpr (is_std_array<plain>::value) {
      repeated<typename plain::value_type>(std::tuple_size_v<plain>);
    } else if constexpr (std::is_arithmetic_v<plain> || is_byte_v<plain>) {
      fixed(number_name<plain>(), number_size_v<plain>);
    } else if constexpr (enumeration<plain>) {
      enumeration_type<plain>();
    } else if constexpr (chrono_type<plain>) {
      chrono_of<plain>();
    } else if constexpr (is_tuple<plain>::value) {
      tuple_of(static_cast<plain*>(nullptr));
    } else if constexpr (caf::detail::is_complete<formatter<plain>>) {
      formatter<plain>::schema(*this);
    } else {
      object_type<plain>(const_cast<plain*>(object));
    }
  }

  /// Returns what was built and starts over.
  type_schema finish();

  // -- the DSL ------------------------------------------------------------------------------------

  template <class T>
  bool member(compat::string_view name, T& x) {
    field_name(name, false);
    type(std::addressof(x));
    return true;
  }

  template <class T, class U>
  bool member_or_fallback(compat::string_view name, T& x, U&) {
    field_name(name, true);
    absent_or([&] { type(std::addressof(x)); });
    return true;
  }

  template <class Get>
  bool computed(compat::string_view name, Get&) {
    field_name(name, false);
    type<std::decay_t<decltype(std::declval<Get&>()())>>();
    return true;
  }

  template <class Get, class U>
  bool computed_or_fallback(compat::string_view name, Get&, U&) {
    return maybe<std::decay_t<decltype(std::declval<Get&>()())>>(name);
  }

  template <class IsPresent, class Get>
  bool optional_computed(compat::string_view name, IsPresent&, Get&) {
    return maybe<std::decay_t<decltype(std::declval<Get&>()())>>(name);
  }

  template <class Callback>
  bool save_callback(Callback&) noexcept {
    return true;
  }

  template <class T>
  bool apply(const T& x) {
    separator();
    type(const_cast<T*>(std::addressof(x)));
    return true;
  }

  template <class Get, class Set>
  bool apply(Get&&, Set&&) {
    separator();
    type<std::decay_t<decltype(std::declval<Get&>()())>>();
    return true;
  }

  template <class T>
  bool builtin_inspect(T& x) {
    return apply(x);
  }

  template <class T>
  bool value(const T& x) {
    return apply(x);
  }

  bool value(caf::span<const compat::byte> xs) {
    separator();
    repeated<std::byte>(xs.size());
    return true;
  }

  bool value(caf::span<compat::byte> xs) {
    return value(caf::span<const compat::byte>{xs.data(), xs.size()});
  }

  bool value(compat::string_view) {
    separator();
    varying_of<char>("seq", 1);
    return true;
  }

  template <class T>
  bool list(T& xs) {
    return apply(xs);
  }

  template <class T>
  bool map(T& xs) {
    return apply(xs);
  }

  template <class T>
  bool tuple(T& xs) {
    return apply(xs);
  }

  // -- calls by hand ------------------------------------------------------------------------------

  bool begin_field(compat::string_view name) {
    field_name(name, false);
    return true;
  }

  template <class... Ts>
  bool begin_field(compat::string_view name, Ts&&...) {
    field_name(name, true);
    size_.fixed = false;
    return true;
  }

  bool end_field() noexcept {
    name_end_ = 0;
    return true;
  }

  bool begin_sequence(size_t) {
    separator();
    varying("seq(?)", 1);
    return true;
  }

  bool end_sequence() noexcept {
    return true;
  }

  bool begin_associative_array(size_t) {
    separator();
    varying("map(?)", 1);
    return true;
  }

  bool end_associative_array() noexcept {
    return true;
  }

  // -- errors: a schema is built from what was seen -----------------------------------------------

  template <class... Ts>
  void emplace_error(Ts&&...) noexcept {
    // nop
  }

  void set_error(const caf::error&) noexcept {
    // nop
  }

  caf::error get_error() const noexcept {
    return {};
  }

private:
  struct size_info {
    size_t min = 0;
    bool fixed = true;
  };

  /// A named type, or an unnamed one that is being described right now.
  struct definition {
    const void* key;
    std::string name;
    std::string text;
    size_info size;
    bool complete;
  };

  /// What stands around a definition that is being written.
  struct open_definition {
    size_t start;
    size_info size;
  };

  template <class T>
  void item() {
    separator();
    type<T>();
  }

  template <class T>
  bool maybe(compat::string_view name) {
    field_name(name, true);
    absent_or([&] { type<T>(); });
    return true;
  }

  /// Appends the type of a field that takes no bytes if it is absent.
  template <class Append>
  void absent_or(Append append) {
    auto outer = size_.min;
    append();
    size_ = {outer, false};
  }

  template <class T>
  void repeated(size_t n) {
    auto outer = size_;
    repetition(n);
    type<T>();
    size_ = {outer.min + n * size_.min, outer.fixed && (size_.fixed || n == 0)};
  }

  template <class... Ts>
  void tuple_of(std::tuple<Ts...>*) {
    group_of<Ts...>();
  }

  template <class T, class U>
  void tuple_of(std::pair<T, U>*) {
    group_of<T, U>();
  }

  template <class T>
  void enumeration_type() {
    using integer = std::underlying_type_t<T>;
    if constexpr (inspectable<enum_saver<integer>, T>) {
      auto x = T{};
      enum_saver<integer> f{static_cast<integer>(x)};
      if (!inspect(f, x) || !f.wrote_underlying()) {
        // Writes something else than its integer: describe that.
        std::ignore = inspect(*this, x);
        return;
      }
    }
    open("enum");
    fixed(number_name<integer>(), sizeof(integer));
    close();
  }

  template <class T>
  void chrono_of() {
    using period = typename T::period;
    open(is_duration<T>::value ? "duration" : "time_point");
    type<chrono_rep<T>>();
    text_ += ',';
    text_ += std::to_string(period::num);
    text_ += '/';
    text_ += std::to_string(period::den);
    close();
  }

  template <class T>
  void object_type(T* object) {
    const auto* key = static_cast<const void*>(&struct_key<T>);
    auto name = compat::to_std(caf::type_name_or_anonymous<T>());
    auto named = name != "anonymous";
    if constexpr (caf::has_type_id_v<T>) {
      if (caf::type_id_v<T> < caf::first_custom_type_id) {
        // The encoding of CAF's own types is fixed by the format.
        varying(name, 0);
        return;
      }
    }
    open_definition outer;
    if (begin_definition(key, named ? name : std::string_view{}, outer))
      return;
    structs_.push_back({key, nullptr});
    if constexpr (is_creatable<T>::value)
      structs_.back().save_default = save_default<T>;
    if (object != nullptr) {
      run(*object);
    } else if constexpr (has_factory_v<T>) {
      auto tmp = make_element<T>();
      run(tmp);
    } else if constexpr (std::is_default_constructible_v<T> || std::is_trivially_copyable_v<T>) {
      probe_object<T> tmp;
      run(tmp.get());
    } else {
      varying("?", 0);
    }
    end_definition(key, outer);
  }

  template <class T>
  void run(T& x) {
    if constexpr (has_inspector_access_v<T>)
      std::ignore = caf::inspector_access<T>::apply(*this, x);
    else if constexpr (inspectable<schema_builder, T>)
      std::ignore = inspect(*this, x);
    else if constexpr (!std::is_empty_v<T>)
      refuse_type<T>();
  }

  /// Appends a reference if the type has been seen before. Otherwise, opens a definition and
  /// returns false.
  bool begin_definition(const void* key, std::string_view name, open_definition& outer);

  /// Closes a definition: moves its text out of the text around it if it has a name.
  void end_definition(const void* key, const open_definition& outer);

  /// Appends `head(`.
  void open(std::string_view head);

  /// Appends `)`.
  void close();

  /// Appends `[n]`, and starts to add up the size of what is repeated.
  void repetition(size_t n);

  void separator();

  void field_name(compat::string_view name, bool may_be_absent);

  std::string text_;
  size_info size_;
  /// Where the name of the last field ends, unless something is known to stand behind it.
  size_t name_end_ = 0;
  std::vector<definition> definitions_;
  std::vector<struct_info> structs_;
};

/// Returns what a function describes.
type_schema build_schema(void (*describe)(schema_builder&));

/// Returns the schema of `T`, computed on first use. Thread-safe.
template <class T>
const type_schema& schema_of() {
  static const auto schema = build_schema([](schema_builder& builder) { builder.type<T>(); });
  return schema;
}

namespace detail {

/// The result of `fixed_size_of` plus one, or 0 if nobody has asked yet, so that asking costs one
/// load and one branch. Threads that race compute the same number.
template <class T>
inline std::atomic<size_t> known_fixed_size{0};

template <class T>
[[gnu::noinline]] size_t find_fixed_size() {
  auto& schema = schema_of<T>();
  auto result = schema.fixed_size ? schema.min_size + 1 : size_t{1};
  known_fixed_size<T>.store(result, std::memory_order_relaxed);
  return result;
}

} // namespace detail

/// Returns the number of bytes that each value of `T` takes, or 0 if they differ.
template <class T>
CAFWIRE_INLINE size_t fixed_size_of() {
  if constexpr (std::is_arithmetic_v<T> || is_byte_v<T>) {
    return number_size_v<T>;
  } else {
    auto result = detail::known_fixed_size<T>.load(std::memory_order_relaxed);
    if (result == 0) [[unlikely]]
      result = detail::find_fixed_size<T>();
    return result - 1;
  }
}

} // namespace cafwire::layout
