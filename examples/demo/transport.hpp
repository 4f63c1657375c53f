// This file is part of cafwire. See the file LICENSE for license terms.

/// @file
/// The two ways in which the demo joins its processes. All that differs between
/// them is the object that `publish` and `remote_actor` are called on.

#pragma once

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <cafwire/remoting.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace demo {

enum class transport { cafwire, stock };

constexpr auto transports = std::array{transport::cafwire, transport::stock};

/// The name in tables and messages.
const char* to_string(transport x);

/// The ports of the server, one for each transport.
struct server_ports {
  uint16_t cafwire = 0;
  uint16_t stock = 0;

  [[nodiscard]] uint16_t of(transport x) const {
    return x == transport::cafwire ? cafwire : stock;
  }
};

/// Registers the types of CAF, of cafwire and of the demo. Has to happen once in
/// each process, before the first actor system exists.
void init_types();

/// An actor system that speaks both transports.
class node {
public:
  /// @param record_to A folder for recordings of links, or nothing.
  explicit node(std::string record_to = {});

  [[nodiscard]] caf::actor_system& system() noexcept {
    return sys_;
  }

  /// Makes `x` available on a free port of the loopback interface.
  /// @throws std::runtime_error if there is no such port.
  uint16_t publish(transport how, const caf::actor& x);

  /// Connects to the actor at `port` of the loopback interface.
  /// @throws std::runtime_error if that fails.
  caf::actor connect(transport how, uint16_t port);

private:
  struct config : caf::actor_system_config {
    config();
  };

  config cfg_;
  caf::actor_system sys_;
  cafwire::remoting remoting_;
};

} // namespace demo
