// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: elements are created before they are loaded; give T a public default

#include "cafwire/codec.hpp"

#include <variant>

struct point {
#ifndef CAFWIRE_MUST_FAIL
  point() = default;
#endif

  point(int x_init, int y_init) : x(x_init), y(y_init) {
    // nop
  }

  int x = 0;
  int y = 0;
};

template <class Inspector>
bool inspect(Inspector& f, point& p) {
  return f.object(p).fields(f.field("x", p.x), f.field("y", p.y));
}

cafwire::ec read(std::span<const std::byte> input, std::variant<int, point>& x) {
  return cafwire::deserialize(input, x);
}
