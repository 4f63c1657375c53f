// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/link_options.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/expected.hpp>

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
  /// `ec::authentication_required`, `ec::weak_key` or `ec::io_module_missing`.
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
    return to<Handle>(remote_actor(interface_of<Handle>(), std::move(host), port, nullptr));
  }

  /// Connects to the actor that is published at a port. The connection has options of its own and
  /// is not shared with other calls.
  template <class Handle = caf::actor>
  caf::expected<Handle> remote_actor(std::string host, uint16_t port, const link_options& options) {
    return to<Handle>(remote_actor(interface_of<Handle>(), std::move(host), port, &options));
  }

  /// Returns what all links together have done so far.
  link_statistics statistics() const;

  /// Brings the metrics of the actor system (`cafwire.link.*`) up to date, which happens by itself
  /// once per `link_options::metrics_interval`. Call it before reading them where that matters.
  void update_metrics();

private:
  struct state;

  template <class Handle>
  std::set<std::string> interface_of() const {
    return system().message_types(compat::type_list<Handle>{});
  }

  template <class Handle>
  static caf::expected<Handle> to(caf::expected<caf::strong_actor_ptr> result) {
    if (!result)
      return std::move(result.error());
    return caf::actor_cast<Handle>(std::move(*result));
  }

  const caf::actor_system& system() const noexcept;

  const link_options& options() const noexcept;

  caf::expected<uint16_t> publish(caf::strong_actor_ptr whom, std::set<std::string> interface,
                                  uint16_t port, const link_options& options, const char* in,
                                  bool reuse);

  caf::expected<void> unpublish(const caf::actor_addr& whom, uint16_t port);

  caf::expected<caf::strong_actor_ptr> remote_actor(std::set<std::string> interface,
                                                    std::string host, uint16_t port,
                                                    const link_options* own_options);

  std::unique_ptr<state> state_;
};

} // namespace cafwire
