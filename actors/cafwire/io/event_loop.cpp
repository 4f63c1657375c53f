// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/io/event_loop.hpp"

#include "cafwire/caf_compat.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <system_error>
#include <unistd.h>

namespace cafwire::detail {

namespace {

int valid(int fd, const char* what) {
  if (fd < 0)
    throw std::system_error{errno, std::generic_category(), what};
  return fd;
}

} // namespace

event_loop::event_loop(caf::actor_system& sys) : system_(sys) {
  // nop
}

event_loop::~event_loop() {
  stop();
  if (epoll_ >= 0)
    ::close(epoll_);
  if (wake_up_ >= 0)
    ::close(wake_up_);
}

// -- for all threads ------------------------------------------------------------------------------

void event_loop::post(std::function<void()> what) {
  std::lock_guard guard{mutex_};
  if (stopped_)
    return;
  if (!thread_.joinable()) {
    epoll_ = valid(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    wake_up_ = valid(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = wake_up_;
    valid(::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_up_, &event), "epoll_ctl");
    thread_ = compat::launch_thread(system_, "cafwire.io", [this] { loop(); });
  }
  posted_.push_back(std::move(what));
  if (!std::exchange(awake_, true))
    std::ignore = ::eventfd_write(wake_up_, 1);
}

void event_loop::run(const std::function<void()>& what) {
  auto done = std::make_shared<std::promise<void>>();
  auto result = done->get_future();
  auto posted = false;
  {
    std::lock_guard guard{mutex_};
    posted = !stopped_ && thread_.get_id() != std::this_thread::get_id();
  }
  if (!posted)
    return what();
  post([&what, done = std::move(done)] {
    what();
    done->set_value();
  });
  try {
    result.get();
  } catch (const std::future_error&) {
    // Stopped meanwhile, before the function was called.
    what();
  }
}

void event_loop::stop() {
  std::thread thread;
  decltype(posted_) dropped;
  {
    std::lock_guard guard{mutex_};
    stopped_ = true;
    dropped.swap(posted_);
    thread.swap(thread_);
    if (thread.joinable())
      std::ignore = ::eventfd_write(wake_up_, 1);
  }
  if (thread.joinable())
    thread.join();
  entries_.clear();
}

// -- for the thread of the loop -------------------------------------------------------------------

void event_loop::watch(int fd, std::shared_ptr<handler> who, interest what) {
  auto& entry = entries_[fd];
  entry.who = std::move(who);
  auto events = (what.reads ? uint32_t{EPOLLIN} : 0) | (what.writes ? uint32_t{EPOLLOUT} : 0);
  if (events == entry.events)
    return;
  // A socket without interest must leave: `epoll` would report again and again that it was closed.
  auto operation = events == 0 ? EPOLL_CTL_DEL : entry.events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  entry.events = events;
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  valid(::epoll_ctl(epoll_, operation, fd, &event), "epoll_ctl");
}

void event_loop::set_deadline(int fd, clock::duration from_now) {
  auto i = entries_.find(fd);
  if (i == entries_.end())
    return;
  deadlines_.erase({i->second.deadline, fd});
  i->second.deadline = clock::now() + from_now;
  deadlines_.emplace(i->second.deadline, fd);
}

void event_loop::clear_deadline(int fd) {
  if (auto i = entries_.find(fd); i != entries_.end()) {
    deadlines_.erase({i->second.deadline, fd});
    i->second.deadline = clock::time_point::max();
  }
}

void event_loop::forget(int fd) {
  auto i = entries_.find(fd);
  if (i == entries_.end())
    return;
  if (i->second.events != 0)
    std::ignore = ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  deadlines_.erase({i->second.deadline, fd});
  entries_.erase(i);
}

void event_loop::loop() {
  std::array<epoll_event, 64> events;
  while (run_posted()) {
    auto n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout());
    for (auto i = 0; i < n; ++i) {
      auto& event = events[static_cast<size_t>(i)];
      if (event.data.fd == wake_up_) {
        eventfd_t count = 0;
        std::ignore = ::eventfd_read(wake_up_, &count);
      } else {
        handle_event(event.data.fd, event.events);
      }
    }
    handle_deadlines();
  }
}

bool event_loop::run_posted() {
  decltype(posted_) batch;
  {
    std::lock_guard guard{mutex_};
    if (stopped_)
      return false;
    batch.swap(posted_);
    awake_ = false;
  }
  for (auto& what : batch)
    what();
  return true;
}

void event_loop::handle_event(int fd, uint32_t events) {
  constexpr auto ended = uint32_t{EPOLLERR | EPOLLHUP};
  for (auto kind : {uint32_t{EPOLLIN}, uint32_t{EPOLLOUT}}) {
    // Whoever was called before may have forgotten this socket.
    auto i = entries_.find(fd);
    if (i == entries_.end() || (i->second.events & kind) == 0 || (events & (kind | ended)) == 0)
      continue;
    auto who = i->second.who; // keep it alive
    if (kind == EPOLLIN)
      who->on_readable();
    else
      who->on_writable();
  }
}

void event_loop::handle_deadlines() {
  if (deadlines_.empty())
    return;
  auto now = clock::now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    auto fd = deadlines_.begin()->second;
    auto who = entries_[fd].who; // keep it alive
    clear_deadline(fd);
    who->on_deadline();
  }
}

int event_loop::timeout() const {
  if (deadlines_.empty())
    return -1;
  using std::chrono::milliseconds;
  auto left = std::chrono::ceil<milliseconds>(deadlines_.begin()->first - clock::now());
  constexpr auto longest = milliseconds{60'000};
  return static_cast<int>(std::clamp(left, milliseconds{0}, longest).count());
}

} // namespace cafwire::detail
