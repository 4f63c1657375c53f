// This file is part of cafwire. See the file LICENSE for license terms.

// expect: specialize cafwire::factory<T>

#include "cafwire/codec.hpp"

#include <memory>

struct point {
  point(int x_init, int y_init) : x(x_init), y(y_init) {
    // nop
  }

  int x = 0;
  int y = 0;
};

#ifndef CAFWIRE_MUST_FAIL
template <>
struct cafwire::factory<point> {
  static point make() {
    return {0, 0};
  }
};
#endif

template <class Inspector>
bool inspect(Inspector& f, point& p) {
  return f.object(p).fields(f.field("x", p.x), f.field("y", p.y));
}

cafwire::ec read(std::span<const std::byte> input, std::shared_ptr<point>& x) {
  return cafwire::deserialize(input, x);
}
