// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/recording/recording_format.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace cafwire {

/// A piece of a recording.
struct recording_chunk {
  chunk_kind kind = chunk_kind::end;
  stream_direction direction = stream_direction::sent;
  /// The number of the stream.
  uint32_t stream = 0;
  /// When it was written: nanoseconds since the epoch of the system clock.
  int64_t time = 0;
  /// Where it starts in the file.
  uint64_t offset = 0;
  /// What it holds, starting on a multiple of 16. Belongs to the reader and stays until the next
  /// call.
  std::span<const std::byte> body;
};

/// What a chunk of the kind `stream` tells.
struct recorded_stream {
  stream_content content = stream_content::session;
  /// Whether a session defines no types: they are those of the chunk of the kind `types`. Read its
  /// body as the begin of the session then.
  bool uses_known_types = false;
  std::string label;
};

/// Reads a recording piece by piece. Safe against any file: no more memory is allocated than the
/// file has bytes. Belongs to one thread.
class recording_reader {
public:
  /// @param bounds `max_frame_bytes` bounds the body of a chunk; the default is that of limits for
  ///        files of our own making.
  explicit recording_reader(const limits& bounds = limits::trusted()) noexcept;

  recording_reader(const recording_reader&) = delete;

  recording_reader& operator=(const recording_reader&) = delete;

  ~recording_reader();

  /// Opens a file and checks its first bytes.
  /// @returns `caf::sec::cannot_open_file`, `ec::invalid_frame` if the file is no recording,
  ///          `ec::incompatible_version`, or `ec::unexpected_end` if it is cut there.
  caf::error open(const std::string& path);

  /// Reads the next piece.
  /// @returns `ec::unexpected_end` if the file was cut: all pieces in front of the cut have been
  ///          read; `ec::invalid_frame` or `ec::nonzero_padding` if the piece is damaged,
  ///          `ec::frame_too_large`, `ec::out_of_memory`. The offset stays where it was then.
  caf::error next(recording_chunk& chunk);

  /// Moves to the next place behind the current one where an undamaged piece starts. Gives
  /// up when it has read 16 times as many bytes as the file has in vain.
  /// @returns whether one was found.
  bool resync();

  /// Returns whether the recording has been read to its end. The last piece has the kind `end`.
  bool at_end() const noexcept {
    return complete_;
  }

  /// Returns where the next piece starts.
  uint64_t offset() const noexcept {
    return offset_;
  }

private:
  struct file_closer {
    void operator()(std::FILE* x) const noexcept {
      std::fclose(x);
    }
  };

  bool read_at(uint64_t offset, std::byte* out, size_t size);

  ec check(uint64_t offset, recording_chunk& chunk, const char*& what);

  limits bounds_;
  std::unique_ptr<std::FILE, file_closer> file_;
  output_buffer body_;
  uint64_t size_ = 0;
  uint64_t offset_ = 0;
  /// Bytes of pieces that turned out to be damaged.
  uint64_t vain_bytes_ = 0;
  bool complete_ = false;
};

/// Reads the body of a chunk of the kind `stream`.
[[nodiscard]] ec read_recorded_stream(std::span<const std::byte> body, recorded_stream& stream);

} // namespace cafwire
