// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Types whose memory is their encoding: both directions may copy.

#include "cafwire/caf_compat.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace test::cases {

namespace compat = cafwire::compat;

struct point {
  int32_t x, y, z;
};

template <class Inspector>
bool inspect(Inspector& f, point& x) {
  return f.object(x).fields(f.field("x", x.x), f.field("y", x.y), f.field("z", x.z));
}

struct matrix {
  float cells[16];
};

template <class Inspector>
bool inspect(Inspector& f, matrix& x) {
  return f.object(x).fields(f.field("cells", x.cells));
}

struct std_arrays {
  std::array<uint16_t, 6> shorts;
  std::array<std::array<int32_t, 2>, 3> grid;
};

template <class Inspector>
bool inspect(Inspector& f, std_arrays& x) {
  return f.object(x).fields(f.field("shorts", x.shorts), f.field("grid", x.grid));
}

struct c_arrays {
  int16_t grid[3][4];
  char name[5];
  uint8_t raw[3];
};

template <class Inspector>
bool inspect(Inspector& f, c_arrays& x) {
  return f.object(x).fields(f.field("grid", x.grid), f.field("name", x.name),
                            f.field("raw", x.raw));
}

struct path {
  double length;
  point start;
  point stops[3];
};

template <class Inspector>
bool inspect(Inspector& f, path& x) {
  return f.object(x).fields(f.field("length", x.length), f.field("start", x.start),
                            f.field("stops", x.stops));
}

struct numbers {
  double f64;
  int64_t i64;
  uint64_t u64;
  float f32;
  int32_t i32;
  uint32_t u32;
  int16_t i16;
  uint16_t u16;
  int8_t i8;
  uint8_t u8;
  char text[6];
};

template <class Inspector>
bool inspect(Inspector& f, numbers& x) {
  return f.object(x).fields(f.field("f64", x.f64), f.field("i64", x.i64), f.field("u64", x.u64),
                            f.field("f32", x.f32), f.field("i32", x.i32), f.field("u32", x.u32),
                            f.field("i16", x.i16), f.field("u16", x.u16), f.field("i8", x.i8),
                            f.field("u8", x.u8), f.field("text", x.text));
}

struct moments {
  std::chrono::milliseconds delay;
  std::chrono::duration<double> exact_delay;
  std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds> when;
};

template <class Inspector>
bool inspect(Inspector& f, moments& x) {
  return f.object(x).fields(f.field("delay", x.delay), f.field("exact_delay", x.exact_delay),
                            f.field("when", x.when));
}

struct some_bytes {
  compat::byte first;
  std::byte second;
  uint16_t rest;
};

template <class Inspector>
bool inspect(Inspector& f, some_bytes& x) {
  return f.object(x).fields(f.field("first", x.first), f.field("second", x.second),
                            f.field("rest", x.rest));
}

/// Hands its bytes over as a span.
struct byte_span {
  compat::byte data[8];
  int64_t tail;
};

template <class Inspector>
bool inspect(Inspector& f, byte_span& x) {
  return f.value(caf::span<compat::byte>{x.data, 8}) && f.apply(x.tail);
}

/// Lists its members without the DSL.
struct by_apply {
  int32_t a;
  float b;
};

template <class Inspector>
bool inspect(Inspector& f, by_apply& x) {
  return f.apply(x.a) && f.apply(x.b);
}

/// Talks to the inspector the long way.
struct by_hand {
  int32_t a;
  uint32_t b;
};

template <class Inspector>
bool inspect(Inspector& f, by_hand& x) {
  return f.begin_object(caf::invalid_type_id, "by_hand") && f.begin_field("a") && f.apply(x.a)
         && f.end_field() && f.begin_field("b") && f.apply(x.b) && f.end_field() && f.end_object();
}

struct with_id {
  int32_t id;
};

struct derived : with_id {
  int32_t value;
};

template <class Inspector>
bool inspect(Inspector& f, derived& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("value", x.value));
}

/// Six bytes of data in eight bytes of memory: a class derived from it fills the rest.
class roomy_base {
public:
  int32_t a = 0;
  int8_t b = 0;

  template <class Inspector>
  friend bool inspect(Inspector& f, roomy_base& x) {
    return f.object(x).fields(f.field("a", x.a), f.field("b", x.b), f.field("c", x.c_));
  }

private:
  int8_t c_ = 0;
};

struct fills_tail : roomy_base {
  int8_t d = 0;
  int8_t e = 0;
};

template <class Inspector>
bool inspect(Inspector& f, fills_tail& x) {
  return f.object(x).fields(f.field("base", static_cast<roomy_base&>(x)), f.field("d", x.d),
                            f.field("e", x.e));
}

class with_private_members {
public:
  template <class Inspector>
  friend bool inspect(Inspector& f, with_private_members& x) {
    return f.object(x).fields(f.field("a", x.a_), f.field("b", x.b_));
  }

private:
  int32_t a_ = 1;
  int32_t b_ = 2;
};

struct nothing {};

template <class Inspector>
bool inspect(Inspector& f, nothing& x) {
  return f.object(x).fields();
}

/// The empty member takes no memory.
struct with_hidden_nothing {
  [[no_unique_address]] nothing none;
  int32_t a;
  int32_t b;
};

template <class Inspector>
bool inspect(Inspector& f, with_hidden_nothing& x) {
  return f.object(x).fields(f.field("none", x.none), f.field("a", x.a), f.field("b", x.b));
}

struct alignas(16) simd {
  float x, y, z, w;
};

template <class Inspector>
bool inspect(Inspector& f, simd& v) {
  return f.object(v).fields(f.field("x", v.x), f.field("y", v.y), f.field("z", v.z),
                            f.field("w", v.w));
}

/// Aligned beyond what any run on the wire is.
struct alignas(64) cache_line {
  int64_t cells[8];
};

template <class Inspector>
bool inspect(Inspector& f, cache_line& x) {
  return f.object(x).fields(f.field("cells", x.cells));
}

struct with_rank {
  int32_t rank;
};

/// The fields of two bases, the second one by an overload of its own.
struct two_bases : with_id, with_rank {
  int32_t value;
};

template <class Inspector>
bool inspect(Inspector& f, with_rank& x) {
  return f.object(x).fields(f.field("rank", x.rank));
}

template <class Inspector>
bool inspect(Inspector& f, two_bases& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("rank", static_cast<with_rank&>(x)),
                            f.field("value", x.value));
}

/// Arrays of arrays of structs of arrays.
struct deep_arrays {
  c_arrays grid[2][2];
  std::array<std::array<point, 2>, 3> points;
};

template <class Inspector>
bool inspect(Inspector& f, deep_arrays& x) {
  return f.object(x).fields(f.field("grid", x.grid), f.field("points", x.points));
}

#pragma pack(push, 1)
struct packed {
  char a;
  char b[4];
  int8_t c;
};
#pragma pack(pop)

template <class Inspector>
bool inspect(Inspector& f, packed& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b), f.field("c", x.c));
}

/// All branches write the same bytes.
struct tagged {
  int32_t kind;
  union {
    int32_t number;
    float real;
  } u;
};

template <class Inspector>
bool inspect(Inspector& f, tagged& x) {
  return f.apply(x.kind) && (x.kind == 1 ? f.apply(x.u.real) : f.apply(x.u.number));
}

/// No default constructor: values can be written, but elements cannot be created.
struct no_default {
  int32_t a, b;

  explicit no_default(int32_t x) : a(x), b(-x) {
    // nop
  }
};

template <class Inspector>
bool inspect(Inspector& f, no_default& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

/// The default constructor leaves the members as they are.
struct uninitialized {
  int32_t a;
  int32_t b;

  uninitialized() { // NOLINT: leaves the members alone on purpose
    // nop
  }
};

template <class Inspector>
bool inspect(Inspector& f, uninitialized& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

/// Written by all inspectors in one order, unless a switch of the program says otherwise.
struct switched {
  int32_t a, b;

  static inline bool reversed = false;
};

template <class Inspector>
bool inspect(Inspector& f, switched& x) {
  if (switched::reversed)
    return f.object(x).fields(f.field("b", x.b), f.field("a", x.a));
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

} // namespace test::cases
