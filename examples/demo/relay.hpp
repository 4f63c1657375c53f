// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "unique_fd.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

namespace demo {

/// Stands between a client and a server on loopback, passes on one TCP
/// connection and counts the bytes. It sees what a transport really sends: frame
/// headers, definitions, everything.
class relay {
public:
  /// Listens on a free port of the loopback interface and passes on the first
  /// connection to `server_port`.
  /// @throws std::system_error if there is no such port.
  explicit relay(uint16_t server_port);

  relay(const relay&) = delete;

  relay& operator=(const relay&) = delete;

  /// Closes the connection.
  ~relay();

  /// The port that clients have to connect to.
  [[nodiscard]] uint16_t port() const noexcept {
    return port_;
  }

  /// Bytes in both directions so far. Bytes count before they are passed on, so
  /// whatever has arrived at its end is included.
  [[nodiscard]] uint64_t bytes() const noexcept {
    return bytes_.load();
  }

private:
  void run(uint16_t server_port);

  void pump(int from, int to);

  uint16_t port_ = 0;
  std::atomic<uint64_t> bytes_{0};
  unique_fd listener_;
  unique_fd stop_; ///< An eventfd: readable once the relay shall end.
  std::thread thread_;
};

} // namespace demo
