// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/deserializer.hpp"

#include <limits>

namespace cafwire::detail {

bool load_x87(const std::byte* pos, long double& x) noexcept {
  static_assert(std::numeric_limits<long double>::digits == 64,
                "cafwire: long double is supported on x87 targets only; send a double");
  std::byte bytes[sizeof(long double)] = {};
  std::memcpy(bytes, pos, layout::long_double_size);
  // The processor stores the leading bit of the significand: set exactly if the exponent is not
  // zero. Other combinations are no values.
  auto leading_bit = (bytes[7] & std::byte{0x80}) != std::byte{0};
  auto exponent_is_zero = bytes[8] == std::byte{0} && (bytes[9] & std::byte{0x7f}) == std::byte{0};
  if (leading_bit == exponent_is_zero)
    return false;
  std::memcpy(&x, bytes, sizeof x);
  return true;
}

} // namespace cafwire::detail
