// This file is part of cafwire. See the file LICENSE for license terms.

#include "net/relay.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace net_test {

namespace {

/// Passes on what has arrived.
/// @returns `false` if the connection has ended.
bool pass(raw_socket& from, raw_socket& to) {
  std::byte buffer[64 * 1024];
  auto n = ::recv(from.fd(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (n <= 0)
    return n < 0 && (errno == EAGAIN || errno == EINTR);
  to.send({buffer, static_cast<size_t>(n)});
  return true;
}

} // namespace

relay::relay(uint16_t target) : target_(target), thread_([this] { run(); }) {
  // nop
}

relay::~relay() {
  done_ = true;
  thread_.join();
}

void relay::cut() {
  std::lock_guard guard{mutex_};
  wires_.clear();
}

void relay::run() {
  while (!done_) {
    std::vector<pollfd> entries{{listener_.fd(), POLLIN, 0}};
    {
      std::lock_guard guard{mutex_};
      for (auto& x : wires_) {
        entries.push_back({x.near.fd(), POLLIN, 0});
        entries.push_back({x.far.fd(), POLLIN, 0});
      }
    }
    // A short wait, because nothing else tells this thread about the end.
    if (::poll(entries.data(), entries.size(), 5) <= 0)
      continue;
    if ((entries[0].revents & POLLIN) != 0) {
      auto near = listener_.accept();
      try {
        auto far = raw_socket::connect(target_);
        ++connections_;
        std::lock_guard guard{mutex_};
        wires_.push_back({std::move(near), std::move(far)});
      } catch (const std::system_error&) {
        // Nobody listens there any longer: `near` closes its connection.
      }
      continue;
    }
    std::lock_guard guard{mutex_};
    wires_.remove_if([](wire& x) { return !pass(x.near, x.far) || !pass(x.far, x.near); });
  }
}

} // namespace net_test
