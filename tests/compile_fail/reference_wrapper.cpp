// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: a reference means nothing to another process; send the

#include "cafwire/codec.hpp"

#include <functional>

struct holder {
#ifdef CAFWIRE_MUST_FAIL
  std::reference_wrapper<int> x;
#else
  int x;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, holder& h) {
  return f.object(h).fields(f.field("x", h.x));
}

cafwire::ec write(cafwire::output_buffer& out, const holder& h) {
  return cafwire::serialize(out, h);
}
