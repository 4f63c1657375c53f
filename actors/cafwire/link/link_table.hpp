// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/io/event_loop.hpp"
#include "cafwire/io/tcp_socket.hpp"
#include "cafwire/io/ticker.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_metrics.hpp"
#include "cafwire/link/link_socket.hpp"
#include "cafwire/link_options.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace cafwire::detail {

/// All links of one `remoting`. Thread-safe.
class link_table : public std::enable_shared_from_this<link_table> {
public:
  /// @param options for what the links have in common.
  link_table(caf::actor_system& sys, const link_options& options);

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

  /// Returns an open link to a node, or `nullptr`.
  link_ptr find(const caf::node_id& node) const;

  /// Has an actor told when the last link to a node has ended. Each call is good for one message.
  void monitor(const caf::node_id& node, const caf::strong_actor_ptr& observer);

  /// Takes back one call of `monitor`.
  void demonitor(const caf::node_id& node, const caf::actor_addr& observer);

  /// Returns the actor that offers the services of this node, or `nullptr`.
  const caf::strong_actor_ptr& services() const noexcept {
    return services_;
  }

  /// Returns an actor of this node that any peer knows through its link, or `nullptr`.
  caf::strong_actor_ptr find_export(uint64_t id) const;

  /// Forgets a request of an actor of this node.
  void take_pending(uint64_t source, caf::message_id id) const;

  link_statistics statistics() const;

  /// Brings the metrics of the actor system up to date.
  void update_metrics();

  event_loop& loop() noexcept {
    return *loop_;
  }

private:
  struct entry {
    link_ptr what;
    link_socket_ptr socket;
  };

  /// Starts to update metrics, unless that goes on already.
  /// @pre `mutex_` is locked
  void start_ticker();
  struct observer {
    caf::node_id node;
    caf::actor_addr who;
  };

  std::vector<link_ptr> all_links() const;

  /// Tells the observers of a node that there is no link to it.
  void announce_end_of(const caf::node_id& node);

  /// Called when a socket has been closed.
  void remove(const link* what);

  caf::actor_system& system_;
  caf::strong_actor_ptr services_;
  event_loop_ptr loop_;
  std::shared_ptr<link_metrics> metrics_;
  std::chrono::milliseconds metrics_interval_;
  /// Comes before `mutex_`.
  std::mutex metrics_mutex_;
  mutable std::mutex mutex_;
  std::condition_variable removed_;
  bool closed_ = false;
  std::vector<entry> links_;
  std::vector<observer> observers_;
  link_statistics ended_;
  std::shared_ptr<ticker> ticker_;
};

} // namespace cafwire::detail
