// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/output_buffer.hpp"

#include <cstddef>
#include <mutex>
#include <vector>

namespace cafwire {

/// Keeps buffers for reuse, so that a program in steady state does not allocate. Thread-safe: hand
/// out in one thread, take back in another.
class buffer_pool {
public:
  /// @param max_buffers how many idle buffers to keep.
  /// @param max_buffer_bytes buffers with more capacity than this are freed instead of kept, so
  ///        that one huge message does not pin its memory forever.
  explicit buffer_pool(size_t max_buffers = 64, size_t max_buffer_bytes = size_t{1} << 20);

  buffer_pool(const buffer_pool&) = delete;

  buffer_pool& operator=(const buffer_pool&) = delete;

  /// Returns an empty buffer: the one that was given back last, or a new one without memory.
  output_buffer acquire();

  /// Takes a buffer back. Its content is lost.
  void release(output_buffer&& buffer);

  /// Frees all buffers that wait for reuse.
  void clear();

  /// Returns the number of buffers that wait for reuse.
  size_t idle() const;

private:
  mutable std::mutex mutex_;
  std::vector<output_buffer> buffers_;
  size_t max_buffers_;
  size_t max_buffer_bytes_;
};

} // namespace cafwire
