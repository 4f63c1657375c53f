// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "remote/transport.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cafwire::bench {

/// How actors reach each other over the network.
class network {
public:
  virtual ~network();

  /// Makes an actor available on a port of the loopback interface that the system chooses.
  virtual uint16_t publish(const caf::actor& what) = 0;

  /// Connects to the actor behind a port of the loopback interface.
  virtual caf::actor connect(uint16_t port) = 0;
};

using network_ptr = std::unique_ptr<network>;

/// Creates the network that the name selects: "basp" or "accelerated" for CAF's own, "cafwire" for
/// ours. Whether a message is accelerated is a matter of its type.
network_ptr make_network(const std::string& name, caf::actor_system& sys);

/// The configuration of both processes: two worker threads, the I/O module, a silent console.
class remote_config : public caf::actor_system_config {
public:
  remote_config();
};

/// Sends messages to an actor of a second process.
class actor_transport : public transport {
public:
  /// Starts the receiving process and connects to it.
  explicit actor_transport(const std::string& network_name);

  void prepare(const payload& what, size_t count) override;

  void run(const payload& what, size_t count) override;

  const child_process& receiver() const override {
    return child_;
  }

  size_t window(const payload& what) const override;

  /// Sends a small request and waits for its response.
  void round_trip();

private:
  /// Blocks until the receiver reports how many messages it has handled.
  uint64_t await();

  child_process child_;
  remote_config config_;
  caf::actor_system system_;
  network_ptr network_;
  caf::scoped_actor self_;
  caf::actor receiver_;
};

/// Asks an actor that answers `ping_atom` with `pong_atom`, and waits for the answer.
/// @throws std::runtime_error if there is none.
void round_trip(caf::scoped_actor& self, const caf::actor& whom);

/// Registers all message types. Call it once, before anything else of CAF.
void initialize_types();

/// Runs the receiving side until the parent asks it to end.
void serve_actors(const std::string& network_name);

} // namespace cafwire::bench
