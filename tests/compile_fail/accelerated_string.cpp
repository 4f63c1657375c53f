// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: only trivially copyable classes with an inspect overload can be accelerated

#include "cafwire/message/accelerator.hpp"

#include <cstdint>
#include <string>

struct label {
#ifdef CAFWIRE_MUST_FAIL
  std::string text;
#else
  int32_t text;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, label& x) {
  return f.object(x).fields(f.field("text", x.text));
}

CAFWIRE_ACCELERATE(label)
