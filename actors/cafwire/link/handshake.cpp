// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/handshake.hpp"

#include "cafwire/codec.hpp"
#include "cafwire/session/frame.hpp"

#include <algorithm>
#include <cstring>

namespace cafwire::detail {

namespace {

template <class Inspector>
bool inspect(Inspector& f, handshake& x) {
  return f.apply(x.epoch) && f.apply(x.registry_hash) && f.apply(x.max_frame_bytes)
         && f.apply(x.node) && f.apply(x.published) && f.apply(x.interface) && f.apply(x.services);
}

/// Bytes of the part that never changes.
constexpr size_t preamble_size = handshake_magic.size() + 2 * sizeof(uint16_t);

} // namespace

ec write_handshake(output_buffer& out, const handshake& content) {
  auto start = out.size();
  const std::byte header[frame_header_size] = {};
  if (!out.append(header, sizeof header))
    return ec::out_of_memory;
  if (auto code = serialize(out, handshake_magic, content.min_version, content.max_version);
      code != ec::none)
    return code;
  {
    serializer f{out};
    if (!inspect(f, const_cast<handshake&>(content)))
      return f.code();
  }
  auto body_size = out.size() - start - frame_header_size;
  const std::byte zeros[frame_alignment] = {};
  if (!out.append(zeros, frame_padding(body_size)))
    return ec::out_of_memory;
  auto counter = frame_counter{content.epoch};
  write_frame_header(out.data() + start, counter.next(frame_kind::handshake, body_size));
  return ec::none;
}

ec read_handshake(std::span<const std::byte> input, const limits& bounds, handshake& content,
                  size_t& consumed) {
  // A peer that speaks something else should not keep us waiting: its first bytes are enough.
  constexpr size_t kind_offset = 4;
  if (input.size() > kind_offset) {
    auto kind = static_cast<frame_kind>(input[kind_offset]);
    if (kind == frame_kind::authentication)
      return ec::authentication_required;
    if (kind != frame_kind::handshake)
      return ec::wrong_peer;
  }
  if (input.size() < frame_header_size)
    return ec::unexpected_end;
  frame_header header;
  if (read_frame_header(input, bounds, header) != ec::none || header.sequence != 0
      || header.body_size > bounds.max_handshake_bytes || header.body_size < preamble_size)
    return ec::wrong_peer;
  auto body = input.subspan(frame_header_size);
  auto magic_size = std::min(body.size(), handshake_magic.size());
  if (std::memcmp(body.data(), handshake_magic.data(), magic_size) != 0)
    return ec::wrong_peer;
  if (input.size() < frame_size(header.body_size))
    return ec::unexpected_end;
  if (auto code = check_frame_padding(input, header.body_size); code != ec::none)
    return code;
  body = body.first(header.body_size);
  auto magic = std::array<char, 8>{};
  if (auto code = deserialize(body.first(preamble_size), bounds, magic, content.min_version,
                              content.max_version);
      code != ec::none)
    return code;
  if (content.max_version < min_protocol_version || content.min_version > max_protocol_version)
    return ec::incompatible_version;
  deserializer f{body.subspan(preamble_size), bounds};
  auto ok = false;
  auto code = without_exceptions([&] {
    ok = inspect(f, content);
    return f.code();
  });
  // The frame is here in full: waiting would not help.
  if (code == ec::unexpected_end)
    return ec::invalid_frame;
  if (code != ec::none)
    return code;
  if (!ok || f.remaining() != 0)
    return ec::trailing_bytes;
  if (header.epoch != static_cast<uint32_t>(content.epoch))
    return ec::wrong_epoch;
  if (!content.node)
    return ec::wrong_peer;
  consumed = frame_size(header.body_size);
  return ec::none;
}

} // namespace cafwire::detail
