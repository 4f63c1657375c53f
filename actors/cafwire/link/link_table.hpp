// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/io/event_loop.hpp"
#include "cafwire/io/tcp_socket.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_socket.hpp"
#include "cafwire/link_options.hpp"

#include <caf/actor_system.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace cafwire::detail {

/// All links of one `remoting`. Thread-safe.
class link_table : public std::enable_shared_from_this<link_table> {
public:
  explicit link_table(caf::actor_system& sys);

  /// Starts a link on a connection.
  /// @param published what the other side asked for, or `nullptr` if this side has connected.
  /// @returns `nullptr` if the table has been closed.
  link_ptr spawn(tcp_socket connection, std::shared_ptr<published_actor> published,
                 const link_options& options);

  /// Ends all links, and waits until what was sent before has been written, as far as peers take
  /// it.
  void close();

  /// Ends one link without waiting.
  void end(const link_ptr& what);

  /// Returns an actor of this node that a peer knows through any link, or `nullptr`.
  caf::strong_actor_ptr find_exported_to(const caf::node_id& peer, uint64_t id) const;

  link_statistics statistics() const;

  event_loop& loop() noexcept {
    return *loop_;
  }

private:
  struct entry {
    link_ptr what;
    link_socket_ptr socket;
  };

  /// Called when a socket has been closed.
  void remove(const link* what);

  caf::actor_system& system_;
  event_loop_ptr loop_;
  mutable std::mutex mutex_;
  std::condition_variable removed_;
  bool closed_ = false;
  std::vector<entry> links_;
  link_statistics ended_;
};

} // namespace cafwire::detail
