// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace net_test {

/// One of the helper programs of these tests, running as a process of its own. It publishes an
/// actor and writes the port to its standard output; it ends when its standard input does, and
/// hence with this process at the latest.
class peer_process {
public:
  /// Starts a program and waits for its port.
  /// @throws std::runtime_error if there is none in time.
  explicit peer_process(const std::string& name);

  peer_process(const peer_process&) = delete;

  peer_process& operator=(const peer_process&) = delete;

  /// Kills the process if it still runs.
  ~peer_process();

  uint16_t port() const noexcept {
    return port_;
  }

  /// Returns how many bytes of memory the process has in use.
  size_t resident_bytes() const;

  /// Kills the process, so that the system closes its connections.
  void kill();

  /// Asks the process to end.
  /// @returns its exit code, or -1 if it does not end in time or by a signal.
  [[nodiscard]] int stop();

private:
  pid_t pid_ = -1;
  int input_ = -1;
  uint16_t port_ = 0;
};

} // namespace net_test
