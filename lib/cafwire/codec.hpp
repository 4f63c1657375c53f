// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/direct.hpp"
#include "cafwire/inspect/serializer.hpp"
#include "cafwire/wire/array_view.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <cstddef>
#include <new>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>

namespace cafwire {

namespace detail {

/// Anything but the argument that the overload with bounds takes.
template <class T>
concept decodable = !std::is_same_v<T, limits>;

/// Runs code that may throw: allocation and user code inside of `inspect` overloads. No exception
/// leaves cafwire.
template <class Fn>
CAFWIRE_INLINE ec without_exceptions(Fn&& fn) noexcept {
#ifdef __cpp_exceptions
  try {
    return fn();
  } catch (const std::bad_alloc&) {
    return ec::out_of_memory;
  } catch (const std::length_error&) {
    return ec::memory_limit;
  } catch (...) {
    return ec::inspect_failed;
  }
#else
  return fn();
#endif
}

/// Types whose inspection is cheap to repeat at each call.
template <class... Ts>
inline constexpr bool worth_inlining_v = (std::is_trivially_copyable_v<Ts> && ...);

/// Writes values of any kind.
template <class... Ts>
CAFWIRE_INLINE ec save_any_inline(output_buffer& out, const Ts&... xs) {
  serializer f{out};
  std::ignore = (f.apply(xs) && ...);
  return f.code();
}

template <class... Ts>
ec save_any(output_buffer& out, const Ts&... xs) {
  return save_any_inline(out, xs...);
}

/// Writes values without a serializer where they allow that.
template <class... Ts>
CAFWIRE_INLINE ec save_quickly(output_buffer& out, const Ts&... xs) {
  if constexpr ((directly_saving<Ts> && ...)) {
    if (!(may_save_directly(xs) && ...)) [[unlikely]]
      return save_any(out, xs...);
    return save_directly(out, xs...) ? ec::none : ec::out_of_memory;
  } else if constexpr (worth_inlining_v<Ts...>) {
    return save_any_inline(out, xs...);
  } else {
    return save_any(out, xs...);
  }
}

/// Reads values of any kind. They are all of the input.
template <class... Ts>
CAFWIRE_INLINE ec load_any_inline(std::span<const std::byte> input, const limits& bounds,
                                  Ts&... xs) {
  deserializer f{input, bounds};
  if ((f.apply(xs) && ...) && f.remaining() != 0)
    f.fail(ec::trailing_bytes);
  return f.code();
}

/// A function of its own in which everything is inlined: the position stays in registers then. Each
/// call in between would write it to memory and wait for it there.
template <class... Ts>
[[gnu::flatten]] ec load_any(std::span<const std::byte> input, const limits& bounds, Ts&... xs) {
  return load_any_inline(input, bounds, xs...);
}

/// Reads values without a deserializer where they and the input allow that.
template <class... Ts>
CAFWIRE_INLINE ec load_quickly(std::span<const std::byte> input, const limits& bounds, Ts&... xs) {
  if constexpr ((directly_loading<Ts> && ...)) {
    packed_reader reader{input_cursor{input}};
    if ((load_directly(reader, xs) && ...) && reader.remaining() == 0) [[likely]]
      return ec::none;
    return load_any(input, bounds, xs...);
  } else if constexpr (worth_inlining_v<Ts...>) {
    return load_any_inline(input, bounds, xs...);
  } else {
    return load_any(input, bounds, xs...);
  }
}

} // namespace detail

/// Appends the canonical encoding of some values to `out`: one message without types. Thread-safe
/// for different buffers. Allocates only if the buffer has to grow.
/// @returns the cause if a value cannot be written; `out` is unchanged then.
template <class... Ts>
[[nodiscard]] CAFWIRE_INLINE ec serialize(output_buffer& out, const Ts&... xs) noexcept {
  auto old_size = out.size();
  auto code = detail::without_exceptions(
    [&]() CAFWIRE_INLINE_LAMBDA { return detail::save_quickly(out, xs...); });
  if (code != ec::none) [[unlikely]]
    out.truncate(old_size);
  return code;
}

/// Reads values that `serialize` wrote, within bounds. All of `input` must be consumed.
/// @returns the cause if the input is malformed or exceeds the bounds; the values are valid but
///          unspecified then.
template <class... Ts>
[[nodiscard]] CAFWIRE_INLINE ec deserialize(std::span<const std::byte> input, const limits& bounds,
                                            Ts&... xs) noexcept {
  return detail::without_exceptions(
    [&]() CAFWIRE_INLINE_LAMBDA { return detail::load_quickly(input, bounds, xs...); });
}

/// Reads values from shared input, within bounds: each `array_view` in them may point into it.
template <class... Ts>
[[nodiscard]] ec deserialize(const shared_bytes& input, const limits& bounds, Ts&... xs) noexcept {
  return detail::without_exceptions([&] {
    deserializer f{input.bytes, bounds};
    f.input_owner(&input.owner);
    if ((f.apply(xs) && ...) && f.remaining() != 0)
      f.fail(ec::trailing_bytes);
    return f.code();
  });
}

/// Reads values from shared input within the bounds for untrusted input.
template <detail::decodable... Ts>
[[nodiscard]] ec deserialize(const shared_bytes& input, Ts&... xs) noexcept {
  return deserialize(input, deserializer::default_limits, xs...);
}

/// Reads values within the bounds for untrusted input.
template <detail::decodable... Ts>
[[nodiscard]] CAFWIRE_INLINE ec deserialize(std::span<const std::byte> input, Ts&... xs) noexcept {
  return deserialize(input, deserializer::default_limits, xs...);
}

} // namespace cafwire
