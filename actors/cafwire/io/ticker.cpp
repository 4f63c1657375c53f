// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/io/ticker.hpp"

#include <sys/timerfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace cafwire::detail {

ticker::ticker(event_loop_ptr loop, std::chrono::milliseconds interval, std::function<void()> what)
  : loop_(loop),
    interval_(interval),
    what_(std::move(what)),
    timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (timer_ < 0)
    throw std::system_error{errno, std::generic_category(), "timerfd_create"};
}

ticker::~ticker() {
  ::close(timer_);
}

void ticker::start() {
  set_interval(interval_);
  if (std::exchange(watched_, true))
    return;
  if (auto loop = loop_.lock())
    loop->post([self = shared_from_this(), ptr = loop.get()] {
      ptr->watch(self->timer_, self, {true, false});
    });
}

void ticker::stop() {
  set_interval(std::chrono::milliseconds{0});
}

void ticker::on_readable() {
  uint64_t expirations = 0;
  if (::read(timer_, &expirations, sizeof expirations) == sizeof expirations)
    what_();
}

void ticker::on_writable() {
  // nop
}

void ticker::on_deadline() {
  // nop
}

void ticker::set_interval(std::chrono::milliseconds interval) noexcept {
  using namespace std::chrono;
  auto whole = duration_cast<seconds>(interval);
  auto rest = duration_cast<nanoseconds>(interval - whole);
  itimerspec spec{};
  spec.it_interval.tv_sec = static_cast<time_t>(whole.count());
  spec.it_interval.tv_nsec = static_cast<long>(rest.count());
  spec.it_value = spec.it_interval;
  std::ignore = ::timerfd_settime(timer_, 0, &spec, nullptr);
}

} // namespace cafwire::detail
