// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/buffer_pool.hpp"

#include <utility>

namespace cafwire {

buffer_pool::buffer_pool(size_t max_buffers, size_t max_buffer_bytes)
  : max_buffers_(max_buffers), max_buffer_bytes_(max_buffer_bytes) {
  // Giving a buffer back must not fail, so there is always room for it.
  buffers_.reserve(max_buffers);
}

output_buffer buffer_pool::acquire() {
  std::lock_guard guard{mutex_};
  if (buffers_.empty())
    return {};
  auto result = std::move(buffers_.back());
  buffers_.pop_back();
  return result;
}

void buffer_pool::release(output_buffer&& buffer) {
  auto mine = std::move(buffer); // freed outside of the lock if there is no place for it
  if (mine.capacity() == 0 || mine.capacity() > max_buffer_bytes_)
    return;
  mine.clear();
  std::lock_guard guard{mutex_};
  if (buffers_.size() < max_buffers_)
    buffers_.push_back(std::move(mine));
}

void buffer_pool::clear() {
  std::vector<output_buffer> freed; // without holding the lock
  freed.reserve(max_buffers_);
  std::lock_guard guard{mutex_};
  freed.swap(buffers_);
}

size_t buffer_pool::idle() const {
  std::lock_guard guard{mutex_};
  return buffers_.size();
}

} // namespace cafwire
