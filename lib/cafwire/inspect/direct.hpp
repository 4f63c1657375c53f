// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/packed_reader.hpp"
#include "cafwire/inspect/packed_writer.hpp"
#include "cafwire/inspect/serializer.hpp"
#include "cafwire/layout/blit.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/detail/is_complete.hpp>

#include <cstddef>
#include <cstring>
#include <span>

/// @file
/// Writing and reading values without a `serializer` or `deserializer`. Values of many types need
/// none of what these keep track of: depth, memory, context. A function of this file that gives up
/// leaves everything to them, so the caller starts over, and they find the exact error if there is
/// one.

namespace cafwire::detail {

// Version 14 of clang-format does not understand concepts well.
// clang-format off

/// Types that `save_directly` can write, at least some of their values.
template <class T>
concept directly_saving = packed_saving<T> || formatter_putting_some<T>;

template <class T>
concept formatter_loading_directly
  = caf::detail::is_complete<formatter<T>> && requires(packed_reader& r, T& x) {
  formatter<T>::load_directly(r, x);
};

/// Types that `load_directly` can read, at least some of their values. A formatter whose `load` is
/// mostly simple takes part with a function `bool load_directly(packed_reader&, T&)`.
template <class T>
concept directly_loading = packed_loading<T> || formatter_loading_directly<T>;

// clang-format on

/// Structs whose objects may be their encoding.
template <class... Ts>
inline constexpr bool maybe_images_v
  = !checks_fast_path
    && ((layout::blit_candidate<Ts> && !caf::detail::is_complete<formatter<Ts>>) &&...);

/// Reads some structs that are as they will be in memory and all of the input.
/// @returns whether that was possible. If not, the objects hold any valid values.
template <class... Ts>
CAFWIRE_INLINE bool load_images(std::span<const std::byte> input, Ts&... xs) {
  if (input.size() != (sizeof(Ts) + ... + size_t{0}) || !(layout::may_blit_load<Ts>() && ...))
    [[unlikely]]
    return false;
  auto* pos = input.data();
  ((std::memcpy(static_cast<void*>(&xs), pos, sizeof(Ts)), pos += sizeof(Ts)), ...);
  if (!(layout::accept_image(xs) && ...)) [[unlikely]] {
    // The objects may hold a bool that is neither true nor false: no code may see it so.
    (std::memset(static_cast<void*>(&xs), 0, sizeof(Ts)), ...);
    return false;
  }
  return true;
}

/// Returns whether `save_directly` can write a value.
template <directly_saving T>
CAFWIRE_INLINE bool may_save_directly(const T& x) {
  if constexpr (packed_saving<T>)
    return true;
  else
    return formatter<T>::may_put(x);
}

/// Appends some values as one message.
/// @pre `may_save_directly` agrees to each of them.
/// @returns `false` if there is not enough memory; `out` is unchanged then.
template <directly_saving... Ts>
CAFWIRE_INLINE bool save_directly(output_buffer& out, const Ts&... xs) noexcept {
  if (!out.reserve_more((packed_writer::bound(xs) + ... + size_t{0}))) [[unlikely]]
    return false;
  auto* begin = out.data() + out.size();
  packed_writer writer{begin, begin};
  (writer.put(xs), ...);
  out.set_size(static_cast<size_t>(writer.position() - out.data()));
  return true;
}

/// Slots and lengths below this take one byte.
inline constexpr size_t short_limit = 0x80;

/// Appends a slot, a length and some values if slot and length take a byte each. Structs are
/// written as they are in memory, if that is their encoding.
/// @returns whether that was possible and there was enough memory; `out` is unchanged if not.
template <class... Ts>
CAFWIRE_INLINE bool save_short_record(output_buffer& out, std::byte slot, const Ts&... xs) {
  constexpr size_t head_size = 2;
  if constexpr (maybe_images_v<Ts...>) {
    constexpr auto size = (sizeof(Ts) + ... + size_t{0});
    if constexpr (size < short_limit) {
      if (!(layout::image_is_encoding(const_cast<Ts&>(xs)) && ...)
          || !out.reserve_more(head_size + size)) [[unlikely]]
        return false;
      auto end = out.size() + head_size + size;
      auto* pos = out.data() + out.size();
      *pos++ = slot;
      *pos++ = static_cast<std::byte>(size);
      ((std::memcpy(pos, &xs, sizeof(Ts)), pos += sizeof(Ts)), ...);
      out.set_size(end);
      return true;
    }
  } else {
    if (!(may_save_directly(xs) && ...)) [[unlikely]]
      return false;
    auto bound = (packed_writer::bound(xs) + ... + size_t{0});
    if (bound >= short_limit || !out.reserve_more(head_size + bound)) [[unlikely]]
      return false;
    auto start = out.size();
    auto* head = out.data() + start;
    packed_writer writer{head + head_size, head + head_size};
    (writer.put(xs), ...);
    auto size = static_cast<size_t>(writer.position() - head) - head_size;
    head[0] = slot;
    head[1] = static_cast<std::byte>(size);
    out.set_size(start + head_size + size);
    return true;
  }
  return false;
}

/// Reads a value.
/// @returns whether that was possible. If not, `x` holds any valid value.
template <directly_loading T>
CAFWIRE_INLINE bool load_directly(packed_reader& r, T& x) {
  if constexpr (packed_loading<T>)
    return r.get(x);
  else
    return formatter<T>::load_directly(r, x);
}

} // namespace cafwire::detail
