// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/io/event_loop.hpp"

#include <chrono>
#include <functional>
#include <memory>

namespace cafwire::detail {

/// Calls a function in the thread of an event loop, again and again, while it is switched on.
/// `start` and `stop` are thread-safe.
class ticker final : public event_loop::handler, public std::enable_shared_from_this<ticker> {
public:
  /// @param what must not keep the ticker alive.
  ticker(event_loop_ptr loop, std::chrono::milliseconds interval, std::function<void()> what);

  ~ticker() override;

  ticker(const ticker&) = delete;

  ticker& operator=(const ticker&) = delete;

  void start();

  void stop();

  void on_readable() override;

  void on_writable() override;

  void on_deadline() override;

private:
  void set_interval(std::chrono::milliseconds interval) noexcept;

  std::weak_ptr<event_loop> loop_;
  std::chrono::milliseconds interval_;
  std::function<void()> what_;
  int timer_;
  /// Guarded by the caller of `start`.
  bool watched_ = false;
};

} // namespace cafwire::detail
