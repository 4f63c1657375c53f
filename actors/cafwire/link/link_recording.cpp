// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_recording.hpp"

#include "cafwire/session/frame.hpp"

#include <unistd.h>

#include <atomic>
#include <system_error>

namespace cafwire::detail {

namespace {

constexpr size_t chunk_bytes = size_t{64} << 20;

} // namespace

link_recording::link_recording(const std::string& folder, std::string_view label,
                               const known_types& types) {
  static std::atomic<size_t> number{0};
  auto base = folder + "/link-" + std::to_string(::getpid()) + '-';
  // An earlier process may have had the same ID.
  std::error_code status;
  do
    status = writer_.open(base + std::to_string(++number) + ".cafwire");
  while (status == std::errc::file_exists);
  if (!status)
    stream_ = writer_.add_stream(stream_content::link, label, types);
}

void link_recording::write(stream_direction direction, std::span<const std::byte> bytes) {
  auto& rest = rest_[static_cast<size_t>(direction)];
  // Large messages leave in several buffers.
  if (!rest.empty()) {
    if (!rest.append(bytes.data(), bytes.size()))
      out_of_memory_ = true;
    bytes = rest.bytes();
  }
  size_t start = 0;
  size_t size = 0;
  frame_header header;
  while (bytes.size() - size >= frame_header_size
         && read_frame_header(bytes.subspan(size), limits::trusted(), header) == ec::none
         && frame_size(header.body_size) <= bytes.size() - size) {
    size += frame_size(header.body_size);
    // Very much at once goes into several chunks.
    if (size - start >= chunk_bytes) {
      writer_.write(stream_, direction, bytes.subspan(start, size - start));
      start = size;
    }
  }
  writer_.write(stream_, direction, bytes.subspan(start, size - start));
  output_buffer next;
  if (!next.append(bytes.data() + size, bytes.size() - size))
    out_of_memory_ = true;
  rest.swap(next);
}

} // namespace cafwire::detail
