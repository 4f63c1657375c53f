// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/fwd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// Watches sockets in a thread of its own, with `epoll`. The thread starts when it is needed.
class event_loop {
public:
  using clock = std::chrono::steady_clock;

  /// Takes care of one socket. All functions are called in the thread of the loop, and may forget
  /// the socket.
  class handler {
  public:
    virtual ~handler() = default;

    /// There is something to read, or the connection has ended.
    virtual void on_readable() = 0;

    /// There is room for something to write, or the connection has ended.
    virtual void on_writable() = 0;

    /// The time has come that was given to `set_deadline`.
    virtual void on_deadline() = 0;
  };

  /// What to wait for.
  struct interest {
    bool reads = false;
    bool writes = false;
  };

  explicit event_loop(caf::actor_system& sys);

  event_loop(const event_loop&) = delete;

  event_loop& operator=(const event_loop&) = delete;

  /// @pre not called in the thread of the loop
  ~event_loop();

  // -- for all threads ----------------------------------------------------------------------------

  /// Calls a function soon. Functions are called in the order of the calls to `post`; those that
  /// come after `stop` are dropped.
  void post(std::function<void()> what);

  /// Calls a function in the thread of the loop and waits until it has returned.
  void run(const std::function<void()>& what);

  /// Ends the thread and forgets all sockets.
  /// @pre not called in the thread of the loop
  void stop();

  // -- for the thread of the loop -----------------------------------------------------------------

  /// Starts to watch a socket, or changes what to wait for. While there is nothing to wait for, the
  /// end of a connection goes unnoticed too.
  void watch(int fd, std::shared_ptr<handler> who, interest what);

  /// Sets the time for a call to `on_deadline`, in place of the one that was set before.
  /// @pre the socket is watched
  void set_deadline(int fd, clock::duration from_now);

  void clear_deadline(int fd);

  /// Stops to watch a socket.
  void forget(int fd);

private:
  struct entry {
    std::shared_ptr<handler> who;
    uint32_t events = 0;
    clock::time_point deadline = clock::time_point::max();
  };

  void loop();

  /// Calls the functions that were posted.
  /// @returns `false` if the loop has been stopped.
  bool run_posted();

  void handle_event(int fd, uint32_t events);

  void handle_deadlines();

  /// Returns for how many milliseconds to sleep, or -1.
  int timeout() const;

  caf::actor_system& system_;
  int epoll_ = -1;
  int wake_up_ = -1;

  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  bool awake_ = false;
  bool stopped_ = false;
  std::thread thread_;

  // -- owned by the thread of the loop ------------------------------------------------------------

  std::unordered_map<int, entry> entries_;
  std::set<std::pair<clock::time_point, int>> deadlines_;
};

using event_loop_ptr = std::shared_ptr<event_loop>;

} // namespace cafwire::detail
