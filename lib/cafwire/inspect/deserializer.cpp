// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/deserializer.hpp"

namespace cafwire {

bool deserializer::x87(long double& x) {
  static_assert(std::numeric_limits<long double>::digits == 64,
                "cafwire: long double is supported on x87 targets only; send a double");
  std::byte bytes[sizeof(long double)] = {};
  if (!raw(bytes, layout::long_double_size))
    return false;
  // The processor stores the leading bit of the significand: set exactly if the exponent is not
  // zero. Other combinations are no values.
  auto leading_bit = (bytes[7] & std::byte{0x80}) != std::byte{0};
  auto exponent_is_zero = bytes[8] == std::byte{0} && (bytes[9] & std::byte{0x7f}) == std::byte{0};
  if (leading_bit == exponent_is_zero)
    return fail(ec::invalid_float);
  std::memcpy(&x, bytes, sizeof x);
  return true;
}

} // namespace cafwire
