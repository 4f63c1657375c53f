// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dump/stream_types.hpp"

#include <cafwire/recording/recording_reader.hpp>
#include <cafwire/session/frame.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cafwire::dump {

/// A list of types of messages.
struct stream_signature {
  uint64_t slot = 0;
  std::vector<uint64_t> slots;
  std::vector<stream_type_ptr> types;
  /// Bytes of its definition.
  size_t definition_size = 0;
};

/// What stands in front of a message or control record of a link.
struct link_head {
  /// The name that `docs/wire-format.md` gives to the operation.
  std::string_view op;
  uint64_t target = 0;
  std::optional<uint64_t> source;
  /// Whether the actor lives on a third node.
  bool relayed_target = false;
  bool relayed_source = false;
  bool returned_source = false;
  /// The number of CAF.
  std::optional<uint64_t> id;
  /// Where a source on a third node lives, in the encoding of `identity_schema`; empty if nobody
  /// says so.
  std::span<const std::byte> identity;
  /// Of a release: how many records its sender has received.
  std::optional<uint64_t> seen;
};

/// A message, found but not decoded.
struct found_message {
  const stream_signature* signature = nullptr;
  /// The head of a record of a link, if there is one.
  const link_head* head = nullptr;
  std::span<const std::byte> payload;
  /// Everything from the first byte of the record on.
  std::span<const std::byte> record;
  type_directory* types = nullptr;
};

/// Where something stands.
struct place {
  uint32_t stream = 0;
  stream_direction direction = stream_direction::sent;
  int64_t time = 0;
  /// Offset in the file.
  uint64_t offset = 0;
};

/// Gets everything that a recording holds, in the order of the file. `bytes` are those of the file.
/// All functions do nothing unless overridden.
class listener {
public:
  using bytes = std::span<const std::byte>;

  virtual ~listener() = default;

  virtual void on_chunk(const recording_chunk&) {
    // nop
  }

  virtual void on_stream(const place&, const recorded_stream&, bytes) {
    // nop
  }

  /// The types that the application knows. They have no place in the stream.
  virtual void on_types(const place&, const std::vector<stream_type_ptr>&, bytes) {
    // nop
  }

  virtual void on_frame(const place&, const frame_header&, bytes) {
    // nop
  }

  /// A handshake, in the encoding of `handshake_schema`, behind its magic bytes and versions.
  virtual void on_handshake(const place&, uint16_t, uint16_t, bytes) {
    // nop
  }

  /// The head of a record, and what belongs to it except for messages and exit reasons.
  virtual void on_head(const place&, const link_head&, bytes) {
    // nop
  }

  /// An exit reason, as a `caf::error`, behind its length.
  virtual void on_reason(const place&, const link_head&, bytes, type_directory&) {
    // nop
  }

  virtual void on_type(const place&, uint64_t, const stream_type&, bytes) {
    // nop
  }

  virtual void on_signature(const place&, const stream_signature&, bytes) {
    // nop
  }

  virtual void on_reset(const place&, bytes) {
    // nop
  }

  virtual void on_message(const place&, const found_message&) {
    // nop
  }
};

/// The fields of a handshake behind its versions.
inline constexpr std::string_view handshake_schema
  = "{epoch:u64,registry_hash:u64,max_frame_bytes:u64,node:caf::node_id,published:u64,"
    "interface:set(seq(c8)),services:u64}";

/// Says who an actor of a third node is.
inline constexpr std::string_view identity_schema = "{node:caf::node_id,id:u64}";

} // namespace cafwire::dump
