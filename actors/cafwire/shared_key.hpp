// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace cafwire {

/// Bytes that all nodes of a cluster know and nobody else does: whoever has them may connect.
/// Copies share one memory, which is overwritten with zeros when the last of them goes. Cannot be
/// printed, inspected or compared on purpose.
///
/// Take at least 16 bytes from a good source of random numbers, for example those that
/// `head -c 32 /dev/urandom` prints. A password that people remember is not enough: whoever has
/// seen one handshake can try passwords at leisure.
class shared_key {
public:
  /// The fewest bytes that links accept.
  static constexpr size_t min_size = 16;

  /// No key at all: links do not authenticate.
  shared_key() noexcept = default;

  /// Copies the bytes, and leaves it to the caller to clear what they came from. Fewer than
  /// `min_size` bytes are a key as well, but one that links refuse (`ec::weak_key`).
  explicit shared_key(std::span<const std::byte> bytes);

  /// @copydoc shared_key(std::span<const std::byte>)
  explicit shared_key(std::string_view bytes);

  /// Returns whether there is a key, possibly one without bytes.
  explicit operator bool() const noexcept {
    return bytes_ != nullptr;
  }

  std::span<const std::byte> bytes() const noexcept {
    return bytes_ != nullptr ? std::span<const std::byte>{*bytes_} : std::span<const std::byte>{};
  }

private:
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

} // namespace cafwire
