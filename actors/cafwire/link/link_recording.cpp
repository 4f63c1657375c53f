// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_recording.hpp"

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

} // namespace cafwire::detail
