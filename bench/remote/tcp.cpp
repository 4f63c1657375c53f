// This file is part of cafwire. See the file LICENSE for license terms.

#include "remote/tcp.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace cafwire::bench {

namespace {

constexpr size_t write_bytes = size_t{1} << 20;

/// Blocks that may be in flight: enough to keep both sides busy.
constexpr size_t blocks_in_flight = 4;

/// Announces a run to the receiver. Blocks hold whole messages; each ends with its number, which
/// the receiver checks.
struct run_header {
  uint64_t message_bytes = 0;
  uint64_t messages_per_block = 0;
  uint64_t count = 0;
};

int check(int result, const char* what) {
  if (result < 0)
    throw std::system_error{errno, std::generic_category(), what};
  return result;
}

sockaddr_in loopback(uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  result.sin_port = htons(port);
  return result;
}

int make_socket() {
  auto result = check(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
  auto enabled = 1;
  check(setsockopt(result, IPPROTO_TCP, TCP_NODELAY, &enabled, sizeof(enabled)), "setsockopt");
  return result;
}

void write_all(int fd, const void* bytes, size_t n) {
  auto* pos = static_cast<const std::byte*>(bytes);
  while (n > 0) {
    // A peer that is gone must be an error, not a signal that ends the program.
    auto written = check(static_cast<int>(send(fd, pos, std::min(n, write_bytes), MSG_NOSIGNAL)),
                         "send");
    pos += written;
    n -= static_cast<size_t>(written);
  }
}

/// Fills `n` bytes. Returns `false` if the peer closed the connection before the first one.
bool read_all(int fd, void* bytes, size_t n) {
  auto* pos = static_cast<std::byte*>(bytes);
  auto left = n;
  while (left > 0) {
    auto got = check(static_cast<int>(read(fd, pos, left)), "read");
    if (got == 0) {
      if (left == n)
        return false;
      throw std::runtime_error{"the peer closed the connection"};
    }
    pos += got;
    left -= static_cast<size_t>(got);
  }
  return true;
}

template <class T>
void write_value(int fd, const T& x) {
  write_all(fd, &x, sizeof(x));
}

template <class T>
bool read_value(int fd, T& x) {
  return read_all(fd, &x, sizeof(x));
}

/// Receives the messages of one run and acknowledges each block.
void receive_run(int fd, const run_header& run, std::vector<std::byte>& buffer) {
  buffer.resize(run.messages_per_block * run.message_bytes);
  uint64_t handled = 0;
  for (uint64_t block = 0; handled < run.count; ++block) {
    auto n = std::min(run.messages_per_block, run.count - handled);
    auto num_bytes = n * run.message_bytes;
    uint64_t number = 0;
    if (!read_all(fd, buffer.data(), num_bytes))
      throw std::runtime_error{"the peer closed the connection"};
    std::memcpy(&number, buffer.data() + num_bytes - sizeof(number), sizeof(number));
    if (number != block)
      throw std::runtime_error{"a block arrived out of order"};
    handled += n;
    write_value(fd, handled);
  }
}

} // namespace

tcp_transport::tcp_transport() : child_({"--serve", "tcp"}) {
  auto address = loopback(child_.read_port());
  socket_ = make_socket();
  check(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), "connect");
}

tcp_transport::~tcp_transport() {
  close(socket_);
}

void tcp_transport::prepare(const payload& what, size_t count) {
  auto image = what.wire_image();
  messages_per_block_ = std::max<size_t>(1, write_bytes / image.size());
  block_.clear();
  for (size_t i = 0; i < messages_per_block_; ++i)
    block_.insert(block_.end(), image.begin(), image.end());
  write_value(socket_, run_header{image.size(), messages_per_block_, count});
  uint64_t ready = 1;
  if (!read_value(socket_, ready) || ready != 0)
    throw std::runtime_error{"the receiver is not ready"};
}

void tcp_transport::run(const payload& what, size_t count) {
  auto message_bytes = block_.size() / messages_per_block_;
  uint64_t sent = 0;
  uint64_t handled = 0;
  auto await = [&] {
    if (!read_value(socket_, handled))
      throw std::runtime_error{"the receiver closed the connection"};
  };
  for (uint64_t block = 0; sent < count; ++block) {
    auto n = std::min<uint64_t>(messages_per_block_, count - sent);
    auto num_bytes = n * message_bytes;
    while (sent + n - handled > window(what))
      await();
    std::memcpy(block_.data() + num_bytes - sizeof(block), &block, sizeof(block));
    write_all(socket_, block_.data(), num_bytes);
    sent += n;
  }
  while (handled < count)
    await();
}

size_t tcp_transport::window(const payload&) const {
  return messages_per_block_ * blocks_in_flight;
}

void serve_tcp() {
  auto listener = make_socket();
  auto address = loopback(0);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof(address);
  check(bind(listener, generic, length), "bind");
  check(listen(listener, 1), "listen");
  check(getsockname(listener, generic, &length), "getsockname");
  announce_port(ntohs(address.sin_port));
  auto fd = check(accept(listener, nullptr, nullptr), "accept");
  std::vector<std::byte> buffer;
  for (run_header run; read_value(fd, run);) {
    write_value(fd, uint64_t{0});
    receive_run(fd, run, buffer);
  }
  close(fd);
  close(listener);
}

} // namespace cafwire::bench
