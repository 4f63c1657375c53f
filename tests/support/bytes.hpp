// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace test {

using bytes = std::vector<std::byte>;

inline bytes to_bytes(std::span<const std::byte> xs) {
  return {xs.begin(), xs.end()};
}

/// Writes bytes as hex digits, two per byte, so that a failed comparison shows what differs.
inline std::string to_hex(std::span<const std::byte> xs) {
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  std::string result;
  result.reserve(xs.size() * 2);
  for (auto x : xs) {
    result += digits[static_cast<size_t>(x) >> 4];
    result += digits[static_cast<size_t>(x) & 15];
  }
  return result;
}

/// Reads hex digits; spaces separate what belongs together.
inline bytes from_hex(std::string_view digits) {
  bytes result;
  auto high = -1;
  for (auto c : digits) {
    if (c == ' ')
      continue;
    auto bits = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (bits < 0)
      throw std::invalid_argument{"not a lower-case hex digit"};
    if (high < 0) {
      high = bits;
    } else {
      result.push_back(static_cast<std::byte>(high * 16 + bits));
      high = -1;
    }
  }
  if (high >= 0)
    throw std::invalid_argument{"odd number of hex digits"};
  return result;
}

/// A copy of bytes in heap memory that ends where the bytes end, so that AddressSanitizer sees each
/// read behind them. The bytes start `shift` bytes behind a 16-byte boundary.
class exact_copy {
public:
  explicit exact_copy(std::span<const std::byte> xs, size_t shift = 0)
    : memory_(std::malloc(xs.size() + shift + (xs.empty() && shift == 0 ? 1 : 0))),
      shift_(shift),
      size_(xs.size()) {
    if (memory_ == nullptr)
      throw std::bad_alloc{};
    std::copy(xs.begin(), xs.end(), first());
  }

  exact_copy(const exact_copy&) = delete;

  exact_copy& operator=(const exact_copy&) = delete;

  ~exact_copy() {
    std::free(memory_);
  }

  std::span<const std::byte> get() const noexcept {
    return {first(), size_};
  }

private:
  std::byte* first() const noexcept {
    return static_cast<std::byte*>(memory_) + shift_;
  }

  void* memory_;
  size_t shift_;
  size_t size_;
};

} // namespace test
