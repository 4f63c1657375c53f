// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: nobody knows how to create objects for this deleter; use

#include "cafwire/codec.hpp"

#include <memory>

struct close_it {
  void operator()(int* x) const {
    delete x;
  }
};

struct holder {
#ifdef CAFWIRE_MUST_FAIL
  std::unique_ptr<int, close_it> x;
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
