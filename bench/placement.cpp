// This file is part of cafwire. See the file LICENSE for license terms.

#include "placement.hpp"

namespace cafwire::bench {

namespace {

constexpr size_t page = 4096;

/// Matches are found by cache lines, so neighbours count too.
constexpr size_t margin = 64;

size_t distance(const void* from, const void* to) noexcept {
  return (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from)) % page;
}

} // namespace

bool is_unlucky(memory_range x, memory_range y) noexcept {
  auto ahead = distance(x.begin, y.begin);
  if (x.size + y.size + 2 * margin < page) {
    // There is room for both in one page, so they need not overlap.
    return ahead < x.size + margin || page - ahead < y.size + margin;
  }
  // Two long ranges always overlap. Short ranges that are used beside long ones do not matter.
  return x.size >= 1024 && y.size >= 1024 && (ahead < 2 * margin || page - ahead < 2 * margin);
}

} // namespace cafwire::bench
