// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: include cafwire/reflect.hpp for the members of T

#include "cafwire/codec.hpp"

#ifndef CAFWIRE_MUST_FAIL
#  include "cafwire/reflect.hpp"
#endif

struct point {
  int x;
  int y;
};

template <>
inline constexpr bool cafwire::reflect_members<point> = true;

cafwire::ec write(cafwire::output_buffer& out, const point& p) {
  return cafwire::serialize(out, p);
}
