// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <tuple>
#include <vector>

namespace cafwire {

namespace detail {

/// How many numbers to copy in one go where they have to be copied twice.
template <class T>
inline constexpr size_t block_size = 4096 / sizeof(T);

template <class T>
bool is_aligned_for(const std::byte* pos) noexcept {
  return reinterpret_cast<uintptr_t>(pos) % alignof(T) == 0;
}

/// Replaces the elements of a vector. Not inlined: g++ 12 turns the loop over objects inside of
/// `assign` into one copy only then.
template <class T, class Allocator>
[[gnu::noinline]] void assign_objects(std::vector<T, Allocator>& xs, const T* first, size_t n) {
  xs.assign(first, first + n);
}

/// Fills a vector with `n` elements whose bytes are next in the input. Copies without zeroing new
/// memory first, except for input at an odd address: long runs never stand there, unless all of the
/// input does.
/// @pre the input holds `n * sizeof(T)` bytes.
template <class T, class Allocator>
void assign_images(std::vector<T, Allocator>& xs, const std::byte* input, size_t n) {
  if (is_aligned_for<T>(input)) {
    auto* first = reinterpret_cast<const T*>(input);
    if constexpr (std::is_trivial_v<T>)
      xs.assign(first, first + n);
    else
      assign_objects(xs, first, n);
    return;
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

// Version 14 of clang-format does not understand concepts well.
// clang-format off

/// Deques and the like: numbers in blocks, which `std::copy` copies block by block.
template <class T>
concept block_container
  = layout::plain_number<typename T::value_type> && std::endian::native == std::endian::little
    && requires(T& xs, const typename T::value_type* first, size_t n) {
  { xs.begin() } -> std::random_access_iterator;
  xs.resize(n);
  xs.assign(first, first);
};

// clang-format on

/// Copies `n` numbers through a block on the stack, which lies on their natural boundary and stays
/// in the cache. `write` takes each block.
template <class Iterator, class Write>
void for_each_block(Iterator first, size_t n, Write write) {
  using type = std::iter_value_t<Iterator>;
  type block[block_size<type>];
  while (n > 0) {
    auto step = std::min(n, block_size<type>);
    auto last = first + static_cast<std::iter_difference_t<Iterator>>(step);
    std::copy(first, last, block);
    write(block, step);
    first = last;
    n -= step;
  }
}

/// The same in the other direction: `read` fills each block.
template <class Iterator, class Read>
bool fill_blocks(Iterator first, size_t n, Read read) {
  using type = std::iter_value_t<Iterator>;
  type block[block_size<type>];
  while (n > 0) {
    auto step = std::min(n, block_size<type>);
    if (!read(block, step))
      return false;
    first = std::copy(block, block + step, first);
    n -= step;
  }
  return true;
}

} // namespace detail

/// Vectors: length, then the elements; one copy where the memory of the elements is their encoding.
template <class T, class Allocator>
requires(!std::is_same_v<T, bool>) struct formatter<std::vector<T, Allocator>> {
  using type = std::vector<T, Allocator>;

  static constexpr size_t min_size = 1;

  /// Whether the memory of the elements is their encoding, whatever they hold.
  static constexpr bool is_image
    = layout::plain_number<T> && std::endian::native == std::endian::little;

  static bool save(serializer& f, const type& xs) {
    if constexpr (is_image) {
      return f.packed(xs);
    } else {
      if constexpr (layout::blit_candidate<T>)
        if (may_put(xs))
          return f.packed(xs);
      auto n = xs.size();
      return f.varint(n) && f.align_run(n * layout::fixed_size_of<T>())
             && f.elements(const_cast<T*>(xs.data()), n);
    }
  }

  static bool load(deserializer& f, type& xs) {
    size_t n = 0;
    if constexpr (is_image) {
      return f.packed(xs);
    } else {
      if constexpr (layout::blit_candidate<T>) {
        detail::packed_reader reader{f.cursor()};
        if (load_directly(reader, xs)) [[likely]] {
          f.cursor() = reader.cursor();
          return true;
        }
      }
      return detail::count_elements<T>(f, n) && f.align_run(n * layout::fixed_size_of<T>())
             && load_each(f, xs, n);
    }
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  CAFWIRE_INLINE static bool load_directly(detail::packed_reader& r, type& xs)
    requires(layout::blit_candidate<T>) {
    size_t n = 0;
    if (detail::checks_fast_path || !layout::may_blit_load<T>() || !r.sequence_head(n, layout::fixed_size_of<T>())
        || n > r.remaining() / sizeof(T))
      return false;
    detail::assign_images(xs, r.position(), n);
    if (!layout::accept_images(xs.data(), n)) [[unlikely]] {
      // An element may hold a bool that is neither true nor false.
      xs.clear();
      return false;
    }
    r.advance(n * sizeof(T));
    return true;
  }

  CAFWIRE_INLINE static size_t bound(const type& xs) noexcept
    requires(is_image || layout::blit_candidate<T>) {
    return detail::packed_writer::sequence_bound(xs.size() * sizeof(T));
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const type& xs) noexcept
    requires(is_image || layout::blit_candidate<T>) {
    w.sequence_head(xs.size(), xs.size() * layout::fixed_size_of<T>());
    w.bytes(xs.data(), xs.size() * sizeof(T));
  }

  CAFWIRE_INLINE static bool may_put(const type& xs) requires(layout::blit_candidate<T>) {
    // What `put` needs to know is found out here, where it may throw.
    std::ignore = layout::fixed_size_of<T>();
    return !detail::checks_fast_path && layout::may_blit_save<T>()
           && layout::images_are_encoding(const_cast<T*>(xs.data()), xs.size());
  }

  static constexpr size_t fixed_size = 0;

  CAFWIRE_INLINE static bool get(detail::packed_reader& r, type& xs) requires(is_image) {
    size_t n = 0;
    if (!r.image_count<T>(n))
      return false;
    detail::assign_images(xs, r.position(), n);
    r.advance(n * sizeof(T));
    return true;
  }
  // clang-format on

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
      if constexpr (detail::loads_packed_input<T>() && !std::is_arithmetic_v<T>)
        return f.enter() && load_packed(f, xs, n) && f.leave();
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

  static bool load_packed(deserializer& f, type& xs, size_t n) {
    return f.packed_run([&](detail::packed_reader& r) CAFWIRE_INLINE_LAMBDA {
      for (size_t i = 0; i < n; ++i) {
        if (i == xs.size())
          xs.emplace_back();
        if (!r.get(xs[i]))
          return false;
      }
      return true;
    });
  }
};

/// Other sequences (deque, list, ...): the same bytes as a vector, element by element.
template <detail::sequence_container T>
struct formatter<T> {
  using value_type = typename T::value_type;

  static constexpr size_t min_size = 1;

  /// Whether numbers are copied block by block.
  static constexpr bool has_segments = detail::block_container<T>;

  static bool save(serializer& f, const T& xs) {
    if constexpr (has_segments) {
      return f.packed(xs);
    } else {
      auto n = static_cast<size_t>(xs.size());
      if (!f.varint(n) || !f.align_run(n * layout::fixed_size_of<value_type>()))
        return false;
      if constexpr (detail::packed_saving<value_type>) {
        return f.packed_range(xs.begin(), xs.end());
      } else {
        for (auto& x : xs)
          if (!f.apply(x))
            return false;
        return true;
      }
    }
  }

  static bool load(deserializer& f, T& xs) {
    if constexpr (has_segments) {
      return f.packed(xs);
    } else {
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
  }

  // Version 14 of clang-format does not understand constraints well.
  // clang-format off
  static size_t bound(const T& xs) noexcept requires(has_segments) {
    return detail::packed_writer::sequence_bound(xs.size() * sizeof(value_type));
  }

  static void put(detail::packed_writer& w, const T& xs) noexcept requires(has_segments) {
    auto num_bytes = xs.size() * sizeof(value_type);
    w.sequence_head(xs.size(), num_bytes);
    if (detail::is_aligned_for<value_type>(w.position())) {
      std::copy(xs.begin(), xs.end(), reinterpret_cast<value_type*>(w.position()));
      w.advance(num_bytes);
    } else {
      detail::for_each_block(xs.begin(), xs.size(), [&w](auto* block, size_t size) {
        w.bytes(block, size * sizeof(value_type));
      });
    }
  }

  static constexpr size_t fixed_size = 0;

  static bool get(detail::packed_reader& r, T& xs) requires(has_segments) {
    size_t n = 0;
    if (!r.template image_count<value_type>(n))
      return false;
    if (detail::is_aligned_for<value_type>(r.position())) {
      auto* first = reinterpret_cast<const value_type*>(r.position());
      xs.assign(first, first + n);
      r.advance(n * sizeof(value_type));
      return true;
    }
    xs.resize(n);
    return detail::fill_blocks(xs.begin(), n, [&r](auto* block, size_t size) {
      return r.take(block, size);
    });
  }
  // clang-format on

  static void schema(layout::schema_builder& f) {
    f.varying_of<value_type>("seq", 1);
  }
};

} // namespace cafwire
