// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
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

} // namespace detail

/// Appends the canonical encoding of some values to `out`: one message without types. Thread-safe
/// for different buffers. Allocates only if the buffer has to grow.
/// @returns the cause if a value cannot be written; `out` is unchanged then.
template <class... Ts>
[[nodiscard]] ec serialize(output_buffer& out, const Ts&... xs) noexcept {
  auto old_size = out.size();
  auto code = detail::without_exceptions([&] {
    serializer f{out};
    std::ignore = (f.apply(xs) && ...);
    return f.code();
  });
  if (code != ec::none) [[unlikely]]
    out.truncate(old_size);
  return code;
}

/// Reads values that `serialize` wrote, within bounds. All of `input` must be consumed.
/// @returns the cause if the input is malformed or exceeds the bounds; the values are valid but
///          unspecified then.
template <class... Ts>
[[nodiscard]] ec
deserialize(std::span<const std::byte> input, const limits& bounds, Ts&... xs) noexcept {
  return detail::without_exceptions([&] {
    deserializer f{input, bounds};
    if ((f.apply(xs) && ...) && f.remaining() != 0)
      f.fail(ec::trailing_bytes);
    return f.code();
  });
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
[[nodiscard]] ec deserialize(std::span<const std::byte> input, Ts&... xs) noexcept {
  return deserialize(input, deserializer::default_limits, xs...);
}

} // namespace cafwire
