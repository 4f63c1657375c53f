// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/frame_queue.hpp"

#include <limits>
#include <utility>

namespace cafwire::detail {

bool frame_queue::begin() {
  auto start = out_.size();
  const std::byte header[frame_header_size] = {};
  if (!out_.append(header, sizeof header))
    return false;
  start_ = start;
  // What is larger than the rest of the frame gets a frame of its own.
  constexpr auto max_size = std::numeric_limits<size_t>::max();
  auto room = frame_bytes_ < max_size - large_bytes - out_.size() ? frame_bytes_ + large_bytes
                                                                  : max_size - out_.size();
  out_.limit(out_.size() + room);
  return true;
}

bool frame_queue::close() {
  if (!start_)
    return false;
  auto start = *start_;
  auto size = body_size();
  const std::byte zeros[frame_alignment] = {};
  start_ = std::nullopt;
  out_.unlimit();
  if (size == 0 || !out_.append(zeros, frame_padding(size))) {
    out_.truncate(start);
    return false;
  }
  write_frame_header(out_.data() + start, counter_.next(frame_kind::records, size));
  return true;
}

bool frame_queue::begin_large() {
  if (!out_.empty())
    seal(out_);
  return open();
}

ec frame_queue::end_large(output_buffer& payload, size_t max_body_size) {
  auto size = body_size() + payload.size();
  const std::byte zeros[frame_alignment] = {};
  if (size > max_body_size)
    return ec::frame_too_large;
  if (!payload.append(zeros, frame_padding(size)))
    return ec::out_of_memory;
  write_frame_header(out_.data() + *start_, counter_.next(frame_kind::records, size));
  start_ = std::nullopt;
  out_.unlimit();
  seal(out_);
  seal(payload);
  return ec::none;
}

void frame_queue::drop() {
  out_.unlimit();
  out_.truncate(*std::exchange(start_, std::nullopt));
}

void frame_queue::take(output_buffer& out, buffer_pool& pool) {
  if (sealed_.empty()) {
    out.clear();
    out.swap(out_);
  } else {
    out.swap(sealed_.front());
    if (sealed_.front().capacity() >= large_bytes)
      pool.release(std::move(sealed_.front()));
    sealed_.pop_front();
    sealed_bytes_ -= out.size();
  }
  in_flight_ = out.size();
}

void frame_queue::clear() {
  sealed_.clear();
  sealed_bytes_ = 0;
  out_ = output_buffer{};
  start_ = std::nullopt;
  in_flight_ = 0;
}

void frame_queue::release_memory() {
  if (out_.empty())
    out_ = output_buffer{};
}

void frame_queue::seal(output_buffer& buffer) {
  sealed_bytes_ += buffer.size();
  sealed_.push_back(std::exchange(buffer, output_buffer{}));
}

} // namespace cafwire::detail
