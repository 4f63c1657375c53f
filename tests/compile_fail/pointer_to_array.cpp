// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: an array behind a pointer does not know its length; use

#include "cafwire/codec.hpp"

#include <memory>
#include <vector>

struct holder {
#ifdef CAFWIRE_MUST_FAIL
  std::unique_ptr<int[]> x;
#else
  std::vector<int> x;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, holder& h) {
  return f.object(h).fields(f.field("x", h.x));
}

cafwire::ec write(cafwire::output_buffer& out, const holder& h) {
  return cafwire::serialize(out, h);
}
