// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_recording.hpp"

#include "cafwire/session/frame.hpp"

#include <unistd.h>

#include <atomic>
#include <system_error>

namespace cafwire::detail {

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

void link_recording::write(stream_direction direction, std::span<const std::byte> frames) {
  // Very much at once goes into several chunks, each of which has whole frames.
  constexpr size_t enough = size_t{64} << 20;
  size_t size = 0;
  while (size < frames.size() && size < enough) {
    frame_header header;
    if (read_frame_header(frames.subspan(size), limits::trusted(), header) != ec::none)
      size = frames.size();
    else
      size += frame_size(header.body_size);
  }
  writer_.write(stream_, direction, frames.first(size));
  if (size < frames.size())
    write(direction, frames.subspan(size));
}

} // namespace cafwire::detail
