// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: a derived type needs a name: give it a CAF type ID or specialize

#include "cafwire/codec.hpp"

#include <memory>
#include <string_view>

struct shape {
  virtual ~shape() = default;
};

struct circle : shape {
  int radius = 0;
};

struct stranger {
  virtual ~stranger() = default;
};

template <class Inspector>
bool inspect(Inspector& f, circle& x) {
  return f.object(x).fields(f.field("radius", x.radius));
}

template <class Inspector>
bool inspect(Inspector& f, stranger& x) {
  return f.object(x).fields();
}

template <>
inline constexpr auto cafwire::derived_types<shape> = cafwire::derived_list<circle>{};

#ifndef CAFWIRE_MUST_FAIL
template <>
inline constexpr std::string_view cafwire::wire_name<circle> = "circle";
#endif

cafwire::ec write(cafwire::output_buffer& out, const std::unique_ptr<shape>& x) {
  return cafwire::serialize(out, x);
}
