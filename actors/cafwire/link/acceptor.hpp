// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/io/event_loop.hpp"
#include "cafwire/io/tcp_socket.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_table.hpp"

#include <memory>

namespace cafwire::detail {

/// Accepts connections at one port and turns each into a link.
class acceptor final : public event_loop::handler, public std::enable_shared_from_this<acceptor> {
public:
  acceptor(std::shared_ptr<link_table> links, std::shared_ptr<published_actor> published,
           tcp_socket listener, link_options options);

  // -- for all threads ----------------------------------------------------------------------------

  void start();

  /// Closes the port. It is closed when this function returns.
  void close();

  // -- for the thread of the loop -----------------------------------------------------------------

  void on_readable() override;

  void on_writable() override;

  void on_deadline() override;

private:
  void watch(bool reads);

  std::shared_ptr<link_table> links_;
  std::shared_ptr<published_actor> published_;
  tcp_socket listener_;
  const link_options options_;
};

} // namespace cafwire::detail
