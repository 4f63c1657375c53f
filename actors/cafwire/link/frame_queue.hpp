// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/session/frame.hpp"
#include "cafwire/wire/buffer_pool.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace cafwire::detail {

/// What a link is going to send: buffers of complete frames, and one more buffer at their end, in
/// which a frame may be open for further records. Not thread-safe.
///
/// A frame that is open has a limit: what would make it grow far beyond its usual size fails, and
/// is for a frame of its own, with a payload that was encoded apart (`begin_large`).
class frame_queue {
public:
  /// How far a record may grow beyond the usual size of a frame. Encoding that much takes a few
  /// microseconds.
  static constexpr size_t large_bytes = size_t{64} << 10;

  /// @param frame_bytes the size of a frame that takes no further records.
  /// @param next_sequence the number of the first frame.
  frame_queue(uint64_t epoch, uint32_t next_sequence, size_t frame_bytes)
    : counter_(epoch, next_sequence), frame_bytes_(frame_bytes) {
    // nop
  }

  /// Returns the buffer at the end, for the records of the open frame. Also for what comes before
  /// the first frame.
  output_buffer& buffer() noexcept {
    return out_;
  }

  // -- frames of many records ---------------------------------------------------------------------

  bool has_open_frame() const noexcept {
    return start_.has_value();
  }

  /// Opens a frame unless one is open.
  /// @returns `false` if there is not enough memory.
  [[nodiscard]] bool open() {
    return start_ || begin();
  }

  /// Returns how many bytes the open frame holds so far.
  /// @pre `has_open_frame()`
  size_t body_size() const noexcept {
    return out_.size() - *start_ - frame_header_size;
  }

  /// Returns whether the open frame, if any, shall be closed.
  bool is_full() const noexcept {
    return start_ && body_size() >= frame_bytes_;
  }

  /// Completes the open frame, if any. One without records is dropped.
  /// @returns whether there is one more frame now.
  bool close();

  // -- frames with a large payload ----------------------------------------------------------------

  /// Opens a frame of its own for a message whose payload has been encoded already.
  /// @returns `false` if there is not enough memory.
  [[nodiscard]] bool begin_large();

  /// Completes that frame: a payload follows what was appended to it.
  /// @param payload is moved from, without a copy.
  /// @param max_body_size what the peer accepts.
  /// @returns `ec::frame_too_large` or `ec::out_of_memory`; `drop` must follow then.
  [[nodiscard]] ec end_large(output_buffer& payload, size_t max_body_size);

  /// Forgets the open frame and all that is in it.
  void drop();

  // -- what waits ---------------------------------------------------------------------------------

  bool empty() const noexcept {
    return sealed_.empty() && out_.empty();
  }

  /// Returns whether there are complete frames in front of the buffer at the end.
  bool has_sealed() const noexcept {
    return !sealed_.empty();
  }

  /// Returns how many bytes wait, those included that were taken last.
  size_t bytes_waiting() const noexcept {
    return sealed_bytes_ + out_.size() + in_flight_;
  }

  /// Swaps the next bytes to send with those that were taken before.
  /// @param pool gets large buffers that were taken before.
  /// @pre no frame is open, or `has_sealed()`
  /// @pre `!empty()`
  void take(output_buffer& out, buffer_pool& pool);

  /// Notes that all bytes that were taken have been written.
  void written() noexcept {
    in_flight_ = 0;
  }

  /// Forgets everything.
  void clear();

  /// Frees the buffer at the end if it is not in use.
  void release_memory();

private:
  bool begin();

  /// Moves a buffer behind those that are complete.
  void seal(output_buffer& buffer);

  frame_counter counter_;
  size_t frame_bytes_;
  /// Buffers that are complete, in front of `out_`.
  std::deque<output_buffer> sealed_;
  size_t sealed_bytes_ = 0;
  output_buffer out_;
  /// Where the open frame starts in `out_`.
  std::optional<size_t> start_;
  size_t in_flight_ = 0;
};

} // namespace cafwire::detail
