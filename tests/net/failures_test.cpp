// This file is part of cafwire. See the file LICENSE for license terms.

// Messages that cannot be written or read: whoever waits for an answer gets an error, and the link
// goes on.

#include "net/node.hpp"
#include "net/server.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

cafwire::link_options with_frame_limit(size_t bytes) {
  cafwire::link_options result;
  result.bounds.max_frame_bytes = bytes;
  return result;
}

struct fixture {
  explicit fixture(cafwire::link_options far_options = {}) : far{std::move(far_options)} {
    // nop
  }

  node near;
  node far;
  caf::actor remote = near.connect(far.publish(far.spawn(server)));
  caf::scoped_actor& self = near.self;
};

constexpr size_t frame_limit = size_t{64} << 10;

struct limited_fixture : fixture {
  limited_fixture() : fixture{with_frame_limit(frame_limit)} {
    // nop
  }
};

/// Resets the hook in any case.
struct when_written {
  explicit when_written(std::function<void()> what) {
    chatty::when_written = std::move(what);
  }

  ~when_written() {
    chatty::when_written = nullptr;
  }
};

} // namespace

TEST_CASE_METHOD(fixture, "a type that cafwire does not know is refused by the writer") {
  auto reason = ask_in_vain(self, remote, stranger{1});
  CHECK(reason == ec::unregistered_type);
  CHECK(to_string(reason).find("stranger") != std::string::npos);
  CHECK(near.net().statistics().encode_errors == 1);
  send(self, remote, stranger{2});
  CHECK(near.net().statistics().encode_errors == 2);
  CHECK(ask<std::string>(self, remote, "still here"s) == "still here"s);
  CHECK(far.net().statistics().decode_errors == 0);
}

TEST_CASE_METHOD(fixture, "such a type is refused inside of other messages and as an answer") {
  CHECK(ask_in_vain(self, remote, caf::join_atom_v, caf::make_message(stranger{1}))
        == ec::unregistered_type);
  auto remote_liar = near.connect(far.publish(far.spawn([]() -> caf::behavior {
    return {
      [](caf::get_atom) { return stranger{1}; },
      [](std::string& x) { return std::move(x); },
    };
  })));
  CHECK(ask_in_vain(self, remote_liar, caf::get_atom_v) == ec::unregistered_type);
  CHECK(far.net().statistics().encode_errors == 1);
  CHECK(ask<std::string>(self, remote_liar, "still here"s) == "still here"s);
}

TEST_CASE_METHOD(fixture, "a value that its reader refuses is an error for the requester") {
  CHECK(ask<int32_t>(self, remote, positive{1}) == 1);
  CHECK(ask_in_vain(self, remote, positive{-1}) == ec::invariant_failed);
  CHECK(far.net().statistics().decode_errors == 1);
  // Nobody waits for an answer here.
  send_anonymously(remote, positive{-1});
  send(self, remote, positive{-1});
  CHECK(ask<int32_t>(self, remote, positive{2}) == 2);
  CHECK(far.net().statistics().decode_errors == 3);
}

TEST_CASE_METHOD(fixture, "an answer that its reader refuses is an error for the requester") {
  auto liar = near.connect(far.publish(far.spawn([]() -> caf::behavior {
    return {
      [](int32_t x) { return positive{x}; },
    };
  })));
  CHECK(ask_in_vain(self, liar, int32_t{-1}) == ec::invariant_failed);
  CHECK(near.net().statistics().decode_errors == 1);
  auto answer = ask<positive>(self, liar, int32_t{1});
  REQUIRE(answer);
  CHECK(answer->value == 1);
}

TEST_CASE_METHOD(limited_fixture,
                 "a message beyond the limit of the peer is refused by the writer") {
  CHECK(ask_in_vain(self, remote, std::string(2 * frame_limit, 'x')) == ec::frame_too_large);
  CHECK(near.net().statistics().encode_errors == 1);
  // Types that were defined inside of the message that never left are defined again.
  auto picture = chart{"small", {1, 2, 3}, point{4, 5, 6}};
  CHECK(ask<chart>(self, remote, picture) == picture);
  CHECK(ask<std::string>(self, remote, "still here"s) == "still here"s);
}

TEST_CASE_METHOD(limited_fixture, "definitions in a message beyond the limit are repeated") {
  auto too_large = chart{"large", std::vector<double>(frame_limit), {}};
  CHECK(ask_in_vain(self, remote, too_large) == ec::frame_too_large);
  auto picture = chart{"small", {1, 2, 3}, point{4, 5, 6}};
  CHECK(ask<chart>(self, remote, picture) == picture);
}

TEST_CASE_METHOD(limited_fixture, "a message that fits by itself never counts as too large") {
  // A third of the limit each: whatever waits to be sent, no frame may grow beyond the limit.
  auto text = std::string(frame_limit / 3, 'x');
  auto largest = std::string(frame_limit - 64, 'y');
  for (auto i = 0; i < 200; ++i) {
    send(self, remote, caf::tick_atom_v);
    send(self, remote, text);
    send(self, remote, largest);
  }
  CHECK(ask<int32_t>(self, remote, caf::get_atom_v) == 200);
  CHECK(near.net().statistics().encode_errors == 0);
  CHECK(far.net().statistics().messages_received == 601);
}

TEST_CASE_METHOD(fixture, "a writer may send over the same link while it is being written") {
  when_written hook{[this] { send_anonymously(remote, caf::tick_atom_v); }};
  CHECK(ask<int32_t>(self, remote, chatty{5}) == 5);
  // An `inspect` overload may run more than once for one value.
  CHECK(eventually([&] {
    auto ticks = ask<int32_t>(self, remote, caf::get_atom_v);
    return ticks && *ticks > 0;
  }));
}

TEST_CASE_METHOD(fixture, "a writer may send over another link, and back over the first one") {
  node third;
  auto other = near.connect(third.publish(third.spawn(server)));
  auto depth = 0;
  when_written hook{[&] {
    if (++depth == 1) {
      send_anonymously(other, chatty{1});
      send_anonymously(remote, caf::tick_atom_v);
    } else if (depth == 2) {
      send_anonymously(remote, caf::tick_atom_v);
    }
  }};
  CHECK(ask<int32_t>(self, remote, chatty{5}) == 5);
  CHECK(ask<int32_t>(self, other, chatty{6}) == 6);
  CHECK(eventually([&] { return ask<int32_t>(self, remote, caf::get_atom_v) == 2; }));
}
