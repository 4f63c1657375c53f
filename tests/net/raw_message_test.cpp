// This file is part of cafwire. See the file LICENSE for license terms.

// A node between two others that does not know the types of their messages.

#include "net/node.hpp"
#include "net/server.hpp"

#include <cafwire/message/known_types.hpp>
#include <cafwire/message/raw_message.hpp>

#include <catch2/generators/catch_generators.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace net_test;

using cafwire::ec;

namespace {

cafwire::link_options knowing_nothing(bool keeps_messages) {
  cafwire::link_options result;
  result.types
    = std::make_shared<cafwire::known_types>(std::vector<const cafwire::message_type*>{});
  result.keep_unknown_messages = keeps_messages;
  return result;
}

caf::behavior describer(caf::event_based_actor*) {
  return {
    [](const point& p) { return "point " + std::to_string(p.x); },
  };
}

/// Passes on what it does not understand in its own name, and answers with what comes back.
caf::behavior relay(caf::event_based_actor* self, caf::actor next) {
  return {
    [self, next](cafwire::raw_message& x) {
      auto promise = self->make_response_promise<std::string>();
      request(self, next, caf::infinite, std::move(x))
        .then([promise](std::string& answer) mutable { promise.deliver(std::move(answer)); },
              [promise](caf::error& reason) mutable { promise.deliver(std::move(reason)); });
      return promise;
    },
  };
}

caf::expected<std::string> ask_through(bool keeps_messages) {
  node far;
  node middle{knowing_nothing(keeps_messages)};
  node near;
  auto next = middle.connect(far.publish(far.spawn(describer)));
  auto remote = near.connect(middle.publish(middle.spawn(relay, next)));
  return ask<std::string>(near.self, remote, point{7, 8, 9});
}

/// Counts what arrives.
caf::behavior counter(caf::event_based_actor*) {
  auto n = std::make_shared<int32_t>(0);
  return {
    [n](caf::tick_atom) { ++*n; },
    [n](caf::get_atom) { return *n; },
  };
}

/// Sends a message to all actors that it is told about.
caf::behavior caller(caf::event_based_actor* self) {
  return {
    [self](const handles& xs) {
      for (auto& x : xs.many)
        send(self, x, caf::tick_atom_v);
      return static_cast<int32_t>(xs.many.size());
    },
  };
}

/// Hands everything over.
caf::behavior delegating_relay(caf::event_based_actor* self, caf::actor next) {
  return {
    [self, next](cafwire::raw_message& x) { return delegate(self, next, std::move(x)); },
  };
}

/// Tells of an actor.
caf::behavior directory(caf::event_based_actor*, caf::actor entry) {
  return {
    [entry](caf::get_atom) { return entry; },
  };
}

caf::behavior mirror(caf::event_based_actor*) {
  return {
    [](const point& p) { return p; },
  };
}

/// The middle only relays between the two others.
caf::expected<point> ask_third_node(bool keeps_messages) {
  node far;
  node middle{knowing_nothing(keeps_messages)};
  node near;
  auto entry = middle.connect(far.publish(far.spawn(mirror)));
  auto remote = near.connect(middle.publish(middle.spawn(directory, entry)));
  auto third = ask<caf::actor>(near.self, remote, caf::get_atom_v);
  REQUIRE(third);
  return ask<point>(near.self, *third, point{7, 8, 9});
}

} // namespace

TEST_CASE("a message passes through a node that does not know its type") {
  auto answer = ask_through(true);
  REQUIRE(answer);
  CHECK(*answer == "point 7");
}

TEST_CASE("a message of an unknown type is an error unless it is kept") {
  auto answer = ask_through(false);
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == ec::unknown_type);
}

TEST_CASE("a node relays messages of types that it does not know if it keeps them") {
  auto answer = ask_third_node(true);
  REQUIRE(answer);
  CHECK(*answer == point{7, 8, 9});
  answer = ask_third_node(false);
  REQUIRE_FALSE(answer);
  CHECK(answer.error() == ec::unknown_type);
}

TEST_CASE("handles pass through a node that does not know the type of their message") {
  // The links end before the actors do.
  node far;
  node middle{knowing_nothing(true)};
  node near;
  auto far_counter = far.spawn(counter);
  auto middle_counter = middle.spawn(counter);
  auto near_counter = near.spawn(counter);
  auto next = middle.connect(far.publish(far.spawn(caller)));
  auto remote = near.connect(middle.publish(middle.spawn(delegating_relay, next)));
  auto message = handles{};
  message.one = near_counter;
  message.many = {near_counter, near.connect(middle.publish(middle_counter)),
                  near.connect(far.publish(far_counter))};
  // A message of its own for each way of encoding: small ones, and those that outgrow a frame.
  auto copies = GENERATE(size_t{1}, size_t{60'000});
  for (size_t i = 1; i < copies; ++i)
    message.many.push_back(near_counter);
  for (auto round = 1; round <= 2; ++round) {
    auto answer = ask<int32_t>(near.self, remote, message);
    REQUIRE(answer);
    CHECK(*answer == static_cast<int32_t>(copies + 2));
    auto expected = static_cast<int32_t>(copies) * round;
    CHECK(eventually(
      [&] { return ask<int32_t>(near.self, near_counter, caf::get_atom_v) == expected; }));
    CHECK(ask<int32_t>(middle.self, middle_counter, caf::get_atom_v) == round);
    CHECK(ask<int32_t>(far.self, far_counter, caf::get_atom_v) == round);
  }
}
