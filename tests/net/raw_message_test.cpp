// This file is part of cafwire. See the file LICENSE for license terms.

// A node between two others that does not know the types of their messages.

#include "net/node.hpp"
#include "net/server.hpp"

#include <cafwire/message/known_types.hpp>
#include <cafwire/message/raw_message.hpp>

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

/// Passes on what it does not understand, and answers with what comes back. The sender of the
/// message is on a node that the next one does not know, so delegating would not do.
caf::behavior relay(caf::event_based_actor* self, caf::actor next) {
  return {
    [self, next](cafwire::raw_message& x) {
      auto promise = self->make_response_promise<std::string>();
      request(self, next, patience, std::move(x))
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
