// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstdint>

namespace cafwire::bench {

/// How much the calling thread allocated since it started.
struct alloc_totals {
  /// Number of calls that asked for memory; a `realloc` counts as one.
  uint64_t calls = 0;

  /// Number of bytes asked for; a `realloc` counts with its new size.
  uint64_t bytes = 0;
};

/// Returns the totals of the calling thread. Programs that call this function get versions of
/// `malloc` and its relatives that count (two additions to thread-local variables per call) and
/// pass the request on to the C library; `operator new` ends there too. With other C libraries than
/// glibc and in builds with AddressSanitizer or ThreadSanitizer, which replace `malloc` themselves,
/// the totals stay at zero and `counts_allocs` returns `false`.
alloc_totals current_allocs() noexcept;

/// Returns whether this build counts allocations.
bool counts_allocs() noexcept;

} // namespace cafwire::bench
