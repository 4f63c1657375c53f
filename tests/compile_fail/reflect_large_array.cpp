// This file is part of cafwire. See the file LICENSE for license terms.

// expect: list the names in cafwire::member_names<T>

#include "cafwire/codec.hpp"
#include "cafwire/reflect.hpp"

#include <array>
#include <string_view>

struct text {
  char chars[100];
  int length;
};

template <>
inline constexpr bool cafwire::reflect_members<text> = true;

#ifndef CAFWIRE_MUST_FAIL
template <>
inline constexpr auto cafwire::member_names<text> = std::array<std::string_view, 2>{"chars",
                                                                                    "length"};
#endif

cafwire::ec write(cafwire::output_buffer& out, const text& x) {
  return cafwire::serialize(out, x);
}
