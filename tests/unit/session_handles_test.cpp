// This file is part of cafwire. See the file LICENSE for license terms.

// Actor handles inside of messages.

#include <cafwire/inspect/handle_codec.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "net/caf_api.hpp"
#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include <caf/all.hpp>

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

caf::behavior idle_actor() {
  return {
    [](int32_t x) { return x + 1; },
  };
}

/// An actor system with one actor, and sessions that know it.
struct fixture {
  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::actor target = system.spawn(idle_actor);
  local_handle_codec handles{system};
  output_buffer out;

  ~fixture() {
    caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
  }

  session_options options() {
    session_options result;
    result.handles = &handles;
    return result;
  }

  template <class T>
  T round_trip(const T& x) {
    serializer_session writer{known_types::global(), options()};
    deserializer_session reader{known_types::global(), options()};
    out.clear();
    REQUIRE(writer.write(out, x) == ec::none);
    input_cursor in{out.bytes()};
    T result;
    REQUIRE(reader.read(in, result) == ec::none);
    return result;
  }
};

} // namespace

TEST_CASE("handles of all kinds find their actor again") {
  fixture x;
  CHECK(x.round_trip(x.target) == x.target);
  CHECK(x.round_trip(x.target.address()) == x.target.address());
  auto strong = caf::actor_cast<caf::strong_actor_ptr>(x.target);
  CHECK(x.round_trip(strong) == strong);
  caf::weak_actor_ptr weak{strong.get()};
  CHECK(x.round_trip(weak).lock() == strong);
  CHECK(x.round_trip(std::vector<caf::actor>{x.target, caf::actor{}, x.target})
        == std::vector<caf::actor>{x.target, caf::actor{}, x.target});
  auto down = x.round_trip(caf::down_msg{x.target.address(), caf::exit_reason::kill});
  CHECK(down.source == x.target.address());
  CHECK(down.reason == caf::exit_reason::kill);
}

TEST_CASE("a handle that arrived works") {
  fixture x;
  auto copy = x.round_trip(caf::make_message(x.target));
  REQUIRE(copy.match_elements<caf::actor>());
  caf::scoped_actor self{x.system};
  auto answer = net_test::ask<int32_t>(self, copy.get_as<caf::actor>(0), int32_t{41});
  REQUIRE(answer);
  CHECK(*answer == 42);
}

TEST_CASE("a handle is written as node and ID") {
  fixture x;
  output_buffer node;
  REQUIRE(serialize(node, x.system.node()) == ec::none);
  stream_builder expected;
  expected.byte(1).raw(node.bytes()).u64(x.target.id());
  output_buffer out;
  {
    serializer f{out, &x.handles};
    REQUIRE(f.apply(x.target));
  }
  CHECK(to_hex(out.bytes()) == to_hex(expected.bytes()));
}

TEST_CASE("handles need a context") {
  fixture x;
  serializer_session writer;
  CHECK(writer.write(x.out, x.target) == ec::no_actor_context);
  CHECK(writer.write_message(x.out, caf::make_message(x.target)) == ec::no_actor_context);
  CHECK(x.out.size() == 0);
  // Those that hold no actor do not.
  CHECK(writer.write(x.out, caf::actor{}) == ec::none);
  // The reader needs one, too.
  x.out.clear();
  serializer_session with_context{known_types::global(), x.options()};
  REQUIRE(with_context.write(x.out, x.target) == ec::none);
  REQUIRE(with_context.write(x.out, int32_t{5}) == ec::none);
  deserializer_session reader;
  input_cursor in{x.out.bytes()};
  caf::actor copy;
  CHECK(reader.read(in, copy) == ec::no_actor_context);
  CHECK(reader.status() == read_status::skipped);
  CHECK(copy == nullptr);
  int32_t number = 0;
  CHECK(reader.read(in, number) == ec::none);
  CHECK(number == 5);
}

TEST_CASE("a handle whose actor is gone or never was is unreachable") {
  fixture x;
  auto check_unreachable = [&](const stream_builder& payload) {
    deserializer f{payload.bytes(), limits::untrusted(), &x.handles, nullptr};
    caf::actor copy;
    CHECK_FALSE(f.apply(copy));
    CHECK(f.code() == ec::unreachable_actor);
    CHECK(copy == nullptr);
  };
  output_buffer node;
  REQUIRE(serialize(node, x.system.node()) == ec::none);
  SECTION("an ID without an actor") {
    stream_builder payload;
    payload.byte(1).raw(node.bytes()).u64(123456789);
    check_unreachable(payload);
  }
  SECTION("another node") {
    caf::hashed_node_id::host_id_type host;
    host.fill(7);
    output_buffer other;
    REQUIRE(serialize(other, caf::make_node_id(1, host)) == ec::none);
    stream_builder payload;
    payload.byte(1).raw(other.bytes()).u64(x.target.id());
    check_unreachable(payload);
  }
  SECTION("no node") {
    output_buffer none;
    REQUIRE(serialize(none, caf::node_id{}) == ec::none);
    stream_builder payload;
    payload.byte(1).raw(none.bytes()).u64(x.target.id());
    check_unreachable(payload);
  }
}

TEST_CASE("tags of handles without a meaning are refused") {
  fixture x;
  for (auto tag : {2, 3, 4, 5, 6, 255}) {
    stream_builder payload;
    payload.byte(static_cast<uint8_t>(tag)).u64(1);
    caf::actor copy = x.target;
    deserializer f{payload.bytes(), limits::untrusted(), &x.handles, nullptr};
    CHECK_FALSE(f.apply(copy));
    CHECK(f.code() == ec::invalid_tag);
    // Also without a context.
    CHECK(deserialize(payload.bytes(), copy)
          == (tag <= 5 ? ec::no_actor_context : ec::invalid_tag));
  }
}

TEST_CASE("a handle that is cut is refused") {
  fixture x;
  output_buffer out;
  {
    serializer f{out, &x.handles};
    REQUIRE(f.apply(x.target));
  }
  for (size_t n = 0; n < out.size(); ++n) {
    exact_copy copy{out.bytes().first(n)};
    deserializer f{copy.get(), limits::untrusted(), &x.handles, nullptr};
    caf::actor result;
    REQUIRE_FALSE(f.apply(result));
    CHECK(f.code() == ec::unexpected_end);
  }
}
