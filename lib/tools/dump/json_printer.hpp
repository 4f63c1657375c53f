// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dump/listener.hpp"
#include "dump/value_json.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>

namespace cafwire::dump {

/// What became of the payload of a message.
struct decoded_message {
  json values;
  /// Why there are no values, or nothing.
  std::string error;
};

/// Decodes the payload of a message.
decoded_message decode(const found_message& msg);

/// Checks the payload of a message, which is faster than to decode it.
/// @returns why it cannot be decoded, or nothing.
std::string check(const found_message& msg);

/// Prints each thing of a recording as a line of JSON. See `docs/recordings.md`.
class json_printer : public listener {
public:
  /// @param messages_only whether to leave out everything that is no message.
  json_printer(std::ostream& out, bool messages_only) : out_(out), messages_only_(messages_only) {
    // nop
  }

  /// Returns how many messages could not be decoded.
  size_t errors() const noexcept {
    return errors_;
  }

  void on_stream(const place& where, const recorded_stream& stream, bytes) override;

  void on_types(const place& where, const std::vector<stream_type_ptr>& types, bytes) override;

  void on_handshake(const place& where, uint16_t min_version, uint16_t max_version,
                    bytes content) override;

  void on_head(const place& where, const link_head& head, bytes) override;

  void on_reason(const place& where, const link_head& head, bytes reason,
                 type_directory& types) override;

  void on_type(const place& where, uint64_t slot, const stream_type& type, bytes) override;

  void on_signature(const place& where, const stream_signature& signature, bytes) override;

  void on_reset(const place& where, bytes) override;

  void on_message(const place& where, const found_message& msg) override;

private:
  static json line(const char* kind, const place& where);

  void print(const json& x);

  std::ostream& out_;
  bool messages_only_;
  size_t errors_ = 0;
};

} // namespace cafwire::dump
