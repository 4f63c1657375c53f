// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "child_process.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace demo {

/// Watches over a run from a thread of its own, so that the demo never hangs: if
/// the child ends early, or if the whole run takes too long, it says so, kills the
/// child and ends this process with exit code 1.
class supervisor {
public:
  /// @param child Must outlive the supervisor.
  supervisor(child_process& child, std::chrono::seconds limit);

  supervisor(const supervisor&) = delete;

  supervisor& operator=(const supervisor&) = delete;

  /// Stops to watch.
  ~supervisor();

  /// Tells what the demo does next, for the message if something goes wrong.
  void step(std::string what);

private:
  void run(std::chrono::seconds limit);

  [[noreturn]] void fail(const std::string& why);

  child_process& child_;
  std::mutex mtx_; ///< Protects `step_` and `done_`.
  std::condition_variable changed_;
  std::string step_;
  bool done_ = false;
  std::thread thread_;
};

} // namespace demo
