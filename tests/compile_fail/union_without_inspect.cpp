// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: nobody knows which member of a union is active; use

#include "cafwire/codec.hpp"

#include <variant>

union number {
  int i;
  float f;
};

struct holder {
#ifdef CAFWIRE_MUST_FAIL
  number x;
#else
  std::variant<int, float> x;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, holder& h) {
  return f.object(h).fields(f.field("x", h.x));
}

cafwire::ec write(cafwire::output_buffer& out, const holder& h) {
  return cafwire::serialize(out, h);
}
