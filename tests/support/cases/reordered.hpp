// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Types whose `inspect` overload does not visit the members one behind the other.

#include <cstdint>
#include <cstring>

namespace test::cases {

struct out_of_order {
  int32_t a, b, c;
};

template <class Inspector>
bool inspect(Inspector& f, out_of_order& x) {
  return f.object(x).fields(f.field("c", x.c), f.field("a", x.a), f.field("b", x.b));
}

struct one_field_twice {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, one_field_twice& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("a", x.a), f.field("b", x.b));
}

/// The sizes of the fields add up to the size of the struct, and yet they are not the struct.
struct twice_that_fits {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, twice_that_fits& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("a", x.a));
}

/// The base comes last on the wire, but first in memory.
struct base_behind : out_of_order {
  int32_t d;
};

template <class Inspector>
bool inspect(Inspector& f, base_behind& x) {
  return f.object(x).fields(f.field("d", x.d), f.field("base", static_cast<out_of_order&>(x)));
}

/// Reads what others wrote in another order.
struct reads_backwards {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, reads_backwards& x) {
  if constexpr (Inspector::is_loading)
    return f.object(x).fields(f.field("b", x.b), f.field("a", x.a));
  else
    return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

/// Writes a temporary.
struct halved {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, halved& x) {
  auto twice = static_cast<int32_t>(static_cast<uint32_t>(x.a) * 2);
  auto ok = f.object(x).fields(f.field("twice", twice), f.field("b", x.b));
  if constexpr (Inspector::is_loading)
    x.a = twice / 2;
  return ok;
}

struct bit_field {
  uint32_t a : 8, b : 24;
};

template <class Inspector>
bool inspect(Inspector& f, bit_field& x) {
  uint32_t a = x.a;
  uint32_t b = x.b;
  auto ok = f.object(x).fields(f.field("a", a), f.field("b", b));
  if constexpr (Inspector::is_loading) {
    x.a = a & 0xff;
    x.b = b & 0xffffff;
  }
  return ok;
}

inline int32_t outside = 5;

/// The first field lives elsewhere.
struct follows_pointer {
  int32_t* p = &outside;
  int32_t a = 0;
  int32_t b = 0;
};

template <class Inspector>
bool inspect(Inspector& f, follows_pointer& x) {
  return f.object(x).fields(f.field("p", *x.p), f.field("a", x.a), f.field("b", x.b));
}

/// Not assignable, so no candidate.
struct with_reference {
  int32_t& target;
  int32_t a;
};

template <class Inspector>
bool inspect(Inspector& f, with_reference& x) {
  return f.object(x).fields(f.field("target", x.target), f.field("a", x.a));
}

/// Not a class, so no candidate.
union number_or_real {
  int32_t number;
  float real;
};

template <class Inspector>
bool inspect(Inspector& f, number_or_real& x) {
  return f.object(x).fields(f.field("number", x.number));
}

/// Reads differently depending on what was there before.
struct looks_back {
  int32_t a = 0;
  int32_t b = 0;
};

template <class Inspector>
bool inspect(Inspector& f, looks_back& x) {
  if (x.b == 0)
    return f.object(x).fields(f.field("b", x.b), f.field("a", x.a));
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

/// Counts how often it was written, after it was written.
struct counted {
  int32_t a;
  uint32_t writes;
};

template <class Inspector>
bool inspect(Inspector& f, counted& x) {
  auto ok = f.object(x).fields(f.field("a", x.a), f.field("writes", x.writes));
  if constexpr (!Inspector::is_loading)
    ++x.writes;
  return ok;
}

/// Fills a field in before it is written.
struct checksummed {
  int32_t a;
  uint32_t sum;
};

template <class Inspector>
bool inspect(Inspector& f, checksummed& x) {
  if constexpr (!Inspector::is_loading)
    x.sum = static_cast<uint32_t>(x.a) * 31 + 7;
  return f.object(x).fields(f.field("a", x.a), f.field("sum", x.sum));
}

} // namespace test::cases
