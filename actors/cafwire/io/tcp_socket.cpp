// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/io/tcp_socket.hpp"

#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/native_socket.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace cafwire::detail {

namespace {

namespace network = caf::io::network;

/// Takes over what CAF has opened.
caf::expected<tcp_socket> adopt(caf::expected<network::native_socket> fd) {
  if (!fd)
    return std::move(fd.error());
  tcp_socket result{*fd};
  if (auto ok = network::nonblocking(*fd, true); !ok)
    return std::move(ok.error());
  return result;
}

io_result result_of_errno() noexcept {
  switch (errno) {
    case EAGAIN:
#if EWOULDBLOCK != EAGAIN
    case EWOULDBLOCK:
#endif
    case EINTR:
      return io_result::again;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return io_result::exhausted;
    default:
      return io_result::closed;
  }
}

} // namespace

void tcp_socket::close() noexcept {
  if (fd_ != invalid)
    ::close(std::exchange(fd_, invalid));
}

void tcp_socket::shutdown_write() noexcept {
  ::shutdown(fd_, SHUT_WR);
}

caf::expected<tcp_socket> connect_to(const std::string& host, uint16_t port) {
  auto result = adopt(network::new_tcp_connection(host, port));
  if (result)
    std::ignore = network::tcp_nodelay(result->fd(), true);
  return result;
}

caf::expected<tcp_socket> listen_at(uint16_t port, const char* address, bool reuse) {
  return adopt(network::new_tcp_acceptor_impl(port, address, reuse));
}

bool is_loopback(const tcp_socket& what) noexcept {
  sockaddr_storage address{};
  auto size = static_cast<socklen_t>(sizeof address);
  if (::getsockname(what.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return false;
  constexpr auto is_v4 = [](const std::byte* bytes) { return bytes[0] == std::byte{127}; };
  if (address.ss_family == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address, sizeof v4);
    return is_v4(reinterpret_cast<const std::byte*>(&v4.sin_addr));
  }
  if (address.ss_family != AF_INET6)
    return false;
  sockaddr_in6 v6;
  std::memcpy(&v6, &address, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr)
         || (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)
             && is_v4(reinterpret_cast<const std::byte*>(&v6.sin6_addr) + 12));
}

caf::expected<uint16_t> local_port(const tcp_socket& what) {
  return network::local_port_of_fd(what.fd());
}

io_result tcp_socket::accept(tcp_socket& connection) noexcept {
  for (;;) {
    auto fd = ::accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connection = tcp_socket{fd};
      std::ignore = network::tcp_nodelay(fd, true);
      return io_result::ok;
    }
    // Whoever waited may have gone away in the meantime: there may be others.
    if (errno != ECONNABORTED && errno != EPROTO && errno != EINTR)
      return result_of_errno();
  }
}

io_result tcp_socket::read(std::span<std::byte> bytes, size_t& size) noexcept {
  auto n = ::recv(fd_, bytes.data(), bytes.size(), 0);
  size = n > 0 ? static_cast<size_t>(n) : 0;
  if (n > 0)
    return io_result::ok;
  return n == 0 ? io_result::closed : result_of_errno();
}

io_result tcp_socket::write(std::span<const std::byte> bytes, size_t& size) noexcept {
  auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  size = n > 0 ? static_cast<size_t>(n) : 0;
  return n >= 0 ? io_result::ok : result_of_errno();
}

} // namespace cafwire::detail
