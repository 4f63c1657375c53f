// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/acceptor.hpp"

#include <utility>

namespace cafwire::detail {

namespace {

/// How long to wait for sockets if the system has no more of them.
constexpr auto pause = std::chrono::milliseconds{100};

} // namespace

acceptor::acceptor(std::shared_ptr<link_table> links, std::shared_ptr<published_actor> published,
                   tcp_socket listener, link_options options)
  : links_(std::move(links)),
    published_(std::move(published)),
    listener_(std::move(listener)),
    options_(std::move(options)) {
  // nop
}

void acceptor::start() {
  links_->loop().post([self = shared_from_this()] {
    if (self->listener_)
      self->watch(true);
  });
}

void acceptor::close() {
  links_->loop().run([this] {
    links_->loop().forget(listener_.fd());
    listener_.close();
  });
}

void acceptor::on_readable() {
  tcp_socket connection;
  for (;;) {
    switch (listener_.accept(connection)) {
      case io_result::ok:
        links_->spawn(std::exchange(connection, tcp_socket{}), published_, options_);
        break;
      case io_result::again:
        return;
      default:
        watch(false);
        links_->loop().set_deadline(listener_.fd(), pause);
        return;
    }
  }
}

void acceptor::on_writable() {
  // nop
}

void acceptor::on_deadline() {
  watch(true);
}

void acceptor::watch(bool reads) {
  links_->loop().watch(listener_.fd(), shared_from_this(), {reads, false});
}

} // namespace cafwire::detail
