// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/wire/limits.hpp"

#include <caf/message.hpp>

#include <cstddef>
#include <functional>
#include <limits>

namespace cafwire {

/// How links behave.
struct link_options {
  /// Bounds on what peers may send.
  limits bounds = limits::untrusted();

  /// The types that links write and accept; everything that the program has registered by default.
  known_types_ptr types = nullptr;

  /// Whether messages with types that are not known here arrive as a `raw_message` instead of as an
  /// error, so that an actor can pass them on to a peer that knows them.
  bool keep_unknown_messages = false;

  /// Bytes after which a frame is closed although more messages wait. Small frames stay in the
  /// processor's cache between arriving and being decoded; a message larger than this gets a frame
  /// of its own.
  size_t frame_bytes = size_t{32} << 10;

  /// Bytes that may wait for one peer. Beyond that, requests end with `ec::buffer_full` at once,
  /// and other messages are dropped and counted (`link_statistics::refused`) until the peer has
  /// taken some. Responses and what CAF itself needs to say always pass. Unbounded by default, as
  /// in CAF: a peer that does not read can then make the sender run out of memory.
  size_t max_buffered_bytes = std::numeric_limits<size_t>::max();

  /// Called for each message that was dropped for want of room and had nobody to be told, in the
  /// thread of the sender, without locks. Must not throw.
  std::function<void(const caf::message&)> on_refused;
};

/// What links have done so far. All numbers only grow, except for `bytes_buffered`.
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
  /// Bytes that wait for peers right now.
  size_t bytes_buffered = 0;
  /// Messages that were not sent because too many bytes waited already.
  size_t refused = 0;
  /// Messages that could not be encoded. Requesters got an error.
  size_t encode_errors = 0;
  /// Messages of peers that could not be decoded. Requesters got an error, the links live on.
  size_t decode_errors = 0;
  /// Messages for actors that no longer run. Requesters got an error.
  size_t undeliverable = 0;
};

} // namespace cafwire
