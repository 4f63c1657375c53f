// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/wire/limits.hpp"

#include <cstddef>

namespace cafwire {

/// How links behave.
struct link_options {
  /// Bounds on what peers may send.
  limits bounds = limits::untrusted();

  /// The types that links write and accept; everything that the program has registered by default.
  known_types_ptr types = nullptr;

  /// Bytes after which a frame is closed although more messages wait. Small frames stay in the
  /// processor's cache between arriving and being decoded; a message larger than this gets a frame
  /// of its own.
  size_t frame_bytes = size_t{32} << 10;
};

/// What links have done so far. All numbers only grow.
struct link_statistics {
  size_t messages_sent = 0;
  size_t messages_received = 0;
  /// Bytes handed to sockets, handshakes and frame headers included.
  size_t bytes_sent = 0;
  size_t bytes_received = 0;
  size_t frames_sent = 0;
  size_t frames_received = 0;
  /// Types and signatures that were defined on the wire.
  size_t definitions_sent = 0;
  /// Messages that could not be encoded. Requesters got an error.
  size_t encode_errors = 0;
  /// Messages of peers that could not be decoded. Requesters got an error, the links live on.
  size_t decode_errors = 0;
  /// Messages for actors that no longer run. Requesters got an error.
  size_t undeliverable = 0;
};

} // namespace cafwire
