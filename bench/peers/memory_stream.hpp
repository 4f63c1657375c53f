// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <istream>
#include <memory>
#include <ostream>
#include <span>
#include <streambuf>
#include <vector>

namespace cafwire::bench {

// Streams over memory for peers that write to `std::ostream` and read from `std::istream`: their
// memory and their state are used again for each message, which the streams of the standard library
// cannot do.

/// Appends to a block of memory that doubles when it is full.
class memory_sink : public std::streambuf {
public:
  explicit memory_sink(size_t capacity) : bytes_(std::max<size_t>(capacity, 256)) {
    clear();
  }

  void clear() {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }

  const char* begin() const noexcept {
    return bytes_.data();
  }

  size_t size() const noexcept {
    return static_cast<size_t>(pptr() - bytes_.data());
  }

protected:
  int_type overflow(int_type c) override {
    grow(1);
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
    return c;
  }

  std::streamsize xsputn(const char* xs, std::streamsize n) override {
    auto num_bytes = static_cast<size_t>(n);
    if (num_bytes > static_cast<size_t>(epptr() - pptr()))
      grow(num_bytes);
    std::memcpy(pptr(), xs, num_bytes);
    // Cheaper than `pbump`, and without its limit.
    setp(pptr() + num_bytes, bytes_.data() + bytes_.size());
    return n;
  }

private:
  void grow(size_t num_bytes) {
    auto used = size();
    bytes_.resize(std::max(2 * bytes_.size(), used + num_bytes));
    setp(bytes_.data() + used, bytes_.data() + bytes_.size());
  }

  std::vector<char> bytes_;
};

/// A sink with the stream that peers expect. Can be moved.
class stream_buffer {
public:
  explicit stream_buffer(size_t capacity) : parts_(std::make_unique<parts>(capacity)) {
    // nop
  }

  void clear() {
    parts_->sink.clear();
  }

  std::ostream& stream() {
    return parts_->stream;
  }

  std::streambuf& sink() {
    return parts_->sink;
  }

  const void* data() const noexcept {
    return parts_->sink.begin();
  }

  std::span<const std::byte> bytes() const noexcept {
    return std::as_bytes(std::span{parts_->sink.begin(), parts_->sink.size()});
  }

private:
  struct parts {
    explicit parts(size_t capacity) : sink(capacity), stream(&sink) {
      // nop
    }

    memory_sink sink;
    std::ostream stream;
  };

  std::unique_ptr<parts> parts_;
};

/// Reads from memory.
class memory_source : private std::streambuf {
public:
  memory_source() : stream_(this) {
    // nop
  }

  std::istream& open(std::span<const std::byte> in) {
    rewind(in);
    stream_.clear();
    return stream_;
  }

  std::streambuf& open_buffer(std::span<const std::byte> in) {
    rewind(in);
    return *this;
  }

  bool at_end() const noexcept {
    return gptr() == egptr();
  }

private:
  void rewind(std::span<const std::byte> in) {
    // The interface has no pointers to constants, but nothing is ever written.
    auto* begin = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
    setg(begin, begin, begin + in.size());
  }

  std::streamsize xsgetn(char* xs, std::streamsize n) override {
    auto num_bytes = std::min(static_cast<size_t>(n), static_cast<size_t>(egptr() - gptr()));
    std::memcpy(xs, gptr(), num_bytes);
    setg(eback(), gptr() + num_bytes, egptr());
    return static_cast<std::streamsize>(num_bytes);
  }

  std::istream stream_;
};

} // namespace cafwire::bench
