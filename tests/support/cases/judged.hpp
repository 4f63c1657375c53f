// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Types that may be copied, but do not accept all bytes: the reader must look at the values, too.

#include "cafwire/caf_compat.hpp"

#include <caf/default_enum_inspect.hpp>

#include <cmath>
#include <cstdint>
#include <string>

namespace test::cases {

namespace compat = cafwire::compat;

struct flags {
  int32_t number;
  bool a;
  bool b;
  int16_t rest;
};

template <class Inspector>
bool inspect(Inspector& f, flags& x) {
  return f.object(x).fields(f.field("number", x.number), f.field("a", x.a), f.field("b", x.b),
                            f.field("rest", x.rest));
}

struct flag_array {
  bool all[8];
};

template <class Inspector>
bool inspect(Inspector& f, flag_array& x) {
  return f.object(x).fields(f.field("all", x.all));
}

struct nested_flags {
  flags pair[2];
  flag_array more;
};

template <class Inspector>
bool inspect(Inspector& f, nested_flags& x) {
  return f.object(x).fields(f.field("pair", x.pair), f.field("more", x.more));
}

/// Three enumerators, and no other integer is accepted.
enum class color : int32_t {
  red,
  green,
  blue,
};

inline std::string to_string(color x) {
  return x == color::red ? "red" : x == color::green ? "green" : "blue";
}

inline bool from_string(compat::string_view name, color& x) {
  for (auto candidate : {color::red, color::green, color::blue}) {
    if (to_string(candidate) == compat::to_std(name)) {
      x = candidate;
      return true;
    }
  }
  return false;
}

inline bool from_integer(int32_t number, color& x) {
  if (number < 0 || number > 2)
    return false;
  x = static_cast<color>(number);
  return true;
}

template <class Inspector>
bool inspect(Inspector& f, color& x) {
  return caf::default_enum_inspect(f, x);
}

struct colored {
  color c;
  int32_t number;
};

template <class Inspector>
bool inspect(Inspector& f, colored& x) {
  return f.object(x).fields(f.field("c", x.c), f.field("number", x.number));
}

/// An enum that once had another number for `on`: reading accepts both.
enum class power : uint8_t {
  off = 0,
  on = 1,
};

inline std::string to_string(power x) {
  return x == power::on ? "on" : "off";
}

inline bool from_string(compat::string_view name, power& x) {
  x = compat::to_std(name) == "on" ? power::on : power::off;
  return true;
}

inline bool from_integer(uint8_t number, power& x) {
  if (number == 7)
    number = 1;
  if (number > 1)
    return false;
  x = static_cast<power>(number);
  return true;
}

template <class Inspector>
bool inspect(Inspector& f, power& x) {
  return caf::default_enum_inspect(f, x);
}

struct powered {
  power p;
  uint8_t number;
};

template <class Inspector>
bool inspect(Inspector& f, powered& x) {
  return f.object(x).fields(f.field("p", x.p), f.field("number", x.number));
}

struct with_invariant {
  int32_t low, high;
};

template <class Inspector>
bool inspect(Inspector& f, with_invariant& x) {
  return f.object(x).fields(f.field("low", x.low).invariant([](int32_t y) { return y >= 0; }),
                            f.field("high", x.high));
}

/// Checks its fields together, behind the last one.
struct checked_at_end {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, checked_at_end& x) {
  if (!f.object(x).fields(f.field("a", x.a), f.field("b", x.b)))
    return false;
  if constexpr (Inspector::is_loading)
    return x.a != x.b || x.a == 0;
  else
    return true;
}

/// Refuses one kind of float.
struct no_nan {
  double value;
};

template <class Inspector>
bool inspect(Inspector& f, no_nan& x) {
  if (!f.object(x).fields(f.field("value", x.value)))
    return false;
  if constexpr (Inspector::is_loading)
    return !std::isnan(x.value);
  else
    return true;
}

/// Refuses one value out of 2^64.
struct no_magic {
  static constexpr uint64_t magic = 0x1122334455667788u;

  uint64_t value;
};

template <class Inspector>
bool inspect(Inspector& f, no_magic& x) {
  if (!f.object(x).fields(f.field("value", x.value)))
    return false;
  if constexpr (Inspector::is_loading)
    return x.value != no_magic::magic;
  else
    return true;
}

/// Changes what it has read.
struct clamped {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, clamped& x) {
  auto ok = f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
  if constexpr (Inspector::is_loading)
    if (x.a > 1000)
      x.a = 1000;
  return ok;
}

} // namespace test::cases
