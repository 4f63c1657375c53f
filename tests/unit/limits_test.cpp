// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/limits.hpp"

#include <catch2/catch_test_macros.hpp>

#include <limits>

using cafwire::limits;

namespace {

constexpr auto max = std::numeric_limits<size_t>::max();

} // namespace

TEST_CASE("the profile for untrusted input has the bounds of the specification") {
  constexpr auto bounds = limits::untrusted();
  CHECK(bounds.max_frame_bytes == 64u * 1024 * 1024);
  CHECK(bounds.max_depth == 64);
  CHECK(bounds.max_unbacked_items == 8192);
  CHECK(bounds.max_type_slots == 4096);
  CHECK(bounds.max_signature_slots == 65536);
  CHECK(bounds.max_definition_bytes == 4096);
}

TEST_CASE("untrusted messages may use 16 times their size and 64 KiB, and at most 1 GiB") {
  constexpr auto bounds = limits::untrusted();
  CHECK(bounds.memory_budget(0) == 65536);
  CHECK(bounds.memory_budget(1) == 65552);
  CHECK(bounds.memory_budget(1000) == 81536);
  constexpr auto gib = size_t{1} << 30;
  CHECK(bounds.memory_budget((gib - 65536) / 16) == gib);
  CHECK(bounds.memory_budget((gib - 65536) / 16 - 1) == gib - 16);
  CHECK(bounds.memory_budget(gib / 16) == gib);
  CHECK(bounds.memory_budget(gib / 16 + 1) == gib);
  CHECK(bounds.memory_budget(max) == gib);
}

TEST_CASE("trusted messages may be large, but not deep") {
  constexpr auto bounds = limits::trusted();
  CHECK(bounds.memory_budget(0) == max);
  CHECK(bounds.memory_budget(max) == max);
  CHECK(bounds.max_unbacked_items == max);
  CHECK(bounds.max_depth > limits::untrusted().max_depth);
  CHECK(bounds.max_depth <= 1024);
}

TEST_CASE("budgets do not overflow, whatever the members are") {
  for (auto factor : {size_t{0}, size_t{1}, size_t{16}, max})
    for (auto free : {size_t{0}, size_t{1}, max})
      for (auto all : {size_t{0}, size_t{1}, size_t{1000}, max})
        for (auto input : {size_t{0}, size_t{1}, size_t{999}, max}) {
          auto bounds = limits{};
          bounds.memory_per_input_byte = factor;
          bounds.free_memory_bytes = free;
          bounds.max_memory_bytes = all;
          auto exact = static_cast<long double>(factor) * static_cast<long double>(input)
                       + static_cast<long double>(free);
          auto budget = bounds.memory_budget(input);
          CHECK(budget <= all);
          // Never more than what the members say, and the bound of all only if that is less.
          CHECK(static_cast<long double>(budget) <= exact);
          if (exact < static_cast<long double>(all))
            CHECK(static_cast<long double>(budget) == exact);
          else
            CHECK(budget == all);
        }
}
