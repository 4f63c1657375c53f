// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cafwire {

namespace detail {

/// Fills a vector with `n` elements whose bytes are next in the input. Copies without zeroing the
/// memory first, except for few bytes at an odd address.
/// @pre the input holds `n * sizeof(T)` bytes.
template <class T, class Allocator>
void assign_images(std::vector<T, Allocator>& xs, const std::byte* input, size_t n) {
  if (reinterpret_cast<uintptr_t>(input) % alignof(T) == 0) {
    auto* first = reinterpret_cast<const T*>(input);
    xs.assign(first, first + n);
    return;
  }
  constexpr size_t bounce_size = 4096 / sizeof(T);
  if constexpr (bounce_size > 1 && std::is_default_constructible_v<T>) {
    if (n > xs.size() && n * sizeof(T) >= layout::long_run_bytes) {
      T bounce[bounce_size];
      xs.clear();
      xs.reserve(n);
      while (n > 0) {
        auto step = std::min(n, bounce_size);
        std::memcpy(static_cast<void*>(bounce), input, step * sizeof(T));
        xs.insert(xs.end(), bounce, bounce + step);
        input += step * sizeof(T);
        n -= step;
      }
      return;
    }
  }
  if constexpr (std::is_default_constructible_v<T>) {
    xs.resize(n);
    if (n > 0)
      std::memcpy(static_cast<void*>(xs.data()), input, n * sizeof(T));
  } else {
    xs.clear();
    xs.reserve(n);
    for (size_t i = 0; i < n; ++i) {
      alignas(T) std::byte bytes[sizeof(T)];
      std::memcpy(bytes, input + i * sizeof(T), sizeof(T));
      xs.push_back(*std::launder(reinterpret_cast<const T*>(bytes)));
    }
  }
}

} // namespace detail

/// Vectors: length, then the elements; one copy where the memory of the elements is their encoding.
template <class T, class Allocator>
requires(!std::is_same_v<T, bool>) struct formatter<std::vector<T, Allocator>> {
  using type = std::vector<T, Allocator>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const type& xs) {
    auto n = xs.size();
    return f.varint(n) && f.align_run(n * layout::fixed_size_of<T>())
           && f.elements(const_cast<T*>(xs.data()), n);
  }

  static bool load(deserializer& f, type& xs) {
    size_t n = 0;
    if constexpr (layout::plain_number<T> && std::endian::native == std::endian::little) {
      if (!f.count(n, sizeof(T)) || !f.align_run(n * sizeof(T)))
        return false;
      // The alignment may have taken the bytes of the last elements.
      if (n > f.remaining() / sizeof(T))
        return f.fail(ec::length_exceeds_input);
      detail::assign_images(xs, f.cursor().position(), n);
      f.cursor().advance(n * sizeof(T));
      return true;
    } else {
      if (!detail::count_elements<T>(f, n) || !f.align_run(n * layout::fixed_size_of<T>()))
        return false;
      if constexpr (layout::blit_candidate<T>) {
        if (detail::fast_path_enabled() && layout::may_blit_load<T>()
            && n <= f.remaining() / sizeof(T)) {
          detail::assign_images(xs, f.cursor().position(), n);
          if (layout::accept_images(xs.data(), n)) [[likely]] {
            if (!detail::check_read(f, f.cursor().position(), detail::old_images<T>{}, xs.data(),
                                    n))
              return false;
            f.cursor().advance(n * sizeof(T));
            return true;
          }
          // An element may hold a bool that is neither true nor false.
          xs.clear();
        }
      }
      return load_each(f, xs, n);
    }
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<T>("seq", 1);
  }

private:
  static bool load_each(deserializer& f, type& xs, size_t n) {
    if (!detail::charge_elements<T>(f, n))
      return false;
    if constexpr (detail::replaces_all_v<T> && !layout::needs_factory_v<T>) {
      layout::require_creatable<T>();
      // Elements keep their memory.
      xs.resize(detail::backed_elements<T>(f, n));
      size_t i = 0;
      return detail::load_elements<T>(f, n, [&] {
        if (i == xs.size())
          xs.emplace_back();
        return f.apply(xs[i++]);
      });
    } else {
      xs.clear();
      xs.reserve(detail::backed_elements<T>(f, n));
      return detail::load_elements<T>(f, n, [&] {
        if constexpr (layout::needs_factory_v<T>) {
          xs.push_back(detail::make_element<T>());
        } else {
          layout::require_creatable<T>();
          xs.emplace_back();
        }
        return f.apply(xs.back());
      });
    }
  }
};

/// Other sequences (deque, list, ...): the same bytes as a vector, element by element.
template <detail::sequence_container T>
struct formatter<T> {
  using value_type = typename T::value_type;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const T& xs) {
    auto n = static_cast<size_t>(xs.size());
    if (!f.varint(n) || !f.align_run(n * layout::fixed_size_of<value_type>()))
      return false;
    for (auto& x : xs)
      if (!f.apply(x))
        return false;
    return true;
  }

  static bool load(deserializer& f, T& xs) {
    size_t n = 0;
    if (!detail::count_elements<value_type>(f, n)
        || !f.align_run(n * layout::fixed_size_of<value_type>())
        || !detail::charge_elements<value_type>(f, n))
      return false;
    xs.clear();
    return detail::load_elements<value_type>(f, n, [&] {
      if constexpr (std::is_move_constructible_v<value_type>) {
        auto x = detail::make_element<value_type>();
        if (!f.apply(x))
          return false;
        xs.insert(xs.end(), std::move(x));
        return true;
      } else {
        // Elements that stay where they are, such as atomics.
        xs.emplace_back();
        return f.apply(xs.back());
      }
    });
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<value_type>("seq", 1);
  }
};

} // namespace cafwire
