// This file is part of cafwire. See the file LICENSE for license terms.

#include "net/raw_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace net_test {

namespace {

constexpr int deadline_ms = 20'000;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in loopback_address(uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return result;
}

int new_socket() {
  auto fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    fail("socket");
  return fd;
}

bool wait_for(int fd, short events) {
  pollfd entry{fd, events, 0};
  auto n = ::poll(&entry, 1, deadline_ms);
  if (n < 0)
    fail("poll");
  return n > 0;
}

} // namespace

raw_socket raw_socket::connect(uint16_t port) {
  raw_socket result{new_socket()};
  auto address = loopback_address(port);
  if (::connect(result.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("connect");
  return result;
}

raw_socket& raw_socket::operator=(raw_socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.fd_;
    other.fd_ = -1;
  }
  return *this;
}

void raw_socket::close() noexcept {
  if (fd_ >= 0)
    ::close(fd_);
  fd_ = -1;
}

void raw_socket::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (!wait_for(fd_, POLLOUT))
      throw std::runtime_error("the peer takes no more bytes");
    auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EPIPE || errno == ECONNRESET)
        return;
      fail("send");
    }
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
}

void raw_socket::finish() {
  ::shutdown(fd_, SHUT_WR);
}

std::vector<std::byte> raw_socket::receive() {
  std::vector<std::byte> result(64 * 1024);
  if (!wait_for(fd_, POLLIN))
    throw std::runtime_error("the peer sends nothing");
  auto n = ::recv(fd_, result.data(), result.size(), 0);
  // A peer that closes with unread input resets the connection.
  if (n < 0 && errno != ECONNRESET)
    fail("recv");
  result.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return result;
}

std::vector<std::byte> raw_socket::receive_exactly(size_t n) {
  std::vector<std::byte> result(n);
  size_t done = 0;
  while (done < n) {
    if (!wait_for(fd_, POLLIN))
      throw std::runtime_error("the peer sends nothing");
    auto m = ::recv(fd_, result.data() + done, n - done, 0);
    if (m <= 0)
      throw std::runtime_error("the peer has closed the connection");
    done += static_cast<size_t>(m);
  }
  return result;
}

bool raw_socket::drain() {
  std::byte buffer[4096];
  for (;;) {
    if (!wait_for(fd_, POLLIN))
      return false;
    auto n = ::recv(fd_, buffer, sizeof buffer, 0);
    if (n == 0 || (n < 0 && errno == ECONNRESET))
      return true;
    if (n < 0)
      fail("recv");
  }
}

raw_listener::raw_listener() : socket_(new_socket()) {
  auto address = loopback_address(0);
  auto* ptr = reinterpret_cast<sockaddr*>(&address);
  auto size = socklen_t{sizeof address};
  if (::bind(socket_.fd(), ptr, size) != 0 || ::listen(socket_.fd(), 16) != 0
      || ::getsockname(socket_.fd(), ptr, &size) != 0)
    fail("listen");
  port_ = ntohs(address.sin_port);
}

raw_socket raw_listener::accept() {
  if (!wait_for(socket_.fd(), POLLIN))
    throw std::runtime_error("nobody connects");
  auto fd = ::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0)
    fail("accept");
  return raw_socket{fd};
}

} // namespace net_test
