// This file is part of cafwire. See the file LICENSE for license terms.

#include "remote/actors.hpp"

#include "caf_api.hpp"
#include "messages.hpp"
#include "remote/accelerated.hpp"

#include <cafwire/init_global_meta_objects.hpp>
#include <cafwire/remoting.hpp>

#include <caf/actor_cast.hpp>
#include <caf/behavior.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/init_global_meta_objects.hpp>
#include <caf/io/middleman.hpp>
#include <caf/response_promise.hpp>

#include <chrono>
#include <stdexcept>

namespace cafwire::bench {

namespace {

/// Receives the messages of a run, checks them and reports progress to the actor that announced it.
class receiver {
public:
  explicit receiver(caf::event_based_actor* self) : self_(self) {
    // nop
  }

  caf::behavior make_behavior() {
    return {
      [this](uint64_t count, uint64_t ack_interval) {
        count_ = count;
        ack_interval_ = ack_interval;
        handled_ = 0;
        failed_ = false;
        controller_ = caf::actor_cast<caf::actor>(self_->current_sender());
        send_from(self_, controller_, handled_);
      },
      [](caf::ping_atom) { return caf::pong_atom_v; },
      [this](const struct12& x) { handle(x.a == static_cast<int32_t>(handled_) && x.b == -1); },
      [this](const matrix_vector& xs) {
        handle(!xs.empty() && xs.back().values.back() == static_cast<float>(expected()));
      },
      [this](const fast_struct12& x) {
        handle(x.a == static_cast<int32_t>(handled_) && x.b == -1);
      },
      [this](const fast_matrix_vector& xs) {
        handle(!xs.empty() && xs.back().values.back() == static_cast<float>(expected()));
      },
      [this](const object_vector& xs) { handle(!xs.empty() && xs.back().id == expected()); },
      [this](const caf::byte_buffer& xs) {
        handle(!xs.empty() && static_cast<uint64_t>(xs.back()) == expected());
      },
    };
  }

private:
  uint64_t expected() const noexcept {
    return handled_ % payload::cycle;
  }

  void handle(bool good) {
    if (failed_)
      return;
    if (!good) {
      failed_ = true;
      send_from(self_, controller_, "message " + std::to_string(handled_) + " arrived wrong");
      return;
    }
    ++handled_;
    if (handled_ == count_ || handled_ % ack_interval_ == 0)
      send_from(self_, controller_, handled_);
  }

  caf::event_based_actor* self_;
  caf::actor controller_;
  uint64_t count_ = 0;
  uint64_t ack_interval_ = 1;
  uint64_t handled_ = 0;
  bool failed_ = false;
};

caf::behavior receive_all(caf::event_based_actor* self) {
  auto state = std::make_shared<receiver>(self);
  // The handlers point to the state, so it lives as long as the actor does.
  self->attach_functor([state] {});
  return state->make_behavior();
}

[[noreturn]] void fail(const char* what, const caf::error& why) {
  throw std::runtime_error{std::string{what} + ": " + to_string(why)};
}

/// CAF's own networking.
class basp_network : public network {
public:
  explicit basp_network(caf::actor_system& sys) : system_(&sys) {
    // nop
  }

  uint16_t publish(const caf::actor& what) override {
    auto port = system_->middleman().publish(what, 0, "127.0.0.1");
    if (!port)
      fail("publish", port.error());
    return *port;
  }

  caf::actor connect(uint16_t port) override {
    auto result = system_->middleman().remote_actor("127.0.0.1", port);
    if (!result)
      fail("remote_actor", result.error());
    return *result;
  }

private:
  caf::actor_system* system_;
};

/// Links of cafwire.
class link_network : public network {
public:
  explicit link_network(caf::actor_system& sys) : links_(sys) {
    // nop
  }

  uint16_t publish(const caf::actor& what) override {
    auto port = links_.publish(what, 0);
    if (!port)
      fail("publish", port.error());
    return *port;
  }

  caf::actor connect(uint16_t port) override {
    auto result = links_.remote_actor("127.0.0.1", port);
    if (!result)
      fail("remote_actor", result.error());
    return *result;
  }

private:
  remoting links_;
};

} // namespace

network::~network() {
  // nop
}

network_ptr make_network(const std::string& name, caf::actor_system& sys) {
  if (name == "basp" || name == "accelerated")
    return std::make_unique<basp_network>(sys);
  if (name == "cafwire")
    return std::make_unique<link_network>(sys);
  throw std::invalid_argument{"unknown network: " + name};
}

remote_config::remote_config() {
  load<caf::io::middleman>();
  set("caf.scheduler.max-threads", 2);
  set("caf.logger.console.verbosity", "quiet");
}

actor_transport::actor_transport(const std::string& network_name)
  : child_({"--serve", network_name}),
    system_(config_),
    network_(make_network(network_name, system_)),
    self_(system_),
    receiver_(network_->connect(child_.read_port())) {
  // nop
}

void actor_transport::prepare(const payload& what, size_t count) {
  uint64_t interval = std::max<size_t>(1, window(what) / 4);
  send_from(self_, receiver_, static_cast<uint64_t>(count), interval);
  if (await() != 0)
    throw std::runtime_error{"the receiver is not ready"};
}

void actor_transport::run(const payload& what, size_t count) {
  auto limit = window(what);
  size_t handled = 0;
  for (size_t i = 0; i < count; ++i) {
    while (i - handled >= limit)
      handled = await();
    what.send_to(receiver_, i);
  }
  while (handled < count)
    handled = await();
}

size_t actor_transport::window(const payload& what) const {
  return what.window();
}

void actor_transport::round_trip() {
  bench::round_trip(self_, receiver_);
}

uint64_t actor_transport::await() {
  uint64_t result = 0;
  std::string failure;
  self_->receive([&](uint64_t handled) { result = handled; },
                 [&](const std::string& what) { failure = what; },
                 caf::after(std::chrono::seconds{30}) >>
                   [&] { failure = "no message from the receiver within 30 seconds"; });
  if (!failure.empty())
    throw std::runtime_error{failure};
  return result;
}

void round_trip(caf::scoped_actor& self, const caf::actor& whom) {
  auto failure = caf::error{};
  request_from(self, whom, std::chrono::seconds{30}, caf::ping_atom_v)
    .receive([](caf::pong_atom) {}, [&failure](caf::error& x) { failure = std::move(x); });
  if (failure)
    fail("request", failure);
}

void initialize_types() {
  init_global_meta_objects<caf::id_block::cafwire_bench>();
  init_global_meta_objects<caf::id_block::cafwire_bench_accelerated>();
  caf::io::middleman::init_global_meta_objects();
  caf::core::init_global_meta_objects();
}

void serve_actors(const std::string& network_name) {
  remote_config config;
  caf::actor_system system{config};
  auto connections = make_network(network_name, system);
  auto target = system.spawn(receive_all);
  announce_port(connections->publish(target));
  wait_for_parent();
  send_exit(target);
}

} // namespace cafwire::bench
