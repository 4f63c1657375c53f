// This file is part of cafwire. See the file LICENSE for license terms.

#include "wire_bytes.hpp"

#include "caf_api.hpp"
#include "relay.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace demo {

namespace {

transport other(transport x) {
  return x == transport::cafwire ? transport::stock : transport::cafwire;
}

double mean(uint64_t bytes, size_t messages) {
  return static_cast<double>(bytes) / static_cast<double>(messages);
}

/// A client with an actor system of its own, because CAF would not open a second
/// connection between two systems. The handle `measured` goes through the relay; the
/// handle `control` uses the other transport, so that what we have to say
/// to the server besides does not count.
class counting_client {
public:
  counting_client(transport how, const server_ports& ports, const std::string& record_to)
    : relay_(ports.of(how)),
      node_(how == transport::cafwire ? record_to : std::string{}),
      measured(node_.connect(how, relay_.port())),
      control(node_.connect(other(how), ports.of(other(how)))),
      self(node_.system()) {
    await_silence();
  }

  [[nodiscard]] uint64_t bytes() const {
    return relay_.bytes();
  }

  /// Waits until the server has handled `messages` messages since it began.
  void await_handled(uint64_t messages) {
    auto deadline = std::chrono::steady_clock::now() + request_timeout;
    for (;;) {
      auto handled = ask<uint64_t>(self, control, fence_atom_v);
      if (handled >= messages)
        return;
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error(std::to_string(messages) + " messages sent, "
                                 + std::to_string(handled) + " received");
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  /// Waits until nothing more crosses the socket. Transports have something to say
  /// after the handshake, and to a sender that they see for the first time: that
  /// they want to know when the actor dies.
  void await_silence() {
    for (auto before = bytes();;) {
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      if (before == bytes())
        return;
      before = bytes();
    }
  }

private:
  relay relay_;
  node node_;

public:
  caf::actor measured;
  caf::actor control;
  caf::scoped_actor self;
};

} // namespace

wire_bytes count_bytes(transport how, const server_ports& ports, const stream& x,
                       const std::string& record_to) {
  counting_client client{how, ports, record_to};
  ask<caf::ok_atom>(client.self, client.control, begin_atom_v);
  auto before = client.bytes();
  send(client.self, client.measured, x.make_message(0));
  client.await_handled(1);
  client.await_silence();
  auto first = client.bytes();
  auto last = x.steady_messages + 1;
  for (size_t i = 1; i < last;) {
    for (auto end = std::min(i + x.window, last); i < end; ++i)
      send(client.self, client.measured, x.make_message(i));
    client.await_handled(i);
  }
  auto steady = client.bytes();
  check_report(client.self, client.control, last);
  return {mean(first - before, 1), mean(steady - first, x.steady_messages)};
}

wire_bytes count_bytes(transport how, const server_ports& ports, const questions& x,
                       size_t steady_messages, const std::string& record_to) {
  counting_client client{how, ports, record_to};
  x.store(client.self, client.control);
  auto before = client.bytes();
  x.ask_airport_counts(client.self, client.measured, 1);
  client.await_silence();
  auto first = client.bytes();
  x.ask_airport_counts(client.self, client.measured, steady_messages);
  auto steady = client.bytes();
  return {mean(first - before, 1), mean(steady - first, steady_messages)};
}

} // namespace demo
