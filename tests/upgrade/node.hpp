// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// The program that `old_node.cpp` and `new_node.cpp` are two versions of. `node` serves orders
// until its standard input has a line or ends; `node --port=N` is a customer of the node at a port.
//
// Each version includes this behind its types, its type-id block `shop`, and, in the namespace
// `shop`:
//   const std::string version;         of the program
//   order make_order(int n);           an order that both versions know
//   order make_large_order();          an order with the largest values
//   bool is_answer(order, order);      whether the first one is what the server makes of the second
//   one void handle(order&);               what the server makes of an order

#include <cafwire/all.hpp>
#include <cafwire/remoting.hpp>

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

namespace shop {

struct config : caf::actor_system_config {
  config() {
    opt_group{custom_options_, "global"}.add(port, "port,p", "port of the server");
  }

  uint16_t port = 0;
};

inline caf::behavior server(caf::event_based_actor*) {
  return {
    [](order& x) {
      handle(x);
      return std::move(x);
    },
    [](std::vector<order>& xs) {
      for (auto& x : xs)
        handle(x);
      return std::move(xs);
    },
    [](const std::string&) { return version; },
  };
}

/// Sends a request and waits for its answer.
template <class T>
caf::expected<T> ask(caf::scoped_actor& self, const caf::actor& server, T x) {
  using namespace std::literals;
  auto result = caf::expected<T>{caf::make_error(caf::sec::runtime_error, "no answer"s)};
  auto on_answer = [&](T& y) { result = std::move(y); };
  auto on_error = [&](caf::error& reason) { result = std::move(reason); };
#if CAFWIRE_CAF_1
  self->mail(std::move(x)).request(server, 20s).receive(on_answer, on_error);
#else
  self->request(server, 20s, std::move(x)).receive(on_answer, on_error);
#endif
  return result;
}

inline bool fail(const std::string& what, const caf::error& reason = {}) {
  std::cerr << "customer: " << what << ' ' << to_string(reason) << '\n';
  return false;
}

/// @returns whether all answers were right.
inline bool be_customer(caf::actor_system& system, cafwire::remoting& net, uint16_t port) {
  auto server = net.remote_actor("127.0.0.1", port);
  if (!server)
    return fail("no connection:", server.error());
  caf::scoped_actor self{system};
  for (auto n = 0; n < 100; ++n) {
    auto answer = ask(self, *server, make_order(n));
    if (!answer)
      return fail("no answer to an order:", answer.error());
    if (!is_answer(*answer, make_order(n)))
      return fail("a wrong answer to order " + std::to_string(n));
  }
  std::vector<order> many;
  for (auto n = 0; n < 100; ++n)
    many.push_back(make_order(n));
  auto answers = ask(self, *server, many);
  if (!answers || answers->size() != many.size())
    return fail("no answer to many orders:", answers ? caf::error{} : answers.error());
  for (auto n = 0; n < 100; ++n)
    if (!is_answer((*answers)[static_cast<size_t>(n)], many[static_cast<size_t>(n)]))
      return fail("a wrong answer to order " + std::to_string(n) + " of many");
  // An older version cannot know all values. It says so, and the conversation goes on.
  auto large = ask(self, *server, make_large_order());
  auto server_version = ask(self, *server, std::string{"version"});
  if (!server_version)
    return fail("no version:", server_version.error());
  if (*server_version < version) {
    if (large || large.error() != cafwire::ec::value_not_representable)
      return fail("a value too large was not refused as such:",
                  large ? caf::error{} : large.error());
  } else if (!large || !is_answer(*large, make_large_order())) {
    return fail("no right answer to a large value:", large ? caf::error{} : large.error());
  }
  return true;
}

inline int run(caf::actor_system& system, const config& cfg) {
  cafwire::remoting net{system};
  if (cfg.port != 0)
    return be_customer(system, net, cfg.port) ? 0 : 1;
  auto port = net.publish(system.spawn(server), 0);
  if (!port) {
    fail("cannot publish:", port.error());
    return 1;
  }
  std::cout << *port << std::endl;
  std::string line;
  std::getline(std::cin, line);
  return 0;
}

} // namespace shop
