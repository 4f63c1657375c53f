// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "messages.hpp"

#include <cafwire/message/accelerator.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace cafwire::bench {

// The same values once more, opted in to the accelerator: what is accelerated is so in the whole
// program, and the other transports must not profit.

struct fast_struct12 {
  int32_t a = 0;
  int32_t b = 0;
  int32_t c = 0;
};

template <class Inspector>
bool inspect(Inspector& f, fast_struct12& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b), f.field("c", x.c));
}

struct fast_matrix4x4 {
  std::array<float, 16> values = {};
};

template <class Inspector>
bool inspect(Inspector& f, fast_matrix4x4& x) {
  return f.object(x).fields(f.field("values", x.values));
}

using fast_matrix_vector = std::vector<fast_matrix4x4>;

} // namespace cafwire::bench

CAFWIRE_ACCELERATE_ALL(bench_types, (cafwire::bench::fast_struct12),
                       (cafwire::bench::fast_matrix4x4))

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_bench_accelerated, caf::id_block::cafwire_bench::end)

  CAF_ADD_TYPE_ID(cafwire_bench_accelerated, (cafwire::bench::fast_struct12))
  CAF_ADD_TYPE_ID(cafwire_bench_accelerated, (cafwire::bench::fast_matrix4x4))
  CAF_ADD_TYPE_ID(cafwire_bench_accelerated, (cafwire::bench::fast_matrix_vector))

CAF_END_TYPE_ID_BLOCK(cafwire_bench_accelerated)
