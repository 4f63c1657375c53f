// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/session/frame.hpp"

#include "cafwire/wire/input_cursor.hpp"
#include "cafwire/wire/little_endian.hpp"

namespace cafwire {

void write_frame_header(std::byte* out, const frame_header& header) noexcept {
  store_little_endian(out, header.body_size);
  out[4] = static_cast<std::byte>(header.kind);
  out[5] = out[6] = out[7] = std::byte{0};
  store_little_endian(out + 8, header.epoch);
  store_little_endian(out + 12, header.sequence);
}

ec read_frame_header(std::span<const std::byte> input, const limits& bounds,
                     frame_header& header) noexcept {
  input_cursor in{input.first(frame_header_size)};
  auto result = frame_header{};
  auto kind = uint8_t{0};
  auto flags = uint8_t{0};
  auto reserved = uint16_t{0};
  for (auto code :
       {in.read_integer(result.body_size), in.read_integer(kind), in.read_integer(flags),
        in.read_integer(reserved), in.read_integer(result.epoch), in.read_integer(result.sequence)})
    if (code != ec::none)
      return code;
  if (kind < static_cast<uint8_t>(frame_kind::handshake)
      || kind > static_cast<uint8_t>(frame_kind::authentication) || flags != 0 || reserved != 0)
    return ec::invalid_frame;
  if (result.body_size > bounds.max_frame_bytes)
    return ec::frame_too_large;
  result.kind = static_cast<frame_kind>(kind);
  header = result;
  return ec::none;
}

ec check_frame_padding(std::span<const std::byte> frame, size_t body_size) noexcept {
  auto padding = frame.subspan(frame_header_size + body_size, frame_padding(body_size));
  for (auto x : padding)
    if (x != std::byte{0})
      return ec::nonzero_padding;
  return ec::none;
}

} // namespace cafwire
