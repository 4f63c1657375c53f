// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/link.hpp"
#include "cafwire/link/link_broker.hpp"
#include "cafwire/link_options.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/io/scribe.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace cafwire::detail {

/// Ends brokers and waits until they have terminated.
void end_brokers(caf::actor_system& sys, const std::vector<caf::actor>& brokers);

/// All links of one `remoting`. Thread-safe.
class link_table : public std::enable_shared_from_this<link_table> {
public:
  link_table(caf::actor_system& sys, link_options options);

  /// Starts a link on a connection.
  /// @returns `nullptr` if the table has been closed.
  link_ptr spawn(caf::io::scribe_ptr scribe, scribe_origin origin,
                 std::shared_ptr<published_actor> published);

  /// Ends all links and waits until what they were given has been handed to the system.
  void close();

  /// Ends one link without waiting.
  void end(const link_ptr& what);

  /// Returns an actor of this node that a peer knows through any link, or `nullptr`.
  caf::strong_actor_ptr find_exported_to(const caf::node_id& peer, uint64_t id) const;

  link_statistics statistics() const;

private:
  struct entry {
    link_ptr what;
    caf::actor broker;
  };

  /// Called when a broker has terminated.
  void remove(const link* what);

  caf::actor_system& system_;
  const link_options options_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::vector<entry> links_;
  link_statistics ended_;
};

} // namespace cafwire::detail
