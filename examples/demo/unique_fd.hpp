// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <unistd.h>

#include <utility>

namespace demo {

/// Owns a file descriptor.
class unique_fd {
public:
  unique_fd() noexcept = default;

  explicit unique_fd(int fd) noexcept : fd_(fd) {
    // nop
  }

  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {
    // nop
  }

  unique_fd& operator=(unique_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  ~unique_fd() {
    reset();
  }

  void reset() noexcept {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }

  [[nodiscard]] int get() const noexcept {
    return fd_;
  }

private:
  int fd_ = -1;
};

} // namespace demo
