// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/evolution/number_conversion.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cafwire::evolution {

/// One step of a `flat_program`, done for all values of a block before the next one.
struct flat_step {
  enum class action : uint8_t {
    /// Copies `size` bytes.
    copy,
    /// Copies `size` bytes of `flat_program::constants`, starting at `in`.
    constant,
    convert,
    convert_ticks,
  };

  action what = action::copy;
  /// Where the step reads and writes, in bytes from the begin of a value.
  size_t in = 0;
  size_t out = 0;
  size_t size = 0;
  number_converter convert = nullptr;
  tick_conversion ticks;
  /// What to say about a number without a counterpart.
  std::string problem;
};

/// Converts values of a fixed size into values of another fixed size: a list of steps without
/// decisions, so that a run of many values costs little more than copies.
struct flat_program {
  size_t in_size = 0;
  size_t out_size = 0;
  std::vector<flat_step> steps;
  std::vector<std::byte> constants;

  /// Appends a copy, or makes the last one longer.
  void copy(size_t in, size_t out, size_t size);

  /// Appends constant bytes.
  void constant(const std::byte* bytes, size_t out, size_t size);

  /// Whether values are only copied.
  bool is_copy() const noexcept {
    return in_size == out_size
           && (in_size == 0
               || (steps.size() == 1 && steps[0].what == flat_step::action::copy
                   && steps[0].size == in_size));
  }

  /// Converts `n` values that follow each other.
  /// @returns `nullptr`, or the step that has failed.
  const flat_step* run(const std::byte* in, std::byte* out, size_t n) const;
};

} // namespace cafwire::evolution
