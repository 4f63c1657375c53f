// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "alloc_counter.hpp"
#include "program.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace cafwire::bench {

/// Makes the compiler believe that other code knows the address `ptr`, so that the object has to be
/// in memory whenever `clobber` is called.
inline void escape(const void* ptr) {
  asm volatile("" : : "g"(ptr) : "memory");
}

/// Makes the compiler believe that other code has just read and changed all objects whose addresses
/// it knows.
inline void clobber() {
  asm volatile("" : : : "memory");
}

/// Keeps the time per operation of the latest batches. Does not allocate, so that it never takes a
/// block that a `placement` left for the operation.
class batch_times {
public:
  using clock = std::chrono::steady_clock;

  /// Adds the time that a batch of `n` operations took.
  void add(clock::duration elapsed, int64_t n) {
    auto ns = std::chrono::duration<double, std::nano>(elapsed).count();
    // A power of two: old samples are overwritten without a division by a variable.
    samples_[count_++ % max_samples] = static_cast<float>(ns / static_cast<double>(n));
  }

  /// Returns the time per operation, in nanoseconds, that 95 % of the batches did not exceed.
  double p95_ns() const;

private:
  static constexpr size_t max_samples = 8192;

  std::array<float, max_samples> samples_;
  size_t count_ = 0;
};

/// Runs `op` until it is warm and returns how many operations take at least four microseconds. The
/// clock of a batch then costs one percent of its time at most.
template <class Operation>
int64_t calibrate_batch(Operation& op) {
  using clock = batch_times::clock;
  constexpr auto target = std::chrono::microseconds{4};
  op();
  for (int64_t n = 1;; n *= 2) {
    auto start = clock::now();
    for (int64_t i = 0; i < n; ++i)
      op();
    if (clock::now() - start >= target)
      return n;
  }
}

/// Measures `op`, which runs one operation and returns whether it was successful. Reports the
/// counters that every benchmark of the codec has: `wire_bytes`, `allocs`, `alloc_bytes` and
/// `p95_ns`.
template <class Operation>
void measure(benchmark::State& state, size_t wire_bytes, Operation op) {
  auto good = true;
  auto checked = [&] { good &= op(); };
  auto batch = calibrate_batch(checked);
  batch_times times;
  auto before = current_allocs();
  // Google Benchmark insists on exactly this number of iterations, so the last batch may be short.
  while (state.KeepRunningBatch(state.max_iterations)) {
    for (auto left = state.max_iterations; left > 0;) {
      auto n = std::min<int64_t>(left, batch);
      auto start = batch_times::clock::now();
      for (int64_t i = 0; i < n; ++i)
        checked();
      times.add(batch_times::clock::now() - start, n);
      left -= n;
    }
  }
  auto after = current_allocs();
  if (!good) {
    report_failure(state, "the operation reported an error");
    return;
  }
  auto n = static_cast<double>(state.iterations());
  state.counters["wire_bytes"] = static_cast<double>(wire_bytes);
  state.counters["p95_ns"] = times.p95_ns();
  if (counts_allocs()) {
    state.counters["allocs"] = static_cast<double>(after.calls - before.calls) / n;
    state.counters["alloc_bytes"] = static_cast<double>(after.bytes - before.bytes) / n;
  }
}

} // namespace cafwire::bench
