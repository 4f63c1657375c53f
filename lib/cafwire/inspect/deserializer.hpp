// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/check_fast_path.hpp"
#include "cafwire/inspect/failure.hpp"
#include "cafwire/inspect/field_runs.hpp"
#include "cafwire/inspect/manual_load.hpp"
#include "cafwire/inspect/packed_reader.hpp"
#include "cafwire/layout/blit.hpp"
#include "cafwire/layout/factory.hpp"
#include "cafwire/layout/inspection_dsl.hpp"
#include "cafwire/layout/refuse_type.hpp"
#include "cafwire/layout/schema.hpp"
#include "cafwire/layout/type_traits.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/input_cursor.hpp"
#include "cafwire/wire/limits.hpp"

#include <caf/detail/is_complete.hpp>
#include <caf/inspector_access.hpp>
#include <caf/sec.hpp>
#include <caf/span.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace cafwire {

/// Reads values in the canonical encoding (`docs/wire-format.md`). A CAF load inspector: takes
/// users' `inspect` overloads as they are. Safe against any input: bounds are checked before memory
/// is touched, and nothing is allocated before the input has shown the bytes for it. After an error
/// the objects hold valid but unspecified values. Cheap to create. Belongs to one thread.
class deserializer : public load_dsl<deserializer>,
                     public detail::manual_load<deserializer>,
                     public detail::failure_state {
public:
  // -- construction -------------------------------------------------------------------------------

  /// Reads one message. Alignment counts from the begin of `input`, which must outlive this object.
  explicit deserializer(std::span<const std::byte> input,
                        const limits& bounds = default_limits) noexcept
    : in_(input),
      depth_left_(bounds.max_depth),
      objects_left_(std::max(bounds.max_depth, bounds.max_depth + 1)),
      unbacked_left_(bounds.max_unbacked_items),
      memory_left_(bounds.memory_budget(input.size())) {
    // nop
  }

  /// @param types the types that nested messages may hold; `nullptr` stands for all.
  deserializer(std::span<const std::byte> input, const limits& bounds, handle_codec* handles,
               const known_types* types) noexcept
    : deserializer(input, bounds) {
    handles_ = handles;
    types_ = types;
  }

  // -- properties ---------------------------------------------------------------------------------

  size_t remaining() const noexcept {
    return in_.remaining();
  }

  /// Returns how many bytes have been read.
  size_t offset() const noexcept {
    return in_.offset();
  }

  handle_codec* handles() const noexcept {
    return handles_;
  }

  const known_types* types() const noexcept {
    return types_;
  }

  /// Tells who owns the input, so that views may point into it (see `array_view`). The object must
  /// outlive this one; without it, views copy.
  void input_owner(const std::shared_ptr<const void>* owner) noexcept {
    input_owner_ = owner;
  }

  const std::shared_ptr<const void>* input_owner() const noexcept {
    return input_owner_;
  }

  /// Takes away memory, for input that stands for less input of a stranger.
  void limit_memory(size_t num_bytes) noexcept {
    memory_left_ = std::min(memory_left_, num_bytes);
  }

  // -- values -------------------------------------------------------------------------------------

  /// Reads a value of any supported type. Whatever `x` held before is replaced.
  template <class T>
  [[nodiscard]] CAFWIRE_INLINE bool apply(T& x) {
    static_assert(!std::is_const_v<T>);
    if constexpr (std::is_array_v<T>) {
      return elements(x, std::extent_v<T>);
    } else if constexpr (std::is_arithmetic_v<T> || layout::is_byte_v<T>) {
      return packed(x);
    } else if constexpr (caf::detail::is_complete<formatter<T>>) {
      return formatter<T>::load(*this, x);
    } else if constexpr (layout::blit_candidate<T>) {
      if (detail::fast_path_enabled() && layout::may_blit_load<T>()
          && sizeof(T) <= in_.remaining()) {
        [[maybe_unused]] detail::old_images<T> old{&x, 1};
        std::memcpy(static_cast<void*>(&x), in_.position(), sizeof(T));
        if (layout::accept_image(x)) [[likely]] {
          if (!detail::check_read(*this, in_.position(), old, &x, 1))
            return false;
          in_.advance(sizeof(T));
          return true;
        }
        // The object may hold a bool that is neither true nor false: no code may see it so.
        std::memset(static_cast<void*>(&x), 0, sizeof(T));
      }
      return by_inspect(x);
    } else {
      return by_inspect(x);
    }
  }

  /// Reads a value and hands it to a setter.
  template <class Get, class Set>
  [[nodiscard]] bool apply(Get&& get, Set&& set) {
    auto tmp = layout::make_element<std::decay_t<decltype(get())>>();
    return apply(tmp) && assign(set, tmp);
  }

  /// Reads `n` values in a row, with one copy if that gives the same values.
  template <class T>
  bool elements(T* xs, size_t n) {
    if constexpr (layout::plain_number<T> && std::endian::native == std::endian::little) {
      return raw(xs, n * sizeof(T));
    } else {
      if constexpr (layout::blit_candidate<T>) {
        if (detail::fast_path_enabled() && layout::may_blit_load<T>()
            && n <= in_.remaining() / sizeof(T)) {
          [[maybe_unused]] detail::old_images<T> old{xs, n};
          std::memcpy(static_cast<void*>(xs), in_.position(), n * sizeof(T));
          if (layout::accept_images(xs, n)) [[likely]] {
            if (!detail::check_read(*this, in_.position(), old, xs, n))
              return false;
            in_.advance(n * sizeof(T));
            return true;
          }
          std::memset(static_cast<void*>(xs), 0, n * sizeof(T));
        }
      }
      if constexpr (detail::packed_loading<T>) {
        return packed_run([xs, n](detail::packed_reader& reader) { return reader.get(xs, n); });
      } else {
        for (size_t i = 0; i < n; ++i)
          if (!apply(xs[i]))
            return false;
        return true;
      }
    }
  }

  // -- building blocks for formatters -------------------------------------------------------------

  /// Reads a value of a type whose formatter does without a deserializer.
  template <detail::packed_loading T>
  CAFWIRE_INLINE bool packed(T& x) {
    return packed_run([&x](detail::packed_reader& reader)
                        CAFWIRE_INLINE_LAMBDA { return reader.get(x); });
  }

  /// Lets `body` read with a `packed_reader`. It returns whether that went well.
  template <class Body>
  CAFWIRE_INLINE bool packed_run(Body&& body) {
    detail::packed_reader reader{in_};
    auto ok = body(reader);
    in_ = reader.cursor();
    return ok || fail(reader.code());
  }

  /// Reads bytes as they are.
  CAFWIRE_INLINE bool raw(void* bytes, size_t num_bytes) {
    if (num_bytes > in_.remaining()) [[unlikely]]
      return fail(ec::unexpected_end);
    if (num_bytes != 0)
      std::memcpy(bytes, in_.position(), num_bytes);
    in_.advance(num_bytes);
    return true;
  }

  /// Returns the next bytes without a copy, or `nullptr` after setting an error.
  const std::byte* view(size_t num_bytes) {
    if (num_bytes > in_.remaining()) [[unlikely]] {
      set_failure(ec::unexpected_end);
      return nullptr;
    }
    auto* result = in_.position();
    in_.advance(num_bytes);
    return result;
  }

  /// Reads a length, count or index.
  CAFWIRE_INLINE bool varint(uint64_t& x) {
    auto code = in_.read_varint(x);
    return code == ec::none || fail(code);
  }

  /// Reads a byte.
  CAFWIRE_INLINE bool byte(uint8_t& x) {
    return raw(&x, 1);
  }

  /// Reads a byte that must be 0 or 1.
  bool flag(bool& x) {
    auto bits = uint8_t{0};
    if (!byte(bits))
      return false;
    if (bits > 1)
      return fail(ec::invalid_bool);
    x = bits != 0;
    return true;
  }

  /// Reads the zero bytes in front of a run of `num_bytes` that is long enough to have them.
  bool align_run(size_t num_bytes) {
    if (num_bytes < layout::long_run_bytes)
      return true;
    auto code = in_.skip_alignment();
    return code == ec::none || fail(code);
  }

  /// Reads the number of elements of a container and checks it against the rest of the input.
  /// @param min_size the least number of bytes that an element takes on the wire.
  CAFWIRE_INLINE bool count(size_t& n, size_t min_size) {
    uint64_t value = 0;
    if (!varint(value))
      return false;
    if (min_size > 0) {
      if (value > in_.remaining() / min_size)
        return fail(ec::length_exceeds_input);
    } else if (value > in_.remaining() && value - in_.remaining() > unbacked_left_) {
      return fail(ec::unbacked_items_limit);
    }
    n = static_cast<size_t>(value);
    return true;
  }

  /// Accounts for memory that is about to be used. Not needed for memory that is filled with as
  /// many bytes of input.
  bool charge(size_t num_bytes) {
    if (num_bytes > memory_left_)
      return fail(ec::memory_limit);
    memory_left_ -= num_bytes;
    return true;
  }

  /// Accounts for memory of `n` objects of `size` bytes.
  bool charge(size_t n, size_t size) {
    return n <= std::numeric_limits<size_t>::max() / size ? charge(n * size)
                                                          : fail(ec::memory_limit);
  }

  /// Accounts for an element that may have consumed no input.
  /// @param old_remaining the value of `remaining()` before the element.
  bool progress(size_t old_remaining) {
    if (old_remaining != in_.remaining())
      return true;
    if (unbacked_left_ == 0)
      return fail(ec::unbacked_items_limit);
    --unbacked_left_;
    return true;
  }

  /// Enters a value that may contain others of its kind. Pair it with `leave`.
  bool enter() {
    if (depth_left_ == 0)
      return fail(ec::depth_limit);
    --depth_left_;
    return true;
  }

  bool leave() noexcept {
    ++depth_left_;
    return true;
  }

  /// Returns the position, for formatters that copy from the input themselves.
  input_cursor& cursor() noexcept {
    return in_;
  }

  /// Sets an error.
  bool fail(ec code) {
    set_failure(code);
    return false;
  }

  /// Sets an error with a text.
  bool fail(ec code, std::string text) {
    set_failure(code, std::move(text));
    return false;
  }

  // -- the DSL ------------------------------------------------------------------------------------

  template <class... Fields>
  CAFWIRE_INLINE bool members(Fields&... xs) {
    return indexed_members(std::index_sequence_for<Fields...>{}, xs...);
  }

  template <class T, class Predicate>
  CAFWIRE_INLINE bool member(compat::string_view name, T& x, Predicate& predicate) {
    if constexpr (layout::has_inspector_access_v<T> && !caf::detail::is_complete<formatter<T>>) {
      auto synchronized = [] { return true; };
      return caf::inspector_access<T>::load_field(*this, name, x, predicate, synchronized);
    } else if constexpr (std::is_same_v<Predicate, no_invariant>) {
      return apply(x);
    } else {
      return apply(x) && check(predicate, x);
    }
  }

  template <class T, class Predicate, class U>
  bool member_or_fallback(compat::string_view, T& x, Predicate& predicate, U& fallback) {
    auto present = false;
    if (!flag(present))
      return false;
    if (present)
      return apply(x) && check(predicate, x);
    x = std::move(fallback);
    return true;
  }

  template <class T, class Set, class Predicate>
  bool assigned(compat::string_view, Set& set, Predicate& predicate) {
    auto tmp = layout::make_element<T>();
    return apply(tmp) && check(predicate, tmp) && assign(set, tmp);
  }

  template <class T, class Set, class Predicate, class U>
  bool assigned_or_fallback(compat::string_view name, Set& set, Predicate& predicate, U& fallback) {
    auto present = false;
    if (!flag(present))
      return false;
    if (present)
      return assigned<T>(name, set, predicate);
    auto tmp = T(std::move(fallback));
    return assign(set, tmp);
  }

  template <class T, class Reset, class Set>
  // Not inlined: g++ 12 at -O1 does not come to an end where `reset` and `set` of `caf::node_id`
  // are inlined into functions that are marked `flatten`.
  [[gnu::noinline]] bool optional_assigned(compat::string_view name, Reset& reset, Set& set) {
    auto present = false;
    if (!flag(present))
      return false;
    if (present) {
      auto valid = no_invariant{};
      return assigned<T>(name, set, valid);
    }
    reset();
    return true;
  }

  template <class Callback>
  bool load_callback(Callback& callback) {
    return call_callback(callback, [this](caf::error&& x) { set_error(std::move(x)); })
           || fail_unless_set(ec::callback_failed);
  }

  /// The bounds of deserializers that get none.
  static constexpr limits default_limits = limits::untrusted();

private:
  template <class Predicate, class T>
  CAFWIRE_INLINE bool check(Predicate& predicate, T& x) {
    return predicate(x) || fail(ec::invariant_failed);
  }

  template <class Set, class T>
  bool assign(Set& set, T& x) {
    return call_setter(set, std::move(x), [this](caf::error&& err) { set_error(std::move(err)); })
           || fail_unless_set(ec::callback_failed);
  }

  // -- objects ------------------------------------------------------------------------------------

  struct field_traits {
    template <class Field>
    static constexpr bool is_packed() noexcept {
      if constexpr (requires { typename Field::plain_type; })
        return detail::packed_loading<typename Field::plain_type>;
      else
        return false;
    }

    template <class Field>
    static constexpr size_t fixed_size() noexcept {
      if constexpr (is_packed<Field>())
        return detail::packed_size<typename Field::plain_type>();
      else
        return 0;
    }
  };

  template <size_t... Is, class... Fields>
  CAFWIRE_INLINE bool
  indexed_members([[maybe_unused]] std::index_sequence<Is...> indexes, Fields&... xs) {
    detail::packed_reader reader{in_};
    return (indexed_member<Is>(indexes, reader, xs, xs...) && ...);
  }

  template <size_t I, size_t... Is, class Field, class... Fields>
  CAFWIRE_INLINE bool indexed_member(std::index_sequence<Is...>, detail::packed_reader& reader,
                                     Field& x, Fields&... xs) {
    using runs = detail::field_runs<field_traits, Fields...>;
    if constexpr (!runs::packed[I]) {
      return x(*this);
    } else {
      if constexpr (runs::begins(I))
        reader = detail::packed_reader{in_};
      if constexpr (runs::begins_fixed(I)) {
        if (reader.remaining() < runs::fixed_bytes(I)) [[unlikely]]
          return (stop_at_end<Is, I, runs::end_of_fixed(I)>(reader, xs) && ...)
                 && fail(ec::unexpected_end);
      }
      auto ok = false;
      if constexpr (runs::fixed[I] != 0)
        ok = reader.take(*x.value);
      else
        ok = reader.get(*x.value);
      if (!ok) [[unlikely]]
        return fail(reader.code());
      if (!holds(x)) [[unlikely]]
        return fail(ec::invariant_failed);
      if constexpr (runs::ends(I))
        in_ = reader.cursor();
      return true;
    }
  }

  /// Reads fields that the input does not hold to find out which error comes first.
  template <size_t Index, size_t Begin, size_t End, class Field>
  CAFWIRE_INLINE bool stop_at_end(detail::packed_reader& reader, Field& x) {
    if constexpr (Index >= Begin && Index < End) {
      if (!reader.get(*x.value))
        return fail(reader.code());
      return holds(x) || fail(ec::invariant_failed);
    } else {
      return true;
    }
  }

  template <class Field>
  CAFWIRE_INLINE static bool holds(Field& x) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(x.predicate)>, no_invariant>)
      return true;
    else
      return x.predicate(*x.value);
  }

  /// Runs the user's own code.
  template <class T>
  CAFWIRE_INLINE bool by_inspect(T& x) {
    // Types that own memory may hold objects of their own type without any container in between.
    constexpr auto may_recur = !std::is_trivially_copyable_v<T>;
    if constexpr (may_recur) {
      if (objects_left_ == 0) [[unlikely]]
        return fail(ec::depth_limit);
      --objects_left_;
    }
    auto ok = false;
    if constexpr (layout::has_inspector_access_v<T>)
      ok = caf::inspector_access<T>::apply(*this, x);
    else if constexpr (layout::inspectable<deserializer, T>)
      ok = inspect(*this, x);
    else if constexpr (std::is_empty_v<T>)
      ok = true;
    else
      layout::refuse_type<T>();
    if constexpr (may_recur)
      ++objects_left_;
    return ok || fail_unless_set(ec::inspect_failed);
  }

  input_cursor in_;
  size_t depth_left_;
  size_t objects_left_;
  size_t unbacked_left_;
  size_t memory_left_;
  handle_codec* handles_ = nullptr;
  const known_types* types_ = nullptr;
  const std::shared_ptr<const void>* input_owner_ = nullptr;
};

} // namespace cafwire

// The formatters need complete inspectors, and nothing works without formatters.
#include "cafwire/inspect/formatters.hpp"
