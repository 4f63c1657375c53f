// This file is part of cafwire. See the file LICENSE for license terms.

#include "supervisor.hpp"

#include <cstdio>
#include <cstdlib>

namespace demo {

supervisor::supervisor(child_process& child, std::chrono::seconds limit)
  : child_(child), step_("starting"), thread_([this, limit] { run(limit); }) {
  // nop
}

supervisor::~supervisor() {
  {
    std::lock_guard guard{mtx_};
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void supervisor::step(std::string what) {
  std::lock_guard guard{mtx_};
  step_ = std::move(what);
}

void supervisor::run(std::chrono::seconds limit) {
  auto deadline = std::chrono::steady_clock::now() + limit;
  std::unique_lock guard{mtx_};
  while (!changed_.wait_for(guard, std::chrono::milliseconds{100}, [this] { return done_; })) {
    if (auto how = child_.ended())
      fail("the server process ended early, with " + *how);
    if (std::chrono::steady_clock::now() > deadline)
      fail("not done after " + std::to_string(limit.count()) + " seconds");
  }
}

void supervisor::fail(const std::string& why) {
  std::fprintf(stderr, "\ndemo: %s (%s)\n", why.c_str(), step_.c_str());
  child_.kill();
  // The main thread is blocked in a call that may never return, so there is no way to unwind.
  std::_Exit(EXIT_FAILURE);
}

} // namespace demo
