// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: a pointer to a polymorphic type may point to objects of others; list

#include "cafwire/codec.hpp"

#include <memory>

struct open_base {
  virtual ~open_base() = default;

  int a = 0;
};

struct closed final {
  virtual ~closed() = default;

  int a = 0;
};

template <class Inspector>
bool inspect(Inspector& f, open_base& x) {
  return f.object(x).fields(f.field("a", x.a));
}

template <class Inspector>
bool inspect(Inspector& f, closed& x) {
  return f.object(x).fields(f.field("a", x.a));
}

struct holder {
#ifdef CAFWIRE_MUST_FAIL
  std::unique_ptr<open_base> x;
#else
  std::unique_ptr<closed> x;
#endif
};

template <class Inspector>
bool inspect(Inspector& f, holder& h) {
  return f.object(h).fields(f.field("x", h.x));
}

cafwire::ec write(cafwire::output_buffer& out, const holder& h) {
  return cafwire::serialize(out, h);
}
