// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: a pointer to void does not know the type of its object

#include "cafwire/codec.hpp"

#include <memory>

struct holder {
#ifdef CAFWIRE_MUST_FAIL
  std::shared_ptr<void> x;
#else
  std::shared_ptr<int> x;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, holder& h) {
  return f.object(h).fields(f.field("x", h.x));
}

cafwire::ec write(cafwire::output_buffer& out, const holder& h) {
  return cafwire::serialize(out, h);
}
