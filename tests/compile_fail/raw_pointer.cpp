// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: an address means nothing to another process; send the

#include "cafwire/codec.hpp"

#include <memory>

struct holder {
#ifdef CAFWIRE_MUST_FAIL
  int* x;
#else
  std::unique_ptr<int> x;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, holder& h) {
  return f.object(h).fields(f.field("x", h.x));
}

cafwire::ec write(cafwire::output_buffer& out, const holder& h) {
  return cafwire::serialize(out, h);
}
