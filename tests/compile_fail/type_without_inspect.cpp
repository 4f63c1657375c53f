// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: please provide an inspect overload for T or a cafwire::formatter<T>

#include "cafwire/codec.hpp"

struct point {
  int x;
  int y;
};

#ifndef CAFWIRE_MUST_FAIL
template <class Inspector>
bool inspect(Inspector& f, point& p) {
  return f.object(p).fields(f.field("x", p.x), f.field("y", p.y));
}
#endif

cafwire::ec write(cafwire::output_buffer& out, const point& p) {
  return cafwire::serialize(out, p);
}
