// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/schema_tree.hpp"

#include <cstddef>
#include <cstdint>

namespace cafwire::evolution {

/// A row of numbers on the wire: where the first one stands, and how many bytes are between the
/// begins of two of them.
template <class Byte>
struct number_row {
  Byte* first;
  size_t stride;
};

/// Converts `n` numbers. Each value must be exactly what it was: integers must fit, and floating
/// point numbers must have no digits too many. All NaNs are one value, and negative zero is zero.
/// @returns how many numbers were converted: less than `n` if the next one has no counterpart.
using number_converter = size_t (*)(number_row<const std::byte> in, number_row<std::byte> out,
                                    size_t n);

/// Returns the function that converts numbers of a kind into those of another one, or `nullptr` if
/// that never makes sense: characters are converted into bytes of their size only.
number_converter find_converter(layout::schema_kind from, layout::schema_kind to) noexcept;

/// Multiplies a number of ticks by `factor` and divides it by `divisor`.
struct tick_conversion {
  layout::schema_kind from = layout::schema_kind::i64;
  layout::schema_kind to = layout::schema_kind::i64;
  uint64_t factor = 1;
  uint64_t divisor = 1;

  /// Converts as a `number_converter` does.
  size_t operator()(number_row<const std::byte> in, number_row<std::byte> out, size_t n) const;
};

} // namespace cafwire::evolution
