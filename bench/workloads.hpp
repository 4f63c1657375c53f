// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace cafwire::bench {

// The values that the benchmarks encode, send and decode. The `inspect` overloads are written as an
// application of CAF writes them: nothing in them is specific to cafwire.

/// Three integers: fields back to back, so the object is its own encoding.
struct struct12 {
  int32_t a = 0;
  int32_t b = 0;
  int32_t c = 0;

  friend bool operator==(const struct12&, const struct12&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, struct12& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b), f.field("c", x.c));
}

/// Fields of several kinds with padding between them: 56 bytes in memory, 38 on the wire.
struct mixed {
  int64_t id = 0;
  double weight = 0;
  uint8_t kind = 0;
  int32_t count = 0;
  float position[4] = {};
  bool active = false;

  friend bool operator==(const mixed&, const mixed&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, mixed& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("weight", x.weight),
                            f.field("kind", x.kind), f.field("count", x.count),
                            f.field("position", x.position), f.field("active", x.active));
}

/// A transformation in space: 64 bytes, blittable, the element of long arrays.
struct matrix4x4 {
  std::array<float, 16> values = {};

  friend bool operator==(const matrix4x4&, const matrix4x4&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, matrix4x4& x) {
  return f.object(x).fields(f.field("values", x.values));
}

using byte_vector = std::vector<std::byte>;

using matrix_vector = std::vector<matrix4x4>;

/// Returns the only value of the workload `struct12`. Its numbers have no zero bytes that an
/// encoder could skip.
struct12 make_struct12();

/// Returns the only value of the workload `mixed`.
mixed make_mixed();

/// Returns `n` pseudo-random bytes, the same in every run.
byte_vector make_bytes(size_t n);

/// Returns `n` matrices with pseudo-random numbers from -100 to 100, the same in every run.
matrix_vector make_matrices(size_t n);

/// Returns `n` strings with 4 to 27 characters, the same in every run.
std::vector<std::string> make_strings(size_t n);

/// Returns a map from such strings to numbers.
std::unordered_map<std::string, double> make_string_map(size_t n);

/// Returns `n` pseudo-random bits, the same in every run.
std::vector<bool> make_bools(size_t n);

/// Returns `n` pseudo-random numbers, the same in every run.
std::deque<int32_t> make_deque(size_t n);

} // namespace cafwire::bench
