// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

namespace cafwire {

/// A growing array of bytes that never initializes memory just to overwrite it. The memory starts
/// on a 16-byte boundary, which keeps long runs aligned. Clearing keeps the memory. Belongs to one
/// thread at a time.
class output_buffer {
public:
  output_buffer() noexcept = default;

  output_buffer(output_buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      hidden_(std::exchange(other.hidden_, 0)),
      limit_(std::exchange(other.limit_, no_limit)),
      limit_reached_(std::exchange(other.limit_reached_, false)) {
    // nop
  }

  output_buffer& operator=(output_buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  output_buffer(const output_buffer&) = delete;

  output_buffer& operator=(const output_buffer&) = delete;

  ~output_buffer() {
    std::free(data_);
  }

  std::byte* data() noexcept {
    return data_;
  }

  const std::byte* data() const noexcept {
    return data_;
  }

  /// Returns the number of bytes written.
  size_t size() const noexcept {
    return size_;
  }

  bool empty() const noexcept {
    return size_ == 0;
  }

  size_t capacity() const noexcept {
    return capacity_;
  }

  /// Returns what was written.
  std::span<const std::byte> bytes() const noexcept {
    return {data_, size_};
  }

  /// Forgets the content and keeps the memory.
  void clear() noexcept {
    size_ = 0;
  }

  /// Cuts off everything behind the first `size` bytes.
  /// @pre `size <= this->size()`
  void truncate(size_t size) noexcept {
    size_ = size;
  }

  /// Makes room for at least `capacity` bytes in all. Allocates exactly that much if it has to.
  /// @returns `false` if there is not enough memory; the buffer is unchanged then.
  [[nodiscard]] bool reserve(size_t capacity) noexcept {
    return capacity <= capacity_ || (may_hold(capacity) && reallocate(capacity));
  }

  /// Makes room for `extra` more bytes, growing by at least one half so that appending costs O(1)
  /// per byte.
  /// @returns `false` if there is not enough memory; the buffer is unchanged then.
  [[nodiscard]] bool reserve_more(size_t extra) noexcept {
    return extra <= capacity_ - size_ || grow(extra);
  }

  /// Declares `size` bytes as written.
  /// @pre `size <= capacity()` and the bytes behind the old size have been written.
  void set_size(size_t size) noexcept {
    size_ = size;
  }

  /// Appends `num_bytes` bytes.
  /// @returns `false` if there is not enough memory; the buffer is unchanged then.
  [[nodiscard]] bool append(const void* bytes, size_t num_bytes) noexcept {
    if (!reserve_more(num_bytes))
      return false;
    if (num_bytes > 0)
      std::memcpy(data_ + size_, bytes, num_bytes);
    size_ += num_bytes;
    return true;
  }

  /// Refuses to grow beyond `max_size` bytes from now on, as if memory were used up: whoever writes
  /// gives up early, and `limit_reached` tells why. Costs nothing while bytes are appended.
  /// @pre `size() <= max_size`
  void limit(size_t max_size) noexcept {
    unlimit();
    limit_ = max_size;
    if (capacity_ > max_size) {
      hidden_ = capacity_ - max_size;
      capacity_ = max_size;
    }
  }

  /// Takes the limit away.
  void unlimit() noexcept {
    capacity_ += std::exchange(hidden_, 0);
    limit_ = no_limit;
    limit_reached_ = false;
  }

  /// Returns whether the buffer has refused to grow since the limit was set.
  bool limit_reached() const noexcept {
    return limit_reached_;
  }

  void swap(output_buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(hidden_, other.hidden_);
    std::swap(limit_, other.limit_);
    std::swap(limit_reached_, other.limit_reached_);
  }

private:
  static constexpr size_t no_limit = std::numeric_limits<size_t>::max();

  /// Returns whether the limit allows for a size.
  bool may_hold(size_t size) noexcept {
    limit_reached_ = limit_reached_ || size > limit_;
    return size <= limit_;
  }

  bool grow(size_t extra) noexcept;

  bool reallocate(size_t capacity) noexcept;

  std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  /// Bytes behind `capacity_` that the limit keeps back.
  size_t hidden_ = 0;
  size_t limit_ = no_limit;
  bool limit_reached_ = false;
};

} // namespace cafwire
