// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: a string view owns no memory to load into; load a std::string

#include "cafwire/codec.hpp"

#include <string>
#include <string_view>

#ifdef CAFWIRE_MUST_FAIL
using text = std::string_view;
#else
using text = std::string;
#endif

cafwire::ec read(std::span<const std::byte> input, text& x) {
  return cafwire::deserialize(input, x);
}
