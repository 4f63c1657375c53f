// This file is part of cafwire. See the file LICENSE for license terms.

// Many messages between two processes: none is lost, none overtakes another, and memory does not
// grow.

#include "net/node.hpp"
#include "net/peer_process.hpp"

#include <array>
#include <cstdint>
#include <vector>

using namespace net_test;
using namespace std::literals;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
constexpr uint64_t messages_per_sender = 25'000;
#else
constexpr bool sanitized = false;
constexpr uint64_t messages_per_sender = 1'250'000;
#endif

constexpr uint32_t num_senders = 4;

/// Messages that a sender sends before it waits until they have been handled.
constexpr uint64_t window = 2'500;

constexpr size_t megabyte = size_t{1} << 20;

uint64_t value_of(uint32_t sender, uint64_t number) {
  return (number + 1) * 0x9e3779b97f4a7c15u ^ sender;
}

/// Sends its messages, and reports its checksum to the actor that has sent the order, or 0 if the
/// receiver does not confirm it.
caf::behavior streamer(caf::event_based_actor* self, const caf::actor& receiver, uint32_t id) {
  struct progress {
    caf::actor client;
    uint64_t number = 0;
    uint64_t checksum = 0;
  };
  auto state = std::make_shared<progress>();
  return {
    [=](caf::ok_atom) {
      if (auto who = caf::actor_cast<caf::actor>(self->current_sender()); who != self)
        state->client = who;
      for (uint64_t i = 0; i < window; ++i, ++state->number) {
        auto value = value_of(id, state->number);
        send(self, receiver, id, state->number, value);
        state->checksum = state->checksum * 31 + value;
      }
      request(self, receiver, 60s, caf::get_atom_v, id, state->number)
        .then(
          [=](uint64_t checksum) {
            if (checksum != state->checksum)
              send(self, state->client, uint64_t{0});
            else if (state->number == messages_per_sender)
              send(self, state->client, checksum);
            else
              send(self, caf::actor_cast<caf::actor>(self), caf::ok_atom_v);
          },
          [=](const caf::error&) { send(self, state->client, uint64_t{0}); });
    },
  };
}

} // namespace

TEST_CASE("messages of several senders arrive complete and in order, in constant memory") {
  static_assert(messages_per_sender % window == 0);
  peer_process peer{"same_types"};
  node near;
  auto remote = near.connect(peer.port());
  auto stream = [&](uint32_t first_id) {
    for (uint32_t i = 0; i < num_senders; ++i)
      send(near.self, near.spawn(streamer, remote, first_id + i), caf::ok_atom_v);
    auto confirmed = 0u;
    for (uint32_t i = 0; i < num_senders; ++i)
      near.self->receive([&](uint64_t checksum) { confirmed += checksum != 0 ? 1 : 0; },
                         caf::after(240s) >> [] { FAIL("no report from a sender"); });
    return confirmed;
  };
  // What is there once only, such as buffers, comes with the first round.
  REQUIRE(stream(0) == num_senders);
  auto before = peer.resident_bytes();
  REQUIRE(before > 0);
  REQUIRE(stream(num_senders) == num_senders);
  auto after = peer.resident_bytes();
  // Sanitizers keep freed memory.
  CHECK((sanitized || after < before + 16 * megabyte));
  CHECK(peer.stop() == 0);
}
