// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/sequence.hpp"
#include "cafwire/inspect/formatter/traits.hpp"
#include "cafwire/layout/image_check.hpp"
#include "cafwire/wire/array_view.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace cafwire {

namespace detail {

/// Copies the bytes of `n` elements into memory of their own, with one allocation.
template <class T>
array_view<T> copy_images(const std::byte* input, size_t n) {
  auto memory = std::make_shared_for_overwrite<std::byte[]>(n * sizeof(T) + alignof(T) - 1);
  auto* first = memory.get();
  first += -reinterpret_cast<uintptr_t>(first) % alignof(T);
  std::memcpy(first, input, n * sizeof(T));
  auto* elements = std::launder(reinterpret_cast<const T*>(first));
  return {std::move(memory), {elements, n}};
}

/// Types whose bytes on the wire may be used as objects.
template <class T>
inline constexpr bool is_viewable_v
  = layout::blit_candidate<
      T> || (layout::plain_number<T> && std::endian::native == std::endian::little);

} // namespace detail

/// Views: the bytes of a vector. Reading points into the input if it is shared, the elements are
/// aligned and valid as they are, and there are so many that they form a long run; a shorter view
/// would keep the whole input alive for a few bytes. Otherwise, it makes a copy.
template <class T>
struct formatter<array_view<T>> {
  using type = array_view<T>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const type& xs) {
    auto n = xs.size();
    return f.varint(n) && f.align_run(n * layout::fixed_size_of<T>())
           && f.elements(const_cast<T*>(xs.data()), n);
  }

  static bool load(deserializer& f, type& xs) {
    if constexpr (detail::is_viewable_v<T>) {
      auto start = f.cursor();
      size_t n = 0;
      if (!detail::count_elements<T>(f, n) || !f.align_run(n * layout::fixed_size_of<T>()))
        return false;
      if (n <= f.remaining() / sizeof(T) && is_image(f.cursor().position(), n)) {
        xs = open(f, f.cursor().position(), n);
        f.cursor().advance(n * sizeof(T));
        return true;
      }
      // Finds out what is wrong, or decodes field by field.
      f.cursor() = start;
    }
    std::vector<T> elements;
    if (!f.apply(elements))
      return false;
    xs = type{std::move(elements)};
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<T>("seq", 1);
  }

private:
  static bool is_image(const std::byte* input, size_t n) {
    if constexpr (layout::plain_number<T>)
      return true;
    else
      return layout::may_blit_load<T>() && layout::images_are_valid<T>(input, n);
  }

  static type open(deserializer& f, const std::byte* input, size_t n) {
    if (n == 0)
      return {};
    auto* owner = f.input_owner();
    if (owner != nullptr && *owner != nullptr && n * sizeof(T) >= layout::long_run_bytes
        && reinterpret_cast<uintptr_t>(input) % alignof(T) == 0)
      return {*owner, {std::launder(reinterpret_cast<const T*>(input)), n}};
    return detail::copy_images<T>(input, n);
  }
};

} // namespace cafwire
