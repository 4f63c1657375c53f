// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/recording/recording_writer.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cafwire::detail {

/// Writes both directions of a link to a file of its own. Thread-safe.
class link_recording {
public:
  /// Creates a file in a folder. The link goes on without it if that fails.
  /// @param label a text for people.
  link_recording(const std::string& folder, std::string_view label, const known_types& types);

  /// Takes what moves in one direction, and writes all frames that are whole. For one thread at a
  /// time in each direction.
  void write(stream_direction direction, std::span<const std::byte> bytes);

  /// Returns whether something could not be written.
  bool failed() const {
    return out_of_memory_ || writer_.status();
  }

private:
  recording_writer writer_;
  /// The begin of a frame whose end has not been seen, by directions.
  output_buffer rest_[2];
  std::atomic<bool> out_of_memory_{false};
  uint32_t stream_ = 0;
};

} // namespace cafwire::detail
