// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Bytes for the tests of messages and sessions: hexadecimal text, and streams that are put together
// by hand, without the code under test.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace session_test {

using byte_vector = std::vector<std::byte>;

inline byte_vector to_vector(std::span<const std::byte> xs) {
  return {xs.begin(), xs.end()};
}

inline std::string to_hex(std::span<const std::byte> xs) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (auto x : xs) {
    if (!result.empty())
      result += ' ';
    result += digits[std::to_integer<size_t>(x) >> 4];
    result += digits[std::to_integer<size_t>(x) & 15];
  }
  return result;
}

/// Reads bytes in hexadecimal. Blanks do not count; `xx*n` stands for `n` bytes `xx`.
inline byte_vector from_hex(std::string_view text) {
  auto digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9')
      return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f')
      return static_cast<unsigned>(c - 'a') + 10;
    throw std::invalid_argument{std::string{"no hexadecimal digit: "} + c};
  };
  byte_vector result;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    if (text[i] == '*') {
      size_t n = 0;
      for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
        n = n * 10 + static_cast<size_t>(text[i] - '0');
      if (n == 0 || result.empty())
        throw std::invalid_argument{"nothing to repeat"};
      result.resize(result.size() + n - 1, result.back());
      continue;
    }
    if (i + 1 == text.size())
      throw std::invalid_argument{"half a byte"};
    result.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
    i += 2;
  }
  return result;
}

/// A copy of some bytes in memory of exactly that size, so that a sanitizer sees each step beyond.
/// Starts on a multiple of 16, as input that was read from a link does.
class exact_copy {
public:
  explicit exact_copy(std::span<const std::byte> xs)
    : bytes_(new std::byte[xs.size()]), size_(xs.size()) {
    std::copy(xs.begin(), xs.end(), bytes_.get());
  }

  std::span<const std::byte> get() const noexcept {
    return {bytes_.get(), size_};
  }

private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t size_;
};

/// Puts a stream together record by record, as `docs/wire-format.md` describes it.
class stream_builder {
public:
  stream_builder& raw(std::span<const std::byte> xs) {
    bytes_.insert(bytes_.end(), xs.begin(), xs.end());
    return *this;
  }

  stream_builder& byte(uint8_t x) {
    bytes_.push_back(static_cast<std::byte>(x));
    return *this;
  }

  stream_builder& varint(uint64_t x) {
    for (; x >= 128; x /= 128)
      byte(static_cast<uint8_t>(x % 128 + 128));
    return byte(static_cast<uint8_t>(x));
  }

  stream_builder& u64(uint64_t x) {
    for (auto i = 0; i < 8; ++i)
      byte(static_cast<uint8_t>(x >> (8 * i)));
    return *this;
  }

  stream_builder& text(std::string_view x) {
    varint(x.size());
    return raw(std::as_bytes(std::span{x}));
  }

  /// Appends a record that is no message: its kind, its length, its body.
  stream_builder& record(uint8_t kind, const stream_builder& body) {
    byte(0).byte(kind).varint(body.bytes_.size());
    return raw(body.bytes_);
  }

  stream_builder& type(uint64_t slot, std::string_view name, uint64_t fingerprint,
                       std::string_view schema = {}) {
    stream_builder body;
    body.varint(slot).text(name).u64(fingerprint).text(schema);
    return record(1, body);
  }

  stream_builder& signature(uint64_t slot, std::initializer_list<uint64_t> types) {
    stream_builder body;
    body.varint(slot).varint(types.size());
    for (auto x : types)
      body.varint(x);
    return record(2, body);
  }

  stream_builder& reset() {
    return byte(0).byte(3);
  }

  stream_builder& message(uint64_t slot, std::span<const std::byte> payload) {
    varint(slot).varint(payload.size());
    if (payload.size() >= 256)
      while (bytes_.size() % 16 != 0)
        byte(0);
    return raw(payload);
  }

  stream_builder& message(uint64_t slot, std::string_view hex) {
    return message(slot, std::span<const std::byte>{from_hex(hex)});
  }

  std::span<const std::byte> bytes() const noexcept {
    return bytes_;
  }

  size_t size() const noexcept {
    return bytes_.size();
  }

private:
  byte_vector bytes_;
};

} // namespace session_test
