// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/fwd.hpp>
#include <caf/node_id.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

namespace cafwire::detail {

/// The versions of the link protocol that this program speaks.
inline constexpr uint16_t min_protocol_version = 1;

/// @copydoc min_protocol_version
inline constexpr uint16_t max_protocol_version = 1;

/// The first eight bytes of each handshake.
inline constexpr auto handshake_magic = std::array<char, 8>{'c', 'a', 'f', 'w',
                                                            'i', 'r', 'e', '\n'};

/// What both sides of a link tell each other first. The layout of the first two fields never
/// changes between versions, so that any two versions can tell that they do not fit.
struct handshake {
  uint16_t min_version = min_protocol_version;
  uint16_t max_version = max_protocol_version;
  /// Identifies the session of this direction.
  uint64_t epoch = 0;
  /// The hash of the registry: with equal hashes, types need no definitions.
  uint64_t registry_hash = 0;
  /// The largest frame body that the sender of the handshake accepts, in bytes.
  uint64_t max_frame_bytes = 0;
  caf::node_id node;
  /// The actor that is published at the port, or 0. Of the accepting side only.
  uint64_t published = 0;
  /// The messaging interface of a typed actor; empty for dynamically typed ones.
  std::set<std::string> interface;
  /// The actor that offers the services of the node, or 0.
  uint64_t services = 0;
};

/// Appends the first frame of a direction.
[[nodiscard]] ec write_handshake(output_buffer& out, const handshake& content);

/// Reads the first frame of a direction.
/// @param input what has arrived so far.
/// @param consumed receives the size of the frame.
/// @returns `ec::unexpected_end` if more must arrive first, `ec::wrong_peer` if this is no cafwire,
///          `ec::authentication_required` if the peer wants a proof first,
///          `ec::incompatible_version` if there is no common version, or what is malformed.
[[nodiscard]] ec read_handshake(std::span<const std::byte> input, const limits& bounds,
                                handshake& content, size_t& consumed);

} // namespace cafwire::detail
