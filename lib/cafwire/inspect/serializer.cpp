// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/serializer.hpp"

namespace cafwire {

bool serializer::grow(size_t num_bytes) {
  auto size = static_cast<size_t>(pos_ - out_->data());
  out_->set_size(size);
  if (!out_->reserve_more(num_bytes))
    return fail(ec::out_of_memory);
  pos_ = out_->data() + size;
  end_ = out_->data() + out_->capacity();
  return true;
}

} // namespace cafwire
