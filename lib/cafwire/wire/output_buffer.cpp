// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/output_buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace cafwire {

static_assert(alignof(std::max_align_t) >= 16, "malloc must align to 16 bytes");

bool output_buffer::grow(size_t extra) noexcept {
  constexpr size_t smallest = 256;
  if (extra > std::numeric_limits<size_t>::max() / 2 - size_)
    return false;
  if (!may_hold(size_ + extra))
    return false;
  return reallocate(std::max({size_ + extra, capacity_ + capacity_ / 2, smallest}));
}

bool output_buffer::reallocate(size_t capacity) noexcept {
  auto* memory = std::realloc(data_, capacity);
  if (memory == nullptr)
    return false;
  data_ = static_cast<std::byte*>(memory);
  capacity_ = std::min(capacity, limit_);
  hidden_ = capacity - capacity_;
  return true;
}

} // namespace cafwire
