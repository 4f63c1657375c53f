// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/session/type_difference.hpp"
#include "cafwire/shared_key.hpp"
#include "cafwire/wire/limits.hpp"

#include <caf/message.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>

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

  /// What peers must prove to know before anything else. Both sides of a link need the same key, or
  /// none. Needed for addresses other than the loopback interface. Authenticates peers; does not
  /// encrypt what follows, and does not protect it against somebody who can change packets.
  shared_key key;

  /// Lets links without a key use addresses other than the loopback interface, for networks in
  /// which nobody can connect but who may: each peer can make actors of this process do all that
  /// messages can make them do.
  bool allow_unauthenticated = false;

  /// Bytes after which a frame is closed although more messages wait. Small frames stay in the
  /// processor's cache between arriving and being decoded; a message larger than this gets a frame
  /// of its own.
  size_t frame_bytes = size_t{32} << 10;

  /// Bytes that may wait for one peer. Beyond that, requests end with `ec::buffer_full` at once,
  /// and other messages are dropped and counted (`link_statistics::refused`) until the peer has
  /// taken some. Responses and what CAF itself needs to say always pass. Unbounded by default, as
  /// in CAF: a peer that does not read can then make the sender run out of memory.
  size_t max_buffered_bytes = std::numeric_limits<size_t>::max();

  /// Whether peers may start actors of the types that this node knows by name, and find actors in
  /// its registry by name (`remoting::remote_spawn`, `remoting::remote_lookup`), as with CAF's own
  /// networking.
  bool offers_services = true;

  /// Called for each message that was dropped for want of room and had nobody to be told, in the
  /// thread of the sender, without locks. Must not throw.
  std::function<void(const caf::message&)> on_refused;

  /// Called for each type that the peer of a link has in another version, when the peer first uses
  /// it: for logs. By one thread at a time for each link, which receives nothing meanwhile. Must
  /// not throw.
  std::function<void(const type_difference&)> on_difference;

  /// How often the metrics of the actor system learn what links have done; never if 0, except by
  /// `remoting::update_metrics`. Of the options of a `remoting`, not of single links.
  std::chrono::milliseconds metrics_interval{1000};

  /// A folder in which each link records all that it sends and receives, in a file of its own
  /// called `link-<process>-<number>.cafwire`; see `docs/recordings.md`. Recordings hold the
  /// content of all messages, but not how sides prove that they have a shared key. They cost a copy
  /// and some system calls for each write to the socket and for each frame that arrives. Nothing is
  /// recorded by default.
  std::string record_to;
};

/// What links have done so far. All numbers only grow, except for `bytes_buffered`, `open_links`,
/// `remote_actors`, and `exported_actors`.
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
  /// Sent messages that needed no definitions, because the peer knew their types already.
  size_t manifest_hits = 0;
  /// What sessions spare: bytes of definitions that sent messages would have carried if each had
  /// been alone, minus those that were sent.
  size_t bytes_saved = 0;
  /// Links that stand right now.
  size_t open_links = 0;
  /// Connections that ended before the handshake was done.
  size_t failed_handshakes = 0;
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
  /// Links that could not record all that they should. They work nevertheless.
  size_t recording_errors = 0;
  /// Actors of peers that are known here right now.
  size_t remote_actors = 0;
  /// Actors that peers know right now, and that stay alive for that reason.
  size_t exported_actors = 0;
};

} // namespace cafwire
