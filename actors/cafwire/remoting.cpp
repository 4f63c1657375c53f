// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/remoting.hpp"

#include "cafwire/link/acceptor.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_table.hpp"
#include "cafwire/link/proxy.hpp"

#include <caf/sec.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace cafwire {

namespace {

constexpr const char* loopback = "127.0.0.1";

caf::error io_module_missing() {
  return make_error_with_text(ec::io_module_missing,
                              "load caf::io::middleman into the actor_system_config: it gives the "
                              "system the ID that tells nodes apart");
}

/// Whether a link with these options may use a socket.
caf::error check_key(const link_options& options, const detail::tcp_socket& socket) {
  if (!options.key && !options.allow_unauthenticated && !detail::is_loopback(socket))
    return make_error_with_text(ec::authentication_required,
                                "an address other than the loopback interface needs "
                                "link_options::key (or allow_unauthenticated)");
  return {};
}

/// Whether there is no key, or one that protects.
caf::error check_key(const link_options& options) {
  if (options.key && options.key.bytes().size() < shared_key::min_size)
    return make_error_with_text(ec::weak_key, "a shared key must have 16 bytes at least");
  return {};
}

} // namespace

struct remoting::state {
  /// An open port.
  struct port_entry {
    caf::actor_addr whom;
    uint16_t port;
    std::shared_ptr<detail::acceptor> acceptor;
  };

  /// A connection that further calls may share.
  struct connection {
    std::weak_ptr<detail::link> link;
    caf::strong_actor_ptr published;
    std::set<std::string> interface;
  };

  state(caf::actor_system& sys, link_options options)
    : system(sys),
      options(std::move(options)),
      links(std::make_shared<detail::link_table>(sys, this->options.metrics_interval)) {
    // nop
  }

  caf::actor_system& system;
  const link_options options;
  std::shared_ptr<detail::link_table> links;
  std::mutex mutex;
  std::vector<port_entry> ports;
  std::map<std::pair<std::string, uint16_t>, connection> connections;
};

remoting::remoting(caf::actor_system& sys, link_options options)
  : state_(std::make_unique<state>(sys, std::move(options))) {
  // nop
}

remoting::~remoting() {
  for (auto& x : state_->ports)
    x.acceptor->close();
  state_->links->close();
}

const caf::actor_system& remoting::system() const noexcept {
  return state_->system;
}

const link_options& remoting::options() const noexcept {
  return state_->options;
}

link_statistics remoting::statistics() const {
  return state_->links->statistics();
}

void remoting::update_metrics() {
  state_->links->update_metrics();
}

caf::expected<uint16_t> remoting::publish(caf::strong_actor_ptr whom,
                                          std::set<std::string> interface, uint16_t port,
                                          const link_options& options, const char* in, bool reuse) {
  if (!state_->system.node())
    return io_module_missing();
  if (whom == nullptr)
    return caf::make_error(caf::sec::cannot_publish_invalid_actor);
  if (auto reason = check_key(options); !reason.empty())
    return reason;
  auto listener = detail::listen_at(port, in != nullptr ? in : loopback, reuse);
  if (!listener)
    return std::move(listener.error());
  if (auto reason = check_key(options, *listener); !reason.empty())
    return reason;
  auto actual_port = detail::local_port(*listener);
  if (!actual_port)
    return std::move(actual_port.error());
  auto published = std::make_shared<detail::published_actor>();
  published->handle = whom;
  published->interface = std::move(interface);
  whom->get()->attach_functor([weak = std::weak_ptr{published}] {
    if (auto ptr = weak.lock())
      ptr->terminated = true;
  });
  auto entry = std::make_shared<detail::acceptor>(state_->links, std::move(published),
                                                  std::move(*listener), options);
  entry->start();
  std::lock_guard guard{state_->mutex};
  state_->ports.push_back({caf::actor_cast<caf::actor_addr>(whom), *actual_port, entry});
  return *actual_port;
}

caf::expected<void> remoting::unpublish(const caf::actor_addr& whom, uint16_t port) {
  std::vector<std::shared_ptr<detail::acceptor>> acceptors;
  {
    std::lock_guard guard{state_->mutex};
    std::erase_if(state_->ports, [&](auto& x) {
      if (x.whom != whom || (port != 0 && x.port != port))
        return false;
      acceptors.push_back(x.acceptor);
      return true;
    });
  }
  if (acceptors.empty())
    return caf::make_error(caf::sec::no_actor_published_at_port, port);
  for (auto& x : acceptors)
    x->close();
  return {};
}

caf::expected<caf::strong_actor_ptr> remoting::remote_actor(std::set<std::string> interface,
                                                            std::string host, uint16_t port,
                                                            const link_options* own_options) {
  if (!state_->system.node())
    return io_module_missing();
  auto check = [&](const caf::strong_actor_ptr& published,
                   const std::set<std::string>& offered) -> caf::expected<caf::strong_actor_ptr> {
    if (published == nullptr)
      return caf::make_error(caf::sec::no_actor_published_at_port, port);
    if (!state_->system.assignable(offered, interface))
      return caf::make_error(caf::sec::unexpected_actor_messaging_interface, interface, offered);
    return published;
  };
  const auto& options = own_options != nullptr ? *own_options : state_->options;
  if (auto reason = check_key(options); !reason.empty())
    return reason;
  auto key = std::pair{host, port};
  if (own_options == nullptr) {
    std::lock_guard guard{state_->mutex};
    if (auto i = state_->connections.find(key); i != state_->connections.end()) {
      // If the actor is gone, the other side knows whether another one has taken its place.
      auto* remote = static_cast<const detail::proxy*>(i->second.published->get());
      if (auto link = i->second.link.lock();
          link != nullptr && link->is_open() && !remote->is_dead())
        return check(i->second.published, i->second.interface);
      state_->connections.erase(i);
    }
  }
  auto connection = detail::connect_to(host, port);
  if (!connection)
    return std::move(connection.error());
  if (auto reason = check_key(options, *connection); !reason.empty())
    return reason;
  auto link = state_->links->spawn(std::move(*connection), nullptr, options);
  if (link == nullptr)
    return caf::error{ec::connection_closed};
  // The socket of the link watches the time and reports in any case.
  auto result = link->result().get();
  if (!result.reason.empty())
    return std::move(result.reason);
  if (result.local_id) {
    // The system has connected to itself: nothing needs to travel. What was not published here is
    // no actor of ours, whatever the peer says.
    state_->links->end(link);
    std::lock_guard guard{state_->mutex};
    for (auto& x : state_->ports)
      if (x.whom.id() == *result.local_id)
        return check(caf::actor_cast<caf::strong_actor_ptr>(x.whom), result.interface);
    return check(nullptr, result.interface);
  }
  if (result.published == nullptr) {
    state_->links->end(link);
    return check(nullptr, result.interface);
  }
  if (own_options == nullptr) {
    std::lock_guard guard{state_->mutex};
    state_->connections[std::move(key)] = {link, result.published, result.interface};
  }
  return check(result.published, result.interface);
}

} // namespace cafwire
