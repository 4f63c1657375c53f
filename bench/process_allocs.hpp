// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "alloc_counter.hpp"

namespace cafwire::bench {

/// Counts what all threads of the process allocate while it lives. There may be one at a time. Each
/// allocation takes two atomic additions longer meanwhile.
class process_allocs {
public:
  process_allocs() noexcept;

  process_allocs(const process_allocs&) = delete;

  process_allocs& operator=(const process_allocs&) = delete;

  ~process_allocs();

  /// Returns how much was allocated since construction.
  alloc_totals totals() const noexcept;
};

} // namespace cafwire::bench
