// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/serializer.hpp"

namespace cafwire::detail {

std::byte* make_room(output_buffer& out, const std::byte* pos, size_t num_bytes) noexcept {
  auto size = static_cast<size_t>(pos - out.data());
  out.set_size(size);
  return out.reserve_more(num_bytes) ? out.data() + size : nullptr;
}

} // namespace cafwire::detail
