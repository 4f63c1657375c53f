// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "dump/listener.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace cafwire::dump {

/// Prints all bytes of a recording and what they mean: offset, bytes, meaning.
class annotator : public listener {
public:
  explicit annotator(std::ostream& out) : out_(out) {
    // nop
  }

  void on_chunk(const recording_chunk& chunk) override;

  void on_stream(const place& where, const recorded_stream& stream, bytes) override;

  void on_types(const place& where, const std::vector<stream_type_ptr>& types, bytes) override;

  void on_frame(const place& where, const frame_header& header, bytes) override;

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
  void row(uint64_t offset, bytes content, std::string_view text);

  std::ostream& out_;
};

} // namespace cafwire::dump
