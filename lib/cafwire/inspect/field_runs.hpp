// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>
#include <type_traits>

namespace cafwire::detail {

/// Groups the fields of an object: a run is as many plain fields in a row as possible that are
/// written or read through a `packed_writer` or `packed_reader`. Everything here is decided by the
/// types of the fields, so it holds for any value, whatever the `inspect` overload does.
///
/// @tparam Traits provides `is_packed<Field>()`, and `fixed_size<Field>()`: the bytes that the
/// field
///         always takes, or 0.
template <class Traits, class... Fields>
struct field_runs {
  static constexpr size_t num_fields = sizeof...(Fields);

  static constexpr bool packed[num_fields + 1]
    = {Traits::template is_packed<std::remove_cvref_t<Fields>>()..., false};

  static constexpr size_t fixed[num_fields + 1]
    = {Traits::template fixed_size<std::remove_cvref_t<Fields>>()..., 0};

  /// Returns whether a run begins at the field.
  static constexpr bool begins(size_t i) noexcept {
    return packed[i] && (i == 0 || !packed[i - 1]);
  }

  /// Returns whether a run ends with the field.
  static constexpr bool ends(size_t i) noexcept {
    return packed[i] && !packed[i + 1];
  }

  /// Returns the field behind the run that contains the field.
  static constexpr size_t end_of(size_t i) noexcept {
    while (packed[i])
      ++i;
    return i;
  }

  /// Returns whether a row of fields of fixed size begins at the field.
  static constexpr bool begins_fixed(size_t i) noexcept {
    return fixed[i] != 0 && (i == 0 || fixed[i - 1] == 0);
  }

  /// Returns the bytes that the fields of fixed size from here on take.
  static constexpr size_t fixed_bytes(size_t i) noexcept {
    size_t result = 0;
    for (; fixed[i] != 0; ++i)
      result += fixed[i];
    return result;
  }

  /// Returns the field behind the last field of fixed size in a row.
  static constexpr size_t end_of_fixed(size_t i) noexcept {
    while (fixed[i] != 0)
      ++i;
    return i;
  }
};

} // namespace cafwire::detail
