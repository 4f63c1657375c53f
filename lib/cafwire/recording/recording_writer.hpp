// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/recording/recording_format.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace cafwire {

/// Copies streams of sessions or links to a file that describes itself: `cafwire-dump` prints it
/// without the program, and years later. See `docs/recordings.md`.
///
/// All bytes are with the operating system when a function returns, so a crash of the program loses
/// nothing that was written before; what a crash of the machine cuts off does not harm the rest.
/// The first error is kept, and nothing is written after it. Thread-safe; each call costs one or
/// two system calls.
class recording_writer {
public:
  recording_writer() = default;

  recording_writer(const recording_writer&) = delete;

  recording_writer& operator=(const recording_writer&) = delete;

  /// Calls `close`.
  ~recording_writer();

  /// Creates a file.
  /// @returns an error if that does not work, or if the file exists: recordings are not
  ///          overwritten.
  std::error_code open(const std::string& path);

  /// Announces a stream and describes the types of the program.
  /// @param label a text for people.
  /// @param types what the session or link was created with.
  /// @param uses_known_types whether the session defines no types, because both sides have the same
  ///        registry (`serializer_session::uses_known_types`). Links tell that themselves.
  /// @returns the number of the stream.
  uint32_t add_stream(stream_content content, std::string_view label, const known_types& types,
                      bool uses_known_types = false);

  /// Writes what a stream has moved.
  /// @param bytes what a session has written to one buffer, from its begin on, or whole frames of a
  ///        link: alignment counts from the first byte. Less than 4 GiB.
  std::error_code write(uint32_t stream, stream_direction direction,
                        std::span<const std::byte> bytes);

  /// Completes the file.
  std::error_code close();

  /// Returns the first error.
  std::error_code status() const;

private:
  struct file_closer {
    void operator()(std::FILE* x) const noexcept {
      std::fclose(x);
    }
  };

  void put(const void* data, size_t size);

  void put_chunk(chunk_kind kind, uint32_t stream, stream_direction direction,
                 std::span<const std::byte> body);

  mutable std::mutex mutex_;
  std::unique_ptr<std::FILE, file_closer> file_;
  std::error_code status_;
  uint32_t streams_ = 0;
};

} // namespace cafwire
