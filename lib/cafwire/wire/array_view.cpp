// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/array_view.hpp"

#include "cafwire/wire/buffer_pool.hpp"

namespace cafwire {

namespace {

/// Gives a buffer back when nobody needs it any more.
class pooled_buffer {
public:
  pooled_buffer(output_buffer&& buffer, std::shared_ptr<buffer_pool> pool)
    : buffer_(std::move(buffer)), pool_(std::move(pool)) {
    // nop
  }

  pooled_buffer(const pooled_buffer&) = delete;

  pooled_buffer& operator=(const pooled_buffer&) = delete;

  ~pooled_buffer() {
    pool_->release(std::move(buffer_));
  }

  std::span<const std::byte> bytes() const noexcept {
    return buffer_.bytes();
  }

private:
  output_buffer buffer_;
  std::shared_ptr<buffer_pool> pool_;
};

} // namespace

shared_bytes share(output_buffer&& buffer, std::shared_ptr<buffer_pool> pool) {
  if (pool == nullptr)
    return share(std::move(buffer));
  auto owner = std::make_shared<const pooled_buffer>(std::move(buffer), std::move(pool));
  auto bytes = owner->bytes();
  return {std::move(owner), bytes};
}

} // namespace cafwire
