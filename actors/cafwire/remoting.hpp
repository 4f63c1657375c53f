// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/link_options.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/message.hpp>
#include <caf/node_id.hpp>
#include <caf/timespan.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace cafwire {

/// Connects actor systems through links: messages travel in cafwire's encoding, and each type is
/// described once per connection or never. Has the verbs of CAF's middleman, and remote actors are
/// ordinary handles: messages, requests, monitors, links and handles inside of messages work as
/// with CAF's own networking. Both can be used side by side in one system.
///
/// The actor system must load `caf::io::middleman`, and all types of messages must be registered
/// with `cafwire::init_global_meta_objects`. Links live as long as this object: keep it until the
/// conversation is over, and destroy it before the actor system. Thread-safe.
class remoting {
public:
  explicit remoting(caf::actor_system& sys, link_options options = {});

  remoting(const remoting&) = delete;

  remoting& operator=(const remoting&) = delete;

  /// Ends all links. What was sent before is still written. Blocks until that is done.
  ~remoting();

  /// Makes an actor available at a port.
  /// @param whom the actor, dynamically or statically typed.
  /// @param port the TCP port, or 0 for any that is free.
  /// @param in the IP address to listen at; the loopback interface by default. Others, such as
  ///        `"0.0.0.0"` for all interfaces, need `link_options::key`.
  /// @param reuse whether to set `SO_REUSEADDR`.
  /// @returns the port, or an error such as `caf::sec::cannot_open_port`,
  ///          `ec::authentication_required`, `ec::weak_key`, `ec::io_module_missing`, or
  ///          `ec::frame_too_large` if a handshake has no room for the signatures of the actor.
  template <class Handle>
  caf::expected<uint16_t>
  publish(const Handle& whom, uint16_t port, const char* in = nullptr, bool reuse = false) {
    return publish(whom, port, options(), in, reuse);
  }

  /// Makes an actor available at a port whose links have options of their own.
  template <class Handle>
  caf::expected<uint16_t> publish(const Handle& whom, uint16_t port, const link_options& options,
                                  const char* in = nullptr, bool reuse = false) {
    return publish(caf::actor_cast<caf::strong_actor_ptr>(whom), interface_of<Handle>(), port,
                   options, in, reuse);
  }

  /// Closes ports: nobody can connect any longer, established links stay.
  /// @param port the port, or 0 for all ports of the actor.
  /// @returns an error if the actor is not published there.
  template <class Handle>
  caf::expected<void> unpublish(const Handle& whom, uint16_t port = 0) {
    return unpublish(whom.address(), port);
  }

  /// Makes this node available at a port without publishing an actor: for `connect`.
  /// @param port, in, reuse as for `publish`
  /// @returns the port, or an error as `publish` does.
  caf::expected<uint16_t> open(uint16_t port, const char* in = nullptr, bool reuse = false) {
    return open(port, options(), in, reuse);
  }

  /// Makes this node available at a port whose links have options of their own.
  caf::expected<uint16_t> open(uint16_t port, const link_options& options, const char* in = nullptr,
                               bool reuse = false);

  /// Closes a port, whatever it is for. Established links stay.
  /// @returns an error if it is not open.
  caf::expected<void> close(uint16_t port);

  /// Connects to a node, whether or not it has published an actor at the port. Shares connections
  /// as `remote_actor` does, and fails like that.
  /// @returns the ID of the node, for `remote_spawn` and `remote_lookup`.
  caf::expected<caf::node_id> connect(std::string host, uint16_t port);

  /// Connects to a node. The connection has options of its own and is not shared with other calls.
  /// With several links to a node, `remote_spawn` and `remote_lookup` use one of them.
  caf::expected<caf::node_id> connect(std::string host, uint16_t port, const link_options& options);

  /// Sends a `caf::node_down_msg` to an actor when the last link to a node has ended, or at once if
  /// there is none. As with `self->monitor(node)` of CAF, which cannot know about links, each call
  /// is good for one message.
  template <class Handle>
  void monitor(const caf::node_id& node, const Handle& observer) {
    monitor(node, caf::actor_cast<caf::strong_actor_ptr>(observer));
  }

  /// Takes back one call of `monitor`.
  template <class Handle>
  void demonitor(const caf::node_id& node, const Handle& observer) {
    demonitor(node, observer->address());
  }

  /// Starts an actor on another node, which must know its type by name
  /// (`caf::actor_system_config::add_actor_type`) and have a link with this one. As every actor, it
  /// ends when there is no handle to it left and it has nothing to do. Blocks.
  /// @param timeout how long to wait for the answer.
  /// @returns a handle, or `sec::unknown_type`, `sec::cannot_spawn_actor_from_arguments`,
  ///          `sec::unexpected_actor_messaging_interface`, `sec::no_route_to_receiving_node`
  ///          without a link, `sec::feature_disabled` if the node does not offer it, or what a
  ///          request may end with.
  template <class Handle>
  caf::expected<Handle> remote_spawn(const caf::node_id& node, std::string name, caf::message args,
                                     caf::timespan timeout = std::chrono::minutes{1}) {
    return to_handle<Handle>(
      remote_spawn(interface_of<Handle>(), node, std::move(name), std::move(args), timeout));
  }

  /// Finds an actor by its name in the `caf::actor_registry` of a node that has a link with this
  /// one, or of this node. Blocks.
  /// @param timeout how long to wait for the answer.
  /// @returns a handle, or `sec::no_such_key` if there is no actor of that name,
  ///          `sec::unexpected_actor_messaging_interface`, `sec::no_route_to_receiving_node`
  ///          without a link, `sec::feature_disabled` if the node does not offer it, or what a
  ///          request may end with.
  template <class Handle = caf::actor>
  caf::expected<Handle> remote_lookup(std::string name, const caf::node_id& node,
                                      caf::timespan timeout = std::chrono::minutes{1}) {
    return to_handle<Handle>(remote_lookup(interface_of<Handle>(), std::move(name), node, timeout));
  }

  /// Connects to the actor that is published at a port. Blocks until the connection is established
  /// or fails: 5 seconds at most once the TCP connection stands (`limits::handshake_timeout`). A
  /// second call for the same host and port shares the connection.
  /// @returns a handle, or `caf::sec::cannot_connect_to_node`, `sec::no_actor_published_at_port`,
  ///          `sec::unexpected_actor_messaging_interface`, `ec::wrong_peer`,
  ///          `ec::incompatible_version`, `ec::handshake_timeout`, `ec::closed_during_handshake`,
  ///          `ec::authentication_required`, `ec::unauthenticated_peer`,
  ///          `ec::authentication_failed`, `ec::weak_key`.
  template <class Handle = caf::actor>
  caf::expected<Handle> remote_actor(std::string host, uint16_t port) {
    return to_handle<Handle>(remote_actor(interface_of<Handle>(), std::move(host), port, nullptr));
  }

  /// Connects to the actor that is published at a port. The connection has options of its own and
  /// is not shared with other calls.
  template <class Handle = caf::actor>
  caf::expected<Handle> remote_actor(std::string host, uint16_t port, const link_options& options) {
    return to_handle<Handle>(remote_actor(interface_of<Handle>(), std::move(host), port, &options));
  }

  /// Sends a message to an actor as soon as the link of a remote actor has room for more: at once
  /// if less than `link_options::max_buffered_bytes` wait, and otherwise when the peer has taken
  /// half of that. A sender that goes on only with this message never has more on the way than the
  /// bound and what it sends in one go, and nothing of it is refused. If the link has ended, or if
  /// the remote actor is not remote, the message comes at once.
  /// @param remote an actor of another node.
  /// @param whom an actor of this node.
  /// @param what the message, for example `caf::make_message(caf::tick_atom_v)`.
  /// @returns `caf::sec::invalid_argument` if `whom` is none, or is not of this node.
  template <class Remote, class Handle>
  caf::error when_writable(const Remote& remote, const Handle& whom, caf::message what) {
    return when_writable(caf::actor_cast<caf::strong_actor_ptr>(remote),
                         caf::actor_cast<caf::strong_actor_ptr>(whom), std::move(what));
  }

  /// Returns what all links together have done so far.
  link_statistics statistics() const;

  /// Brings the metrics of the actor system (`cafwire.link.*`) up to date, which happens by itself
  /// once per `link_options::metrics_interval`. Call it before reading them where that matters.
  void update_metrics();

private:
  struct state;

  template <class Handle>
  static caf::expected<Handle> to_handle(caf::expected<caf::strong_actor_ptr> what) {
    if (!what)
      return std::move(what.error());
    return caf::actor_cast<Handle>(std::move(*what));
  }

  template <class Handle>
  std::set<std::string> interface_of() const {
    return system().message_types(compat::type_list<Handle>{});
  }

  const caf::actor_system& system() const noexcept;

  const link_options& options() const noexcept;

  caf::expected<uint16_t> publish(caf::strong_actor_ptr whom, std::set<std::string> interface,
                                  uint16_t port, const link_options& options, const char* in,
                                  bool reuse);

  caf::expected<void> unpublish(const caf::actor_addr& whom, uint16_t port);

  void monitor(const caf::node_id& node, caf::strong_actor_ptr observer);

  void demonitor(const caf::node_id& node, const caf::actor_addr& observer);

  caf::expected<caf::strong_actor_ptr> remote_spawn(std::set<std::string> interface,
                                                    const caf::node_id& node, std::string name,
                                                    caf::message args, caf::timespan timeout);

  caf::expected<caf::strong_actor_ptr> remote_lookup(std::set<std::string> interface,
                                                     std::string name, const caf::node_id& node,
                                                     caf::timespan timeout);

  caf::expected<caf::strong_actor_ptr> remote_actor(std::set<std::string> interface,
                                                    std::string host, uint16_t port,
                                                    const link_options* own_options);

  caf::error when_writable(const caf::strong_actor_ptr& remote, caf::strong_actor_ptr whom,
                           caf::message what);

  std::unique_ptr<state> state_;
};

} // namespace cafwire
