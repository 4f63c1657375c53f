// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/input_cursor.hpp"

namespace cafwire {

input_cursor::parsed_varint input_cursor::parse_long_varint(const std::byte* pos,
                                                            const std::byte* end) noexcept {
  // Two bytes, the last one of which is neither zero nor announces more.
  if (end - pos >= 2 && pos[0] >= std::byte{0x80} && static_cast<uint8_t>(pos[1]) - 1u < 0x7fu)
    return {pos + 2, (static_cast<uint64_t>(pos[0]) & 0x7f) | static_cast<uint64_t>(pos[1]) << 7};
  auto failed = [](ec code) { return parsed_varint{nullptr, static_cast<uint64_t>(code)}; };
  uint64_t result = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (pos == end)
      return failed(ec::unexpected_end);
    auto bits = static_cast<uint64_t>(*pos++);
    // The tenth byte has room for one bit only.
    if (shift == 63 && bits > 1)
      return failed(ec::invalid_varint);
    result |= (bits & 0x7f) << shift;
    if (bits < 0x80) {
      if (bits == 0 && shift > 0)
        return failed(ec::invalid_varint);
      return {pos, result};
    }
  }
  return failed(ec::invalid_varint);
}

} // namespace cafwire
