// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: only aggregates have members that reflection can see; provide an inspect

#include "cafwire/codec.hpp"
#include "cafwire/reflect.hpp"

struct point {
#ifdef CAFWIRE_MUST_FAIL
  explicit point(int value = 0) : x(value) {
    // nop
  }
#endif

  int x = 0;
  int y = 0;
};

template <>
inline constexpr bool cafwire::reflect_members<point> = true;

cafwire::ec write(cafwire::output_buffer& out, const point& p) {
  return cafwire::serialize(out, p);
}
