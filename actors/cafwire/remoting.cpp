// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/remoting.hpp"

#include "cafwire/link/acceptor.hpp"
#include "cafwire/link/handshake.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_table.hpp"
#include "cafwire/link/proxy.hpp"
#include "cafwire/link/publications.hpp"

#include <caf/actor_registry.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>
#include <caf/type_id.hpp>

#include <future>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace cafwire {

namespace {

constexpr const char* loopback = "127.0.0.1";

caf::error io_module_missing() {
  return make_error_with_text(ec::io_module_missing,
                              "load caf::io::middleman into the actor_system_config: it gives the "
                              "system the ID that tells nodes apart");
}

/// Returns whether peers with the default limits accept a handshake with this interface.
bool fits_into_handshake(const caf::node_id& node, const std::set<std::string>& interface) {
  auto hello = detail::handshake{};
  hello.node = node;
  hello.interface = interface;
  output_buffer bytes;
  return detail::write_handshake(bytes, hello) == ec::none
         && bytes.size() <= limits::untrusted().max_handshake_bytes;
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

/// Sends a request from outside of actors and waits for the response.
template <class... Results, class... Ts>
caf::error ask(caf::actor_system& sys, const caf::strong_actor_ptr& whom, caf::timespan timeout,
               std::tuple<Results...>& result, Ts&&... xs) {
  caf::error reason;
  caf::scoped_actor self{sys, true};
  compat::request(self, caf::actor_cast<caf::actor>(whom), timeout, std::forward<Ts>(xs)...)
    .receive([&](Results&... ys) { result = std::tuple<Results...>{std::move(ys)...}; },
             [&](caf::error& what) { reason = std::move(what); });
  return reason;
}

} // namespace

struct remoting::state {
  /// An open port.
  struct port_entry {
    /// Empty if no actor is published.
    caf::actor_addr whom;
    uint16_t port;
    std::shared_ptr<detail::acceptor> acceptor;
  };

  /// A connection that several calls may share.
  struct connection {
    caf::error reason;
    std::weak_ptr<detail::link> link;
    caf::node_id node;
    caf::strong_actor_ptr published;
    std::set<std::string> interface;

    bool usable() const {
      auto ptr = link.lock();
      return ptr != nullptr && ptr->is_open();
    }

    /// Returns whether there is still an actor at the other end.
    bool has_actor() const {
      return published != nullptr
             && !static_cast<const detail::proxy*>(published->get())->is_dead();
    }
  };

  using connection_ptr = std::shared_ptr<const connection>;

  /// A connection, and whether it is under way.
  struct attempt {
    std::shared_future<connection_ptr> outcome;
    bool done = false;
    /// Whether somebody wants the connection even if there is no actor at the other end.
    bool wants_node = false;
  };

  using key_type = std::pair<std::string, uint16_t>;

  state(caf::actor_system& sys, link_options options)
    : system(sys),
      options(std::move(options)),
      links(std::make_shared<detail::link_table>(sys, this->options)) {
    // nop
  }

  /// Opens a port.
  caf::expected<uint16_t> listen(std::shared_ptr<detail::published_actor> published, uint16_t port,
                                 const link_options& own_options, const char* in, bool reuse);

  /// Closes all ports for which a predicate is true.
  /// @returns whether there are any.
  template <class Predicate>
  bool close_ports(Predicate matches);

  /// Returns a connection, a new one only if there is none. Several threads that want the same
  /// share one attempt.
  /// @param wants_actor whether a connection without an actor at the other end is of no use.
  connection_ptr connect(const std::string& host, uint16_t port, bool wants_actor);

  /// Opens a connection.
  connection open_link(const std::string& host, uint16_t port, const link_options& own_options);

  /// Returns the services of a node.
  caf::expected<caf::strong_actor_ptr> services_of(const caf::node_id& node);

  caf::actor_system& system;
  const link_options options;
  std::shared_ptr<detail::link_table> links;
  std::mutex mutex;
  std::vector<port_entry> ports;
  std::map<key_type, attempt> connections;
};

caf::expected<uint16_t> remoting::state::listen(std::shared_ptr<detail::published_actor> published,
                                                uint16_t port, const link_options& own_options,
                                                const char* in, bool reuse) {
  if (!system.node())
    return io_module_missing();
  if (auto reason = check_key(own_options); !reason.empty())
    return reason;
  auto listener = detail::listen_at(port, in != nullptr ? in : loopback, reuse);
  if (!listener)
    return std::move(listener.error());
  if (auto reason = check_key(own_options, *listener); !reason.empty())
    return reason;
  auto actual_port = detail::local_port(*listener);
  if (!actual_port)
    return std::move(actual_port.error());
  auto whom = caf::actor_cast<caf::actor_addr>(published->handle);
  if (whom)
    detail::publications::instance().add(&system, whom);
  auto entry = std::make_shared<detail::acceptor>(links, std::move(published), std::move(*listener),
                                                  own_options);
  entry->start();
  std::lock_guard guard{mutex};
  ports.push_back({std::move(whom), *actual_port, std::move(entry)});
  return *actual_port;
}

template <class Predicate>
bool remoting::state::close_ports(Predicate matches) {
  std::vector<port_entry> closed;
  {
    std::lock_guard guard{mutex};
    std::erase_if(ports, [&](auto& x) {
      if (!matches(x))
        return false;
      closed.push_back(std::move(x));
      return true;
    });
  }
  for (auto& x : closed) {
    if (x.whom)
      detail::publications::instance().remove(&system, x.whom);
    x.acceptor->close();
  }
  return !closed.empty();
}

remoting::state::connection_ptr remoting::state::connect(const std::string& host, uint16_t port,
                                                         bool wants_actor) {
  auto key = key_type{host, port};
  std::promise<connection_ptr> promise;
  {
    std::unique_lock guard{mutex};
    if (auto i = connections.find(key); i != connections.end()) {
      auto outcome = i->second.outcome;
      i->second.wants_node |= !wants_actor;
      if (!i->second.done) {
        guard.unlock();
        return outcome.get();
      }
      // If the actor is gone, the other side knows whether another one has taken its place.
      auto& found = *outcome.get();
      if (found.usable() && (!wants_actor || found.has_actor()))
        return outcome.get();
    }
    connections[key] = {promise.get_future().share(), false, !wants_actor};
  }
  auto result = std::make_shared<const connection>(open_link(host, port, options));
  auto link = result->link.lock();
  {
    std::lock_guard guard{mutex};
    auto i = connections.find(key);
    if (link != nullptr && (result->published != nullptr || i->second.wants_node)) {
      i->second.done = true;
      link = nullptr;
    } else {
      connections.erase(i);
    }
  }
  if (link != nullptr) // it is of no use to anybody
    links->end(link);
  promise.set_value(result);
  return result;
}

remoting::state::connection remoting::state::open_link(const std::string& host, uint16_t port,
                                                       const link_options& own_options) {
  auto result = connection{};
  if (!system.node()) {
    result.reason = io_module_missing();
    return result;
  }
  result.reason = check_key(own_options);
  if (!result.reason.empty())
    return result;
  auto socket = detail::connect_to(host, port);
  if (!socket) {
    result.reason = std::move(socket.error());
    return result;
  }
  result.reason = check_key(own_options, *socket);
  if (!result.reason.empty())
    return result;
  auto link = links->spawn(std::move(*socket), nullptr, own_options);
  if (link == nullptr) {
    result.reason = caf::error{ec::connection_closed};
    return result;
  }
  // The socket of the link watches the time and reports in any case.
  auto outcome = link->result().get();
  result.reason = std::move(outcome.reason);
  result.interface = std::move(outcome.interface);
  if (outcome.is_self) {
    // The system has connected to itself: nothing needs to travel. What was not published here is
    // no actor of ours, whatever the peer says.
    links->end(link);
    result.node = system.node();
    if (outcome.local_id)
      result.published = detail::publications::instance().find(&system, *outcome.local_id);
  } else if (result.reason.empty()) {
    result.node = link->peer();
    result.published = std::move(outcome.published);
    result.link = link;
  }
  return result;
}

caf::expected<caf::strong_actor_ptr> remoting::state::services_of(const caf::node_id& node) {
  auto link = links->find(node);
  if (link == nullptr)
    return caf::make_error(caf::sec::no_route_to_receiving_node, node);
  if (auto result = link->services())
    return result;
  return caf::make_error(caf::sec::feature_disabled, std::string{"link_options::offers_services"});
}

remoting::remoting(caf::actor_system& sys, link_options options)
  : state_(std::make_unique<state>(sys, std::move(options))) {
  // nop
}

remoting::~remoting() {
  state_->close_ports([](auto&) { return true; });
  state_->links->close();
}

const caf::actor_system& remoting::system() const noexcept {
  return state_->system;
}

const link_options& remoting::options() const noexcept {
  return state_->options;
}

void remoting::update_metrics() {
  state_->links->update_metrics();
}

link_statistics remoting::statistics() const {
  return state_->links->statistics();
}

caf::expected<uint16_t> remoting::open(uint16_t port, const link_options& options, const char* in,
                                       bool reuse) {
  return state_->listen(std::make_shared<detail::published_actor>(), port, options, in, reuse);
}

caf::expected<void> remoting::close(uint16_t port) {
  if (!state_->close_ports([&](auto& x) { return x.port == port; }))
    return caf::make_error(caf::sec::no_actor_published_at_port, port);
  return {};
}

caf::expected<uint16_t> remoting::publish(caf::strong_actor_ptr whom,
                                          std::set<std::string> interface, uint16_t port,
                                          const link_options& options, const char* in, bool reuse) {
  if (!state_->system.node())
    return io_module_missing();
  if (whom == nullptr)
    return caf::make_error(caf::sec::cannot_publish_invalid_actor);
  if (!fits_into_handshake(state_->system.node(), interface))
    return make_error_with_text(ec::frame_too_large, "the actor has too many signatures");
  auto published = std::make_shared<detail::published_actor>();
  published->handle = whom;
  published->interface = std::move(interface);
  return state_->listen(std::move(published), port, options, in, reuse);
}

caf::expected<void> remoting::unpublish(const caf::actor_addr& whom, uint16_t port) {
  if (!state_->close_ports(
        [&](auto& x) { return x.whom == whom && (port == 0 || x.port == port); }))
    return caf::make_error(caf::sec::no_actor_published_at_port, port);
  return {};
}

void remoting::monitor(const caf::node_id& node, caf::strong_actor_ptr observer) {
  state_->links->monitor(node, std::move(observer));
}

void remoting::demonitor(const caf::node_id& node, const caf::actor_addr& observer) {
  state_->links->demonitor(node, observer);
}

caf::expected<caf::node_id> remoting::connect(std::string host, uint16_t port) {
  auto result = state_->connect(host, port, false);
  if (!result->reason.empty())
    return result->reason;
  return result->node;
}

caf::expected<caf::node_id> remoting::connect(std::string host, uint16_t port,
                                              const link_options& options) {
  auto result = state_->open_link(host, port, options);
  if (!result.reason.empty())
    return std::move(result.reason);
  return std::move(result.node);
}

caf::expected<caf::strong_actor_ptr> remoting::remote_actor(std::set<std::string> interface,
                                                            std::string host, uint16_t port,
                                                            const link_options* own_options) {
  auto result = own_options == nullptr ? state_->connect(host, port, true)
                                       : std::make_shared<const state::connection>(
                                         state_->open_link(host, port, *own_options));
  if (!result->reason.empty())
    return result->reason;
  if (own_options != nullptr && result->published == nullptr)
    if (auto link = result->link.lock()) // it is of no use to anybody
      state_->links->end(link);
  if (result->published == nullptr)
    return caf::make_error(caf::sec::no_actor_published_at_port, port);
  if (!state_->system.assignable(result->interface, interface))
    return caf::make_error(caf::sec::unexpected_actor_messaging_interface, interface,
                           result->interface);
  return result->published;
}

caf::expected<caf::strong_actor_ptr>
remoting::remote_spawn(std::set<std::string> interface, const caf::node_id& node, std::string name,
                       caf::message args, caf::timespan timeout) {
  if (!node || name.empty())
    return caf::make_error(caf::sec::invalid_argument);
  if (node == state_->system.node())
    return state_->system.spawn<caf::strong_actor_ptr>(name, std::move(args), nullptr, true,
                                                       &interface);
  auto services = state_->services_of(node);
  if (!services)
    return services;
  std::tuple<caf::strong_actor_ptr> result;
  if (auto reason = ask(state_->system, *services, timeout, result, caf::spawn_atom_v,
                        std::move(name), std::move(args), std::move(interface));
      !reason.empty())
    return reason;
  // It may have ended before its handle has arrived.
  if (std::get<0>(result) == nullptr)
    return caf::make_error(caf::sec::cannot_spawn_actor_from_arguments);
  return std::get<0>(std::move(result));
}

caf::expected<caf::strong_actor_ptr>
remoting::remote_lookup(std::set<std::string> interface, std::string name, const caf::node_id& node,
                        caf::timespan timeout) {
  if (!node || name.empty())
    return caf::make_error(caf::sec::invalid_argument);
  std::tuple<caf::strong_actor_ptr, std::set<std::string>> result;
  auto& [found, offered] = result;
  if (node == state_->system.node()) {
    found = state_->system.registry().get(name);
    if (found != nullptr)
      offered = found->get()->message_types();
  } else {
    auto services = state_->services_of(node);
    if (!services)
      return services;
    if (auto reason = ask(state_->system, *services, timeout, result, caf::registry_lookup_atom_v,
                          name);
        !reason.empty())
      return reason;
  }
  if (found == nullptr)
    return caf::make_error(caf::sec::no_such_key, name);
  if (!state_->system.assignable(offered, interface))
    return caf::make_error(caf::sec::unexpected_actor_messaging_interface, interface, offered);
  return std::move(found);
}

caf::error remoting::when_writable(const caf::strong_actor_ptr& remote, caf::strong_actor_ptr whom,
                                   caf::message what) {
  if (whom == nullptr || whom->nid != state_->system.node())
    return caf::make_error(caf::sec::invalid_argument, "not an actor of this node");
  // Actors of this node, and those of CAF's own networking, always have room.
  auto* proxy = remote != nullptr ? dynamic_cast<detail::proxy*>(remote->get()) : nullptr;
  if (proxy != nullptr)
    proxy->owner()->when_writable(std::move(whom), std::move(what));
  else
    whom->get()->enqueue(compat::make_element(nullptr, caf::make_message_id(), std::move(what)),
                         nullptr);
  return {};
}

} // namespace cafwire
