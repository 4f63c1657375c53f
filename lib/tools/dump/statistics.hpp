// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dump/listener.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

namespace cafwire::dump {

/// Counts what a recording holds.
class statistics : public listener {
public:
  void on_chunk(const recording_chunk& chunk) override;

  void on_frame(const place& where, const frame_header& header, bytes) override;

  void on_handshake(const place& where, uint16_t, uint16_t, bytes content) override;

  void on_head(const place& where, const link_head& head, bytes) override;

  void on_reason(const place& where, const link_head& head, bytes reason,
                 type_directory& types) override;

  void on_type(const place& where, uint64_t slot, const stream_type& type, bytes) override;

  void on_signature(const place& where, const stream_signature& signature, bytes) override;

  void on_reset(const place& where, bytes) override;

  void on_message(const place& where, const found_message& msg) override;

  void print(std::ostream& out) const;

private:
  struct list_of_types {
    uint64_t messages = 0;
    uint64_t bytes = 0;
  };

  /// By the types of messages.
  std::map<std::string, list_of_types> lists_;
  uint64_t stream_bytes_ = 0;
  uint64_t messages_ = 0;
  uint64_t errors_ = 0;
  /// Slots, lengths and payloads.
  uint64_t message_bytes_ = 0;
  uint64_t definitions_ = 0;
  uint64_t definition_bytes_ = 0;
  uint64_t frames_ = 0;
  /// Headers and bytes between frames, handshakes, heads of records and exit reasons.
  uint64_t link_bytes_ = 0;
  /// What definitions would take if each message had its own.
  uint64_t bytes_without_session_ = 0;
};

} // namespace cafwire::dump
