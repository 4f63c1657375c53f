// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/check_fast_path.hpp"
#include "cafwire/inspect/failure.hpp"
#include "cafwire/inspect/field_runs.hpp"
#include "cafwire/inspect/packed_writer.hpp"
#include "cafwire/layout/blit.hpp"
#include "cafwire/layout/inspection_dsl.hpp"
#include "cafwire/layout/refuse_type.hpp"
#include "cafwire/layout/schema.hpp"
#include "cafwire/layout/type_traits.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"
#include "cafwire/wire/varint.hpp"

#include <caf/detail/is_complete.hpp>
#include <caf/inspector_access.hpp>
#include <caf/span.hpp>

#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace cafwire {

namespace detail {

/// Makes room for `num_bytes` bytes at a position in a buffer. Takes no serializer, so that
/// compilers may keep the position of a local serializer in registers.
/// @returns where the position is now, or `nullptr` if there is not enough memory.
std::byte* make_room(output_buffer& out, const std::byte* pos, size_t num_bytes) noexcept;

} // namespace detail

/// Writes values in the canonical encoding (`docs/wire-format.md`). A CAF save inspector: takes
/// users' `inspect` overloads as they are. Appends to a buffer and declares the bytes as written
/// when it is destroyed or when `flush` is called. If anything fails, the buffer ends where it
/// ended before. Cheap to create. Belongs to one thread.
class serializer : public save_dsl<serializer>, public detail::failure_state {
public:
  // -- construction -------------------------------------------------------------------------------

  /// Starts a message at the end of `out`. Alignment counts from here.
  /// @param types the types that nested messages may hold; `nullptr` stands for all.
  explicit serializer(output_buffer& out, handle_codec* handles = nullptr,
                      const known_types* types = nullptr) noexcept
    : serializer(out, out.size(), handles, types) {
    // nop
  }

  /// Starts a message at an offset in `out`, in front of which all bytes are written, although
  /// `out` may not know that yet.
  /// @pre `start <= out.capacity()`
  serializer(output_buffer& out, size_t start, handle_codec* handles,
             const known_types* types) noexcept
    : out_(&out),
      begin_(out.data() + start),
      pos_(begin_),
      end_(out.data() + out.capacity()),
      handles_(handles),
      types_(types) {
    // nop
  }

  serializer(const serializer&) = delete;

  serializer& operator=(const serializer&) = delete;

  ~serializer() {
    flush();
  }

  /// Declares everything as written. After an error, drops everything instead.
  void flush() noexcept {
    out_->set_size(static_cast<size_t>((failed() ? begin_ : pos_) - out_->data()));
  }

  // -- properties ---------------------------------------------------------------------------------

  /// Returns how many bytes have been written since construction.
  size_t written() const noexcept {
    return static_cast<size_t>(pos_ - begin_);
  }

  handle_codec* handles() const noexcept {
    return handles_;
  }

  /// Returns the types that nested messages may hold, or `nullptr` for all.
  const known_types* types() const noexcept {
    return types_;
  }

  // -- values -------------------------------------------------------------------------------------

  /// Writes a value of any supported type.
  template <class T>
  [[nodiscard]] CAFWIRE_INLINE bool apply(const T& cx) {
    using type = std::remove_cv_t<T>;
    auto& x = const_cast<type&>(cx);
    if constexpr (std::is_array_v<type>) {
      return elements(x, std::extent_v<type>);
    } else if constexpr (std::is_arithmetic_v<type> || layout::is_byte_v<type>) {
      return packed(x);
    } else if constexpr (caf::detail::is_complete<formatter<type>>) {
      return formatter<type>::save(*this, x);
    } else if constexpr (layout::blit_candidate<type>) {
      if (detail::fast_path_enabled() && layout::may_blit_save<type>()) {
        [[maybe_unused]] detail::old_images<type> old{&x, 1};
        if (layout::image_is_encoding(x))
          return detail::check_written(*this, old, &x, 1) && raw(&x, sizeof(type));
      }
      return by_inspect(x);
    } else {
      return by_inspect(x);
    }
  }

  /// Writes what a getter returns.
  template <class Get, class Set>
  [[nodiscard]] bool apply(Get&& get, Set&&) {
    return apply(get());
  }

  /// Writes `n` values in a row, with one copy if that gives the same bytes.
  template <class T>
  bool elements(T* xs, size_t n) {
    if constexpr (layout::plain_number<T> && std::endian::native == std::endian::little) {
      return raw(xs, n * sizeof(T));
    } else {
      if constexpr (layout::blit_candidate<T>) {
        if (detail::fast_path_enabled() && layout::may_blit_save<T>()) {
          [[maybe_unused]] detail::old_images<T> old{xs, n};
          if (layout::images_are_encoding(xs, n))
            return detail::check_written(*this, old, xs, n) && raw(xs, n * sizeof(T));
        }
      }
      if constexpr (detail::packed_saving<T>) {
        return packed_range(xs, xs + n);
      } else {
        for (size_t i = 0; i < n; ++i)
          if (!apply(xs[i]))
            return false;
        return true;
      }
    }
  }

  // -- building blocks for formatters -------------------------------------------------------------

  /// Writes a value of a type that can say beforehand how much room it needs.
  template <class T>
  CAFWIRE_INLINE bool packed(const T& x) {
    if (!reserve(detail::packed_writer::bound(x)))
      return false;
    detail::packed_writer writer{pos_, begin_};
    writer.put(x);
    pos_ = writer.position();
    return true;
  }

  /// Writes all values of a range of such a type.
  template <class Iterator>
  bool packed_range(Iterator first, Iterator last) {
    detail::packed_writer writer{pos_, begin_};
    auto* end = end_;
    for (; first != last; ++first) {
      auto& x = *first;
      if (detail::packed_writer::bound(x) > static_cast<size_t>(end - writer.position()))
        [[unlikely]] {
        pos_ = writer.position();
        if (!grow(detail::packed_writer::bound(x)))
          return false;
        writer = detail::packed_writer{pos_, begin_};
        end = end_;
      }
      writer.put(x);
    }
    pos_ = writer.position();
    return true;
  }

  /// Makes room for some bytes.
  CAFWIRE_INLINE bool reserve(size_t num_bytes) {
    if (num_bytes > static_cast<size_t>(end_ - pos_)) [[unlikely]]
      return grow(num_bytes);
    return true;
  }

  /// Writes bytes as they are.
  CAFWIRE_INLINE bool raw(const void* bytes, size_t num_bytes) {
    if (!reserve(num_bytes))
      return false;
    if (num_bytes != 0)
      std::memcpy(pos_, bytes, num_bytes);
    pos_ += num_bytes;
    return true;
  }

  /// Writes a length, count or index.
  CAFWIRE_INLINE bool varint(uint64_t x) {
    if (!reserve(max_varint_size))
      return false;
    pos_ = write_varint(pos_, x);
    return true;
  }

  /// Writes a byte.
  CAFWIRE_INLINE bool byte(uint8_t x) {
    return raw(&x, 1);
  }

  /// Writes zero bytes up to a multiple of 16 from the start of the message if a run of
  /// `num_bytes` follows that is long enough for that.
  bool align_run(size_t num_bytes) {
    if (num_bytes < layout::long_run_bytes)
      return true;
    static constexpr std::byte zeros[layout::long_run_alignment] = {};
    auto over = written() % layout::long_run_alignment;
    return over == 0 || raw(zeros, layout::long_run_alignment - over);
  }

  /// Writes a string of characters behind its length.
  template <class Char>
  bool string(const Char* chars, size_t length) {
    return varint(length) && align_run(length * sizeof(Char)) && elements(chars, length);
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

  template <class T>
  CAFWIRE_INLINE bool member(compat::string_view name, T& x) {
    if constexpr (layout::has_inspector_access_v<T> && !caf::detail::is_complete<formatter<T>>)
      return caf::inspector_access<T>::save_field(*this, name, x);
    else
      return apply(x);
  }

  template <class T, class U>
  bool member_or_fallback(compat::string_view, T& x, U& fallback) {
    return x != fallback ? byte(1) && apply(x) : byte(0);
  }

  template <class Get>
  CAFWIRE_INLINE bool computed(compat::string_view name, Get& get) {
    auto&& x = get();
    return member(name, const_cast<std::remove_cvref_t<decltype(x)>&>(x));
  }

  template <class Get, class U>
  bool computed_or_fallback(compat::string_view, Get& get, U& fallback) {
    auto&& x = get();
    return x != fallback ? byte(1) && apply(x) : byte(0);
  }

  template <class IsPresent, class Get>
  bool optional_computed(compat::string_view, IsPresent& is_present, Get& get) {
    return is_present() ? byte(1) && apply(get()) : byte(0);
  }

  template <class Callback>
  bool save_callback(Callback& callback) {
    return call_callback(callback, [this](caf::error&& x) { set_error(std::move(x)); })
           || fail_unless_set(ec::callback_failed);
  }

  // -- CAF's inspector interface, for overloads that call it by hand ------------------------------

  CAFWIRE_INLINE bool begin_field(compat::string_view) noexcept {
    return true;
  }

  bool begin_field(compat::string_view, bool is_present) {
    return byte(is_present ? 1 : 0);
  }

  bool begin_field(compat::string_view, caf::span<const caf::type_id_t>, size_t index) {
    return varint(index);
  }

  bool begin_field(compat::string_view, bool is_present, caf::span<const caf::type_id_t>,
                   size_t index) {
    return is_present ? byte(1) && varint(index) : byte(0);
  }

  CAFWIRE_INLINE bool end_field() noexcept {
    return true;
  }

  bool begin_sequence(size_t size) {
    return varint(size);
  }

  bool end_sequence() noexcept {
    return true;
  }

  bool begin_associative_array(size_t size) {
    return varint(size);
  }

  bool end_associative_array() noexcept {
    return true;
  }

  bool value(compat::string_view x) {
    return string(x.data(), x.size());
  }

  bool value(caf::span<const compat::byte> xs) {
    return raw(xs.data(), xs.size());
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  template <class T>
    requires(!std::is_convertible_v<const T&, compat::string_view>
             && !std::is_convertible_v<const T&, caf::span<const compat::byte>>)
  bool value(const T& x) {
    // clang-format on
    return apply(x);
  }

  template <class T>
  bool builtin_inspect(T& x) {
    return apply(x);
  }

  template <class T>
  bool list(const T& xs) {
    return apply(xs);
  }

  template <class T>
  bool map(const T& xs) {
    return apply(xs);
  }

  template <class T>
  bool tuple(const T& xs) {
    return apply(xs);
  }

private:
  /// Runs the user's own code.
  template <class T>
  CAFWIRE_INLINE bool by_inspect(T& x) {
    auto ok = false;
    if constexpr (layout::has_inspector_access_v<T>)
      ok = caf::inspector_access<T>::apply(*this, x);
    else if constexpr (layout::inspectable<serializer, T>)
      ok = inspect(*this, x);
    else if constexpr (std::is_empty_v<T>)
      ok = true;
    else
      layout::refuse_type<T>();
    return ok || fail_unless_set(ec::inspect_failed);
  }

  CAFWIRE_INLINE bool grow(size_t num_bytes) {
    auto size = pos_ - begin_;
    auto* pos = detail::make_room(*out_, pos_, num_bytes);
    if (pos == nullptr)
      return fail(ec::out_of_memory);
    begin_ = pos - size;
    pos_ = pos;
    end_ = out_->data() + out_->capacity();
    return true;
  }

  // -- objects ------------------------------------------------------------------------------------

  struct field_traits {
    template <class Field>
    static constexpr bool is_packed() noexcept {
      if constexpr (requires { typename Field::plain_type; })
        return detail::packed_saving<typename Field::plain_type>;
      else
        return false;
    }

    template <class Field>
    static constexpr size_t fixed_size() noexcept {
      return 0;
    }
  };

  /// Returns how many bytes a field takes at most if it belongs to the run from `Begin` to `End`.
  template <size_t Index, size_t Begin, size_t End, class Field>
  CAFWIRE_INLINE static size_t bound_in_run(const Field& x) {
    if constexpr (Index >= Begin && Index < End)
      return detail::packed_writer::bound(*x.value);
    else
      return 0;
  }

  template <size_t... Is, class... Fields>
  CAFWIRE_INLINE bool
  indexed_members([[maybe_unused]] std::index_sequence<Is...> indexes, Fields&... xs) {
    detail::packed_writer writer{pos_, begin_};
    return (indexed_member<Is>(indexes, writer, xs, xs...) && ...);
  }

  template <size_t I, size_t... Is, class Field, class... Fields>
  CAFWIRE_INLINE bool indexed_member(std::index_sequence<Is...>, detail::packed_writer& writer,
                                     Field& x, Fields&... xs) {
    using runs = detail::field_runs<field_traits, Fields...>;
    if constexpr (!runs::packed[I]) {
      return x(*this);
    } else {
      if constexpr (runs::begins(I)) {
        if (!reserve((bound_in_run<Is, I, runs::end_of(I)>(xs) + ...)))
          return false;
        writer = detail::packed_writer{pos_, begin_};
      }
      writer.put(*x.value);
      if constexpr (runs::ends(I))
        pos_ = writer.position();
      return true;
    }
  }

  output_buffer* out_;
  std::byte* begin_;
  std::byte* pos_;
  std::byte* end_;
  handle_codec* handles_;
  const known_types* types_;
};

} // namespace cafwire

// The formatters need complete inspectors, and nothing works without formatters.
#include "cafwire/inspect/formatters.hpp"
