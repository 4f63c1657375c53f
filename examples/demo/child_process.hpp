// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "unique_fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace demo {

/// This program, started a second time. The child's standard output is a pipe to
/// us. Its standard input is a pipe from us that stays silent: the child has to
/// end when it closes, which it does at the latest when we die.
///
/// The functions `ended` and `kill` may be called from any thread.
class child_process {
public:
  /// Starts the child with the arguments `args`.
  /// @throws std::runtime_error if the system cannot start it.
  explicit child_process(std::vector<std::string> args);

  child_process(const child_process&) = delete;

  child_process& operator=(const child_process&) = delete;

  /// Kills the child if it still runs.
  ~child_process();

  /// Returns what the child writes up to the end of the line.
  /// @throws std::runtime_error if the child closes its output before, or
  ///         writes nothing for as long as `timeout`.
  std::string read_line(std::chrono::milliseconds timeout);

  /// Returns how the child ended ("exit code 1", "signal 9"), or `nullopt` while
  /// it runs.
  std::optional<std::string> ended();

  /// The same, but waits up to `timeout` for the end.
  std::optional<std::string> ended_within(std::chrono::milliseconds timeout);

  /// Ends the child by its process id, and by nothing else.
  void kill();

  /// Asks the child to end and waits for it.
  /// @throws std::runtime_error if it does not end within `timeout` (then it is
  ///         killed), or not with exit code 0.
  void stop(std::chrono::milliseconds timeout);

private:
  std::mutex mtx_; ///< Protects `status_`, and `pid_` against reuse by the system.
  pid_t pid_ = -1;
  std::optional<int> status_;
  unique_fd input_;
  unique_fd output_;
};

} // namespace demo
