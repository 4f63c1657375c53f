// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <atomic>
#include <cstddef>

namespace cafwire::detail {

/// What one direction of a link has done. Written by one thread at a time, and read by any.
struct link_counters {
  std::atomic<size_t> messages{0};
  std::atomic<size_t> bytes{0};
  std::atomic<size_t> frames{0};
  std::atomic<size_t> errors{0};
  std::atomic<size_t> definitions{0};
  /// Messages that needed definitions.
  std::atomic<size_t> defining{0};
  /// Bytes of definitions that messages did not need to carry.
  std::atomic<size_t> saved{0};
  std::atomic<size_t> failed_handshakes{0};
  std::atomic<size_t> undeliverable{0};
  std::atomic<size_t> refused{0};

  static void add(std::atomic<size_t>& counter, size_t n) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

} // namespace cafwire::detail
