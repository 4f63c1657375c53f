// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/remoting.hpp"

#include "net/caf_api.hpp"
#include "net/catch.hpp"
#include "net/types.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace net_test {

inline constexpr const char* loopback = "127.0.0.1";

/// Asks again and again until the answer is yes.
/// @returns `false` if that does not happen in time.
template <class Predicate>
[[nodiscard]] bool eventually(Predicate what) {
  auto deadline = std::chrono::steady_clock::now() + patience;
  while (!what()) {
    if (std::chrono::steady_clock::now() > deadline)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  return true;
}

/// An actor system with links.
class node {
public:
  /// Something that changes the configuration of an actor system.
  using change = std::function<void(caf::actor_system_config&)>;

  explicit node(cafwire::link_options options = {}, const change& configure = nullptr)
    : config_{configure},
      net_{std::in_place, config_.system, std::move(options)},
      self{config_.system} {
    // nop
  }

  caf::actor_system& sys() {
    return config_.system;
  }

  cafwire::remoting& net() {
    return *net_;
  }

  /// Ends all links.
  void end_links() {
    net_.reset();
  }

  template <class... Ts>
  auto spawn(Ts&&... xs) {
    return config_.system.spawn(std::forward<Ts>(xs)...);
  }

  /// Publishes an actor that must be publishable.
  template <class Handle>
  uint16_t publish(const Handle& whom) {
    auto port = net_->publish(whom, 0);
    if (!port)
      FAIL("cannot publish: " << to_string(port.error()));
    return *port;
  }

  /// Connects to a port that must be open.
  template <class Handle = caf::actor>
  Handle connect(uint16_t port) {
    auto result = net_->remote_actor<Handle>(loopback, port);
    if (!result)
      FAIL("cannot connect: " << to_string(result.error()));
    return *result;
  }

private:
  struct configured {
    explicit configured(const change& configure) : system{prepare(configure)} {
      // nop
    }

    caf::actor_system_config& prepare(const change& configure) {
      config.load<caf::io::middleman>();
      config.set("caf.scheduler.max-threads", 2);
      config.set("caf.middleman.workers", 0);
      if (configure)
        configure(config);
      return config;
    }

    caf::actor_system_config config;
    caf::actor_system system;
  };

  configured config_;
  std::optional<cafwire::remoting> net_;

public:
  /// The actor that stands for the code of the test.
  caf::scoped_actor self;
};

} // namespace net_test
