// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "measure.hpp"
#include "process_allocs.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>

namespace cafwire::bench {

/// Measures an operation like `measure`, but counts what all threads allocate for it. That takes a
/// second, untimed series of operations, because counters that threads share slow them down.
template <class Operation>
void measure_process(benchmark::State& state, size_t wire_bytes, Operation op) {
  constexpr int num_operations = 64;
  measure(state, wire_bytes, op);
  if (state.error_occurred() || !counts_allocs())
    return;
  process_allocs counter;
  for (auto i = 0; i < num_operations; ++i) {
    if (!op()) {
      report_failure(state, "the operation reported an error");
      return;
    }
  }
  auto totals = counter.totals();
  state.counters["allocs"] = static_cast<double>(totals.calls) / num_operations;
  state.counters["alloc_bytes"] = static_cast<double>(totals.bytes) / num_operations;
}

} // namespace cafwire::bench
