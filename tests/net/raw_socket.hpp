// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace net_test {

/// A TCP socket on the loopback interface, without any actor behind it. Every wait has a deadline,
/// and what cannot be done throws.
class raw_socket {
public:
  /// Connects to a port.
  static raw_socket connect(uint16_t port);

  explicit raw_socket(int fd) noexcept : fd_(fd) {
    // nop
  }

  raw_socket(raw_socket&& other) noexcept : fd_(other.fd_) {
    other.fd_ = -1;
  }

  raw_socket& operator=(raw_socket&& other) noexcept;

  ~raw_socket() {
    close();
  }

  void close() noexcept;

  int fd() const noexcept {
    return fd_;
  }

  /// Sends all bytes. A peer that has closed the connection already is no error.
  void send(std::span<const std::byte> bytes);

  /// Sends nothing more. The peer sees the end of the stream.
  void finish();

  /// Receives what there is, but waits for the first byte.
  /// @returns nothing if the peer has closed the connection.
  std::vector<std::byte> receive();

  /// Receives exactly `n` bytes.
  std::vector<std::byte> receive_exactly(size_t n);

  /// Discards everything until the peer closes the connection.
  /// @returns `false` if the peer does not do that in time.
  [[nodiscard]] bool drain();

private:
  int fd_;
};

/// Waits for connections at a port of the loopback interface.
class raw_listener {
public:
  raw_listener();

  uint16_t port() const noexcept {
    return port_;
  }

  /// Waits for the next connection.
  raw_socket accept();

  int fd() const noexcept {
    return socket_.fd();
  }

private:
  raw_socket socket_;
  uint16_t port_ = 0;
};

} // namespace net_test
