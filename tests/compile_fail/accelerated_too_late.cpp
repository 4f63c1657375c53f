// This file is part of cafwire. See the file LICENSE for license terms.

// expect: after instantiation|put the macro right behind its inspect overload

#include "cafwire/message/accelerator.hpp"

#include <caf/inspector_access_type.hpp>

#include <cstdint>

struct label {
  int32_t text = 0;
};

template <class Inspector>
bool inspect(Inspector& f, label& x) {
  return f.object(x).fields(f.field("text", x.text));
}

#ifdef CAFWIRE_MUST_FAIL
// What CAF asks of each type that it writes.
using access = decltype(caf::inspect_access_type<caf::binary_serializer, label>());
#endif

CAFWIRE_ACCELERATE(label)
