// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/layout/type_traits.hpp"
#include "cafwire/wire/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cafwire {

/// How a session is set up.
struct session_options {
  /// The hash of the peer's registry, if it is known (from a handshake, or because both sides are
  /// the same program). If it equals the hash of the own registry, no types are defined on the
  /// wire.
  std::optional<uint64_t> peer_registry_hash;

  /// Bounds on what is read.
  limits bounds = limits::untrusted();

  /// Translates actor handles. Must outlive the session. Without it, handles cannot be sent.
  handle_codec* handles = nullptr;

  /// Whether `deserializer_session::read_message` returns messages with types that are not known
  /// here as a `raw_message`, instead of skipping them, so that they can be passed on.
  bool keep_unknown_messages = false;
};

/// The records of a session stream, told apart by their first varint: a message starts with its
/// signature slot, which is never 0; 0 announces one of these.
enum class record_kind : uint8_t {
  /// Defines a type slot.
  type_definition = 1,
  /// Defines a signature slot.
  signature_definition = 2,
  /// Forgets all definitions.
  reset = 3,
};

/// Type slots up to here belong to the types that the format knows; types of applications follow.
inline constexpr uint32_t max_core_slot = 511;

/// Where the payload of a message starts, given the offset behind its length: messages that may
/// hold long runs start on a multiple of 16.
constexpr size_t payload_offset(size_t offset, uint64_t payload_size) noexcept {
  constexpr size_t mask = layout::long_run_alignment - 1;
  return payload_size < layout::long_run_bytes ? offset : (offset + mask) & ~mask;
}

} // namespace cafwire
