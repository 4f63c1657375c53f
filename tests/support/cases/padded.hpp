// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Types with bytes in memory that no field owns: never copied as a whole.

#include "support/cases/blittable.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace test::cases {

struct padded_middle {
  int8_t a;
  int32_t b;
};

template <class Inspector>
bool inspect(Inspector& f, padded_middle& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

struct padded_tail {
  double a;
  int32_t b;
};

template <class Inspector>
bool inspect(Inspector& f, padded_tail& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

/// The padding is inside of the elements, and the parts around them may be copied.
struct padded_inside {
  point start;
  padded_tail elements[3];
  matrix rest;
};

template <class Inspector>
bool inspect(Inspector& f, padded_inside& x) {
  return f.object(x).fields(f.field("start", x.start), f.field("elements", x.elements),
                            f.field("rest", x.rest));
}

struct padded_grid {
  padded_middle cells[2][3];
  std::array<padded_tail, 2> tails[2];
};

template <class Inspector>
bool inspect(Inspector& f, padded_grid& x) {
  return f.object(x).fields(f.field("cells", x.cells), f.field("tails", x.tails));
}

struct alignas(16) simd3 {
  float x, y, z;
};

template <class Inspector>
bool inspect(Inspector& f, simd3& v) {
  return f.object(v).fields(f.field("x", v.x), f.field("y", v.y), f.field("z", v.z));
}

struct extended {
  long double value;
};

template <class Inspector>
bool inspect(Inspector& f, extended& x) {
  return f.object(x).fields(f.field("value", x.value));
}

struct extended_duration {
  std::chrono::duration<long double> value;
};

template <class Inspector>
bool inspect(Inspector& f, extended_duration& x) {
  return f.object(x).fields(f.field("value", x.value));
}

struct with_nothing {
  nothing none;
  int32_t a;
};

template <class Inspector>
bool inspect(Inspector& f, with_nothing& x) {
  return f.object(x).fields(f.field("none", x.none), f.field("a", x.a));
}

/// A member that is never written.
struct with_pointer {
  int64_t a;
  const int32_t* where;
};

template <class Inspector>
bool inspect(Inspector& f, with_pointer& x) {
  return f.object(x).fields(f.field("a", x.a));
}

struct omits_middle {
  int32_t a, b, c;
};

template <class Inspector>
bool inspect(Inspector& f, omits_middle& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("c", x.c));
}

struct omits_last {
  int32_t a, b, c;
};

template <class Inspector>
bool inspect(Inspector& f, omits_last& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

/// Computes a member from others after reading.
struct with_cache {
  int32_t a, b;
  int64_t sum = 0;
};

template <class Inspector>
bool inspect(Inspector& f, with_cache& x) {
  auto ok = f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
  if constexpr (Inspector::is_loading)
    x.sum = int64_t{x.a} + x.b;
  return ok;
}

} // namespace test::cases
