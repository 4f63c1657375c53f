// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dump/listener.hpp"

#include <cafwire/wire/input_cursor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cafwire::dump {

/// What is wrong with a stream, and where.
struct damage {
  ec code = ec::none;
  std::string text;
  uint64_t offset = 0;
};

using outcome = std::optional<damage>;

/// Takes one direction of a stream apart with nothing but what the stream tells. Checks what
/// `docs/wire-format.md` says, except for the payloads of messages. Safe against any input.
class stream_decoder {
public:
  stream_decoder(listener& out, std::shared_ptr<type_directory> types);

  /// Tells which types are known without a definition.
  void know(const std::vector<stream_type_ptr>& types);

  /// Something is missing in front of what follows: definitions and frames may be.
  void lose_track() noexcept {
    lost_ = true;
  }

  /// Reads whole records of a session.
  outcome read_session(const place& where, std::span<const std::byte> body);

  /// Reads whole frames of a link.
  outcome read_link(const place& where, std::span<const std::byte> body);

  /// Returns the hash of the registry that the handshake tells, if it has been read.
  std::optional<uint64_t> registry_hash() const noexcept {
    return registry_hash_;
  }

private:
  outcome fail(const input_cursor& in, ec code, std::string text = {}) const;

  place at(const std::byte* position) const;

  outcome read_record(input_cursor& in, const link_head* head, bool& was_message);

  outcome read_control(input_cursor& in, const std::byte* start);

  outcome define_type(input_cursor& in, const std::byte* start);

  outcome define_signature(input_cursor& in, const std::byte* start);

  outcome read_message(input_cursor& in, const link_head* head, const std::byte* start,
                       uint64_t slot);

  outcome read_handshake(input_cursor& in, const frame_header& header);

  outcome read_link_record(input_cursor& in);

  /// Reads the head of a record of a link, and what belongs to it except for messages and exit
  /// reasons.
  outcome read_head(input_cursor& in, link_head& head);

  /// Reads where a source on a third node lives.
  outcome read_identity(input_cursor& in, link_head& head);

  listener& out_;
  std::shared_ptr<type_directory> directory_;
  std::vector<stream_type_ptr> known_;
  std::vector<stream_type_ptr> types_;
  /// By slots.
  std::map<uint64_t, stream_signature> signatures_;
  uint64_t last_signature_ = 0;
  std::optional<uint64_t> registry_hash_;
  std::optional<frame_counter> frames_;
  bool lost_ = false;
  /// Where the current body is in the file, and in memory.
  place where_;
  const std::byte* base_ = nullptr;
};

} // namespace cafwire::dump
