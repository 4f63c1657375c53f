// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cafwire {

// The layout of recordings. See `docs/wire-format.md`, section 6.

/// The first eight bytes of a recording.
inline constexpr auto recording_magic = std::array<char, 8>{'c', 'a', 'f', 'w',
                                                            'r', 'e', 'c', '\n'};

/// The version of the layout.
inline constexpr uint16_t recording_version = 1;

/// Bytes in front of the first chunk.
inline constexpr size_t recording_header_size = 16;

/// The first four bytes of each chunk, by which a reader finds chunks behind damage.
inline constexpr auto chunk_magic = std::array<char, 4>{'c', 'h', 'n', 'k'};

/// Bytes of the header of a chunk.
inline constexpr size_t chunk_header_size = 32;

/// Chunks and their bodies start on a multiple of this.
inline constexpr size_t chunk_alignment = 16;

/// What a chunk holds.
enum class chunk_kind : uint8_t {
  /// What a stream is.
  stream = 1,
  /// The types of the application that records, as type definitions of a session.
  types = 2,
  /// Bytes of a stream.
  data = 3,
  /// Nothing: the recording is complete.
  end = 4,
};

/// What the bytes of a stream are.
enum class stream_content : uint8_t {
  /// Records of a session.
  session = 1,
  /// Frames of a link, the handshakes included.
  link = 2,
};

/// Where bytes of a stream went, seen from the side that records.
enum class stream_direction : uint8_t {
  sent = 0,
  received = 1,
};

/// Returns how many zero bytes follow the body of a chunk.
constexpr size_t chunk_padding(size_t body_size) noexcept {
  return (chunk_alignment - body_size % chunk_alignment) % chunk_alignment;
}

} // namespace cafwire
