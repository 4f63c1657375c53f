// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace cafwire::detail {

/// What became of a read, a write or an attempt to accept.
enum class io_result {
  ok,
  /// Nothing can be done right now.
  again,
  /// The peer has closed the connection, or the connection is broken.
  closed,
  /// The process or the system has no more sockets.
  exhausted,
};

/// A TCP socket that never blocks. Closed by the destructor.
class tcp_socket {
public:
  static constexpr int invalid = -1;

  tcp_socket() noexcept = default;

  explicit tcp_socket(int fd) noexcept : fd_(fd) {
    // nop
  }

  tcp_socket(tcp_socket&& other) noexcept : fd_(std::exchange(other.fd_, invalid)) {
    // nop
  }

  tcp_socket& operator=(tcp_socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  ~tcp_socket() {
    close();
  }

  int fd() const noexcept {
    return fd_;
  }

  explicit operator bool() const noexcept {
    return fd_ != invalid;
  }

  void close() noexcept;

  /// Says that nothing more will be written.
  void shutdown_write() noexcept;

  /// Reads what there is.
  /// @param size receives how many bytes that were.
  io_result read(std::span<std::byte> bytes, size_t& size) noexcept;

  /// Writes as much as the system takes.
  /// @param size receives how many bytes that were.
  io_result write(std::span<const std::byte> bytes, size_t& size) noexcept;

  /// Accepts a connection at a port that this socket listens to.
  io_result accept(tcp_socket& connection) noexcept;

private:
  int fd_ = invalid;
};

/// Connects to a host. Blocks until that is done.
caf::expected<tcp_socket> connect_to(const std::string& host, uint16_t port);

/// Opens a port for connections.
/// @param port the port, or 0 for any that is free.
/// @param address the IP address of the interface.
/// @param reuse whether to set `SO_REUSEADDR`.
caf::expected<tcp_socket> listen_at(uint16_t port, const char* address, bool reuse);

/// Returns whether only this machine can talk to a socket, connected or listening: its own address
/// is that of the loopback interface. Packets with such an address do not leave the machine, and do
/// not come in from outside.
bool is_loopback(const tcp_socket& what) noexcept;

/// Returns the port of a socket on this side.
caf::expected<uint16_t> local_port(const tcp_socket& what);

} // namespace cafwire::detail
