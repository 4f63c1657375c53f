// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: the result is a message: give T a CAF type ID

#include "cafwire/message/async.hpp"

#include <cstdint>
#include <tuple>

struct point {
  int32_t x = 0;
};

template <class Inspector>
bool inspect(Inspector& f, point& p) {
  return f.object(p).fields(f.field("x", p.x));
}

#ifdef CAFWIRE_MUST_FAIL
using result = point;
#else
using result = int32_t;
#endif

void read(caf::scoped_actor& self, const cafwire::shared_bytes& input) {
  std::ignore = cafwire::deserialize_async<result>(self, input);
}
