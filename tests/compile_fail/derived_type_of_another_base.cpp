// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: cafwire::derived_types<T> lists a type that does not derive from T

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

#ifdef CAFWIRE_MUST_FAIL
template <>
inline constexpr auto cafwire::derived_types<shape> = cafwire::derived_list<circle, stranger>{};
#else
template <>
inline constexpr auto cafwire::derived_types<shape> = cafwire::derived_list<circle>{};
#endif

template <>
inline constexpr std::string_view cafwire::wire_name<circle> = "circle";

template <>
inline constexpr std::string_view cafwire::wire_name<stranger> = "stranger";

cafwire::ec write(cafwire::output_buffer& out, const std::unique_ptr<shape>& x) {
  return cafwire::serialize(out, x);
}
