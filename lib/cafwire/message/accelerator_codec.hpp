// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/span.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// @file
/// The encoding of accelerated types in CAF's binary format: exactly the bytes that
/// `cafwire::serialize` writes for the value alone, as a message of its own. They hold all that is
/// needed to read them, whatever came before.

namespace cafwire::detail {

/// Bytes that are handed to CAF's serializer at a time. It appends behind a header of odd size, and
/// some versions of `memcpy` take up to 28 times as long for larger blocks at unlucky addresses.
inline constexpr size_t accelerator_block_bytes = 1024;

/// Appends bytes.
inline bool stock_append(caf::binary_serializer& f, const void* bytes, size_t num_bytes) {
  auto* pos = static_cast<const compat::byte*>(bytes);
  while (num_bytes > 0) {
    auto n = std::min(num_bytes, accelerator_block_bytes);
    if (!f.value(caf::span<const compat::byte>{pos, n}))
      return false;
    pos += n;
    num_bytes -= n;
  }
  return true;
}

/// Reports why a value could not be written or read, in terms of CAF: an application that uses
/// nothing but the accelerator need not know the error codes of cafwire.
void report_to(caf::binary_serializer& f, ec code);

void report_to(caf::binary_deserializer& f, ec code);

/// Bounds for reading a value with elements of type `T`. What a peer wrote is always accepted; what
/// nobody can have written never takes more memory than a value of this many bytes may need.
template <class T>
limits accelerator_bounds() {
  auto result = limits::trusted();
  auto min_size = std::max(layout::schema_of<T>().min_size, size_t{1});
  result.memory_per_input_byte = (sizeof(T) + min_size - 1) / min_size;
  result.max_unbacked_items = limits::untrusted().max_unbacked_items;
  result.free_memory_bytes = result.max_unbacked_items * sizeof(T);
  return result;
}

/// Writes a value field by field.
template <class T>
[[gnu::noinline]] bool accelerated_save_fields(caf::binary_serializer& f, const T& x) {
  output_buffer out;
  auto code = serialize(out, x);
  if (code == ec::none)
    return stock_append(f, out.data(), out.size());
  report_to(f, code);
  return false;
}

/// Writes an object. Succeeds unless the `inspect` overload of the user fails.
template <class T>
bool accelerated_apply(caf::binary_serializer& f, T& x) {
  if constexpr (layout::blit_candidate<T>)
    if (layout::may_blit_save<T>() && layout::image_is_encoding(x))
      return stock_append(f, &x, sizeof(T));
  return accelerated_save_fields(f, x);
}

/// Writes a vector of objects.
template <class T, class Allocator>
bool accelerated_apply(caf::binary_serializer& f, std::vector<T, Allocator>& xs) {
  if constexpr (layout::blit_candidate<T>) {
    if (layout::may_blit_save<T>() && layout::images_are_encoding(xs.data(), xs.size())) {
      std::byte head[max_varint_size + layout::long_run_alignment] = {};
      auto size = static_cast<size_t>(write_varint(head, xs.size()) - head);
      if (xs.size() * sizeof(T) >= layout::long_run_bytes)
        size = (size + layout::long_run_alignment - 1) / layout::long_run_alignment
               * layout::long_run_alignment;
      return stock_append(f, head, size) && stock_append(f, xs.data(), xs.size() * sizeof(T));
    }
  }
  return accelerated_save_fields(f, xs);
}

/// Reads a value. Throws nothing.
/// @tparam Element the type that decides about the bounds.
template <class Element, class T>
bool accelerated_load(caf::binary_deserializer& f, T& x) noexcept {
  size_t consumed = 0;
  auto code = without_exceptions([&] {
    static const auto bounds = accelerator_bounds<Element>();
    auto input = f.remainder();
    deserializer source{{reinterpret_cast<const std::byte*>(input.data()), input.size()}, bounds};
    std::ignore = source.apply(x);
    consumed = source.offset();
    return source.code();
  });
  if (code == ec::none) {
    f.skip(consumed);
    return true;
  }
  std::ignore = without_exceptions([&] {
    report_to(f, code);
    return ec::none;
  });
  return false;
}

template <class T>
bool accelerated_apply(caf::binary_deserializer& f, T& x) {
  return accelerated_load<T>(f, x);
}

template <class T, class Allocator>
bool accelerated_apply(caf::binary_deserializer& f, std::vector<T, Allocator>& xs) {
  return accelerated_load<T>(f, xs);
}

} // namespace cafwire::detail
