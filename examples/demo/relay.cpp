// This file is part of cafwire. See the file LICENSE for license terms.

#include "relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace demo {

namespace {

unique_fd make_socket() {
  unique_fd result{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (result.get() < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a socket");
  return result;
}

sockaddr_in loopback(uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  result.sin_port = htons(port);
  return result;
}

void disable_delay(int fd) {
  int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

bool write_all(int fd, const char* data, size_t size) {
  while (size > 0) {
    // A peer that went away is an ordinary end here, not a reason for SIGPIPE.
    auto n = ::send(fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

} // namespace

relay::relay(uint16_t server_port) : listener_(make_socket()), stop_(::eventfd(0, EFD_CLOEXEC)) {
  auto address = loopback(0);
  socklen_t size = sizeof(address);
  if (stop_.get() < 0 || ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0
      || ::listen(listener_.get(), 1) != 0
      || ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot open the counting relay");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread{[this, server_port] { run(server_port); }};
}

relay::~relay() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

void relay::run(uint16_t server_port) {
  auto stopped_before = [this](int fd) {
    pollfd entries[2] = {{fd, POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    while (::poll(entries, 2, -1) < 0 && errno == EINTR)
      ; // nop
    return entries[1].revents != 0;
  };
  if (stopped_before(listener_.get()))
    return;
  unique_fd client{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  unique_fd server{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  auto address = loopback(server_port);
  // If this fails, both sockets close, and the client reports that it cannot connect.
  if (client.get() < 0 || server.get() < 0
      || ::connect(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    return;
  disable_delay(client.get());
  disable_delay(server.get());
  std::thread back{[&] { pump(server.get(), client.get()); }};
  std::thread forth{[&] { pump(client.get(), server.get()); }};
  pollfd entry{stop_.get(), POLLIN, 0};
  while (::poll(&entry, 1, -1) < 0 && errno == EINTR)
    ; // nop
  ::shutdown(client.get(), SHUT_RDWR);
  ::shutdown(server.get(), SHUT_RDWR);
  back.join();
  forth.join();
}

void relay::pump(int from, int to) {
  std::vector<char> buf(64 * 1024);
  for (;;) {
    auto n = ::recv(from, buf.data(), buf.size(), 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    bytes_ += static_cast<uint64_t>(n);
    if (!write_all(to, buf.data(), static_cast<size_t>(n)))
      break;
  }
  ::shutdown(to, SHUT_WR);
}

} // namespace demo
