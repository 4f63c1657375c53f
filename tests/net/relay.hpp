// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "net/raw_socket.hpp"

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

namespace net_test {

/// Passes all bytes between its own port and another one: a wire that can be cut.
class relay {
public:
  explicit relay(uint16_t target);

  relay(const relay&) = delete;

  relay& operator=(const relay&) = delete;

  ~relay();

  uint16_t port() const noexcept {
    return listener_.port();
  }

  /// Ends all connections. New ones are welcome.
  void cut();

  /// Returns how many connections there have been.
  size_t connections() const noexcept {
    return connections_;
  }

private:
  struct wire {
    raw_socket near;
    raw_socket far;
  };

  void run();

  uint16_t target_;
  raw_listener listener_;
  std::atomic<bool> done_{false};
  std::atomic<size_t> connections_{0};
  std::mutex mutex_;
  std::list<wire> wires_;
  std::thread thread_;
};

} // namespace net_test
