// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/frame_collector.hpp"

#include "cafwire/session/frame.hpp"

#include <cstring>
#include <utility>

namespace cafwire::detail {

void frame_collector::drop(size_t num_bytes) noexcept {
  auto left = buffer_.size() - num_bytes;
  if (num_bytes > 0 && left > 0)
    std::memmove(buffer_.data(), buffer_.data() + num_bytes, left);
  buffer_.truncate(left);
}

ec frame_collector::scan(const limits& bounds) noexcept {
  missing_ = 0;
  for (;;) {
    auto rest = buffer_.bytes().subspan(complete_);
    if (rest.size() < frame_header_size)
      return ec::none;
    frame_header header;
    if (auto code = read_frame_header(rest, bounds, header); code != ec::none)
      return code;
    auto size = frame_size(header.body_size);
    if (size > rest.size()) {
      missing_ = size - rest.size();
      return ec::none;
    }
    complete_ += size;
  }
}

ec frame_collector::take(output_buffer spare, output_buffer& frames) noexcept {
  auto rest = buffer_.bytes().subspan(complete_);
  if (!spare.append(rest.data(), rest.size()))
    return ec::out_of_memory;
  buffer_.truncate(complete_);
  complete_ = 0;
  frames = std::exchange(buffer_, std::move(spare));
  return ec::none;
}

} // namespace cafwire::detail
