// This file is part of cafwire. See the file LICENSE for license terms.

// Peers that send nonsense after a proper handshake: their links end, everything else goes on.

#include "net/node.hpp"
#include "net/raw_peer.hpp"
#include "net/server.hpp"

#include <functional>
#include <future>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::frame_header;
using cafwire::detail::link_op;
using cafwire::detail::record_head;

namespace {

using bytes = std::vector<std::byte>;

struct fixture {
  node far;
  caf::actor local = far.spawn(server);
  uint16_t port = far.publish(local);
  node near;
  caf::actor remote = near.connect(port);

  int32_t ticks() {
    auto result = ask<int32_t>(near.self, remote, caf::get_atom_v);
    REQUIRE(result);
    return *result;
  }

  bool goes_on() {
    node late;
    return ask<std::string>(near.self, remote, "old"s) == "old"s
           && ask<std::string>(late.self, late.connect(port), "new"s) == "new"s;
  }
};

/// Builds a record by hand.
bytes record(link_op op, uint64_t target, uint64_t source = 0, const bytes& rest = {}) {
  cafwire::output_buffer out;
  record_head head;
  head.op = op;
  head.target = target;
  head.source = source;
  REQUIRE(cafwire::detail::write_record_head(out, head));
  REQUIRE(out.append(rest.data(), rest.size()));
  auto all = out.bytes();
  return {all.begin(), all.end()};
}

bytes of(std::initializer_list<int> xs) {
  bytes result;
  for (auto x : xs)
    result.push_back(static_cast<std::byte>(x));
  return result;
}

} // namespace

TEST_CASE_METHOD(fixture, "the player of these tests is understood if it plays well") {
  raw_peer peer{port};
  auto tick = caf::make_message(caf::tick_atom_v);
  peer.send_body(peer.message_record(tick));
  peer.send_body({});
  auto two = peer.message_record(tick);
  auto second = peer.message_record(tick);
  two.insert(two.end(), second.begin(), second.end());
  peer.send_body(two);
  CHECK(eventually([&] { return ticks() == 3; }));
}

TEST_CASE_METHOD(fixture, "a frame that is not the next one ends the link") {
  raw_peer peer{port};
  auto tick = caf::make_message(caf::tick_atom_v);
  peer.send_body(peer.message_record(tick));
  auto body = peer.message_record(tick);
  auto header = peer.next_header(body.size());
  SECTION("another epoch") {
    ++header.epoch;
  }
  SECTION("repeated") {
    --header.sequence;
  }
  SECTION("a gap") {
    ++header.sequence;
  }
  SECTION("the handshake again") {
    header.sequence = 0;
  }
  SECTION("far ahead") {
    header.sequence += 0x80000000u;
  }
  SECTION("an unknown kind") {
    header.kind = static_cast<cafwire::frame_kind>(9);
  }
  SECTION("a body beyond the limit") {
    header.body_size = (64u << 20) + 1;
  }
  peer.send_frame(header, body);
  CHECK(peer.is_cut_off());
  CHECK(ticks() == 1);
  CHECK(goes_on());
}

TEST_CASE_METHOD(fixture, "reserved bytes and padding must be zero") {
  raw_peer peer{port};
  auto body = peer.message_record(caf::make_message(caf::tick_atom_v));
  bytes frame(cafwire::frame_header_size);
  cafwire::write_frame_header(frame.data(), peer.next_header(body.size()));
  frame.insert(frame.end(), body.begin(), body.end());
  REQUIRE(cafwire::frame_padding(body.size()) > 0);
  frame.resize(frame.size() + cafwire::frame_padding(body.size()));
  SECTION("flags") {
    frame[5] = std::byte{1};
  }
  SECTION("first reserved byte") {
    frame[6] = std::byte{1};
  }
  SECTION("second reserved byte") {
    frame[7] = std::byte{0x80};
  }
  SECTION("first byte of padding") {
    frame[cafwire::frame_header_size + body.size()] = std::byte{1};
  }
  SECTION("last byte of padding") {
    frame.back() = std::byte{1};
  }
  peer.socket().send(frame);
  CHECK(peer.is_cut_off());
  CHECK(ticks() == 0);
  CHECK(goes_on());
}

TEST_CASE_METHOD(fixture, "a frame that is cut off by the end of the stream is never looked at") {
  raw_peer peer{port};
  auto body = peer.message_record(caf::make_message(caf::tick_atom_v));
  auto header = peer.next_header(body.size());
  bytes frame(cafwire::frame_header_size);
  cafwire::write_frame_header(frame.data(), header);
  frame.insert(frame.end(), body.begin(), body.end());
  frame.resize(frame.size() + cafwire::frame_padding(body.size()) - 1);
  peer.socket().send(frame);
  peer.socket().finish();
  CHECK(peer.is_cut_off());
  CHECK(ticks() == 0);
  CHECK(goes_on());
}

TEST_CASE_METHOD(fixture, "a body without sense ends the link") {
  raw_peer peer{port};
  auto target = peer.server().published;
  struct row {
    const char* what;
    bytes body;
  };
  const row rows[] = {
    {"op 0", of({0x00, 1})},
    {"op 6", of({0x06, 1})},
    {"op 7", of({0x07, 1})},
    {"unknown flags", of({0x41, 1})},
    {"all flags", of({0xff, 0xff})},
    {"a head without a target", of({0x01})},
    {"a target that never ends", bytes(64, std::byte{0x81})},
    {"a target that is not in its shortest form", of({0x01, 0x80, 0x00})},
    {"a message without a session record", record(link_op::message, target)},
    {"an unknown signature", record(link_op::message, target, 0, of({99, 0}))},
    {"a signature of an unknown type",
     record(link_op::message, target, 0, of({0, 2, 4, 1, 1, 0xff, 0x7f, 1, 0}))},
    {"a definition although both sides know all types",
     record(link_op::message, target, 0, of({0, 1, 4, 0x80, 0x04, 1, 'x'}))},
    {"a payload that ends behind the frame",
     record(link_op::message, target, 0, of({0, 2, 3, 1, 1, 1, 1, 0x40}))},
    {"a session record of an unknown kind", record(link_op::message, target, 0, of({0, 9, 0}))},
    {"the end of an actor without a reason", record(link_op::down, 5)},
    {"a reason that ends behind the frame", record(link_op::down, 5, 0, of({0x30, 1, 2}))},
  };
  for (auto& x : rows) {
    INFO(x.what);
    raw_peer next{port};
    next.send_body(x.body);
    CHECK(next.is_cut_off());
  }
  CHECK(goes_on());
}

TEST_CASE_METHOD(fixture, "records for actors that do not exist are harmless") {
  raw_peer peer{port};
  peer.send_body(record(link_op::monitor, 0));
  peer.send_body(record(link_op::monitor, 12345));
  peer.send_body(record(link_op::monitor, UINT64_MAX));
  peer.send_body(record(link_op::link, 12345, 6));
  peer.send_body(record(link_op::link, peer.server().published, 0));
  peer.send_body(record(link_op::unlink, 12345, 6));
  peer.send_body(record(link_op::unlink, peer.server().published, 6));
  peer.send_body(record(link_op::down, 0, 0, of({1, 0})));
  peer.send_body(record(link_op::down, 12345, 0, of({1, 0})));
  peer.send_body(record(link_op::down, UINT64_MAX, 0, of({3, 1, 2, 3})));
  peer.send_body(record(link_op::monitor, peer.server().published));
  peer.send_body(record(link_op::monitor, peer.server().published));
  peer.send_body(peer.message_record(caf::make_message(caf::tick_atom_v)));
  CHECK(eventually([&] { return ticks() == 1; }));
  CHECK(goes_on());
}

TEST_CASE_METHOD(fixture, "a payload that cannot be decoded is counted and does not end the link") {
  raw_peer peer{port};
  auto record = peer.message_record(caf::make_message("text"s));
  // The length of the text, in front of its four bytes.
  record.at(record.size() - 5) = std::byte{0x7f};
  peer.send_body(record);
  peer.send_body(peer.message_record(caf::make_message(caf::tick_atom_v)));
  CHECK(eventually([&] { return ticks() == 1; }));
  CHECK(far.net().statistics().decode_errors == 1);
  CHECK(goes_on());
}

TEST_CASE_METHOD(fixture, "only who was asked may answer") {
  // A peer that knows the requester because it got a message from it.
  raw_listener listener;
  std::promise<void> asked;
  std::thread player{[&] {
    auto connection = listener.accept();
    auto hello = good_handshake();
    hello.published = 17;
    connection.send(encode(hello));
    cafwire::serializer_session session{cafwire::known_types::global(),
                                        cafwire::session_options{hello.registry_hash, {}, nullptr}};
    cafwire::frame_counter frames{hello.epoch, 1};
    // Answers requests that others were asked.
    cafwire::output_buffer out;
    for (uint64_t i = 1; i < 50; ++i) {
      record_head head;
      head.target = near.self.ptr()->id();
      head.id = caf::message_id{caf::message_id::default_async_value | i}.response_id();
      if (!cafwire::detail::write_record_head(out, head)
          || session.write_message(out, caf::make_message(int32_t{666})) != cafwire::ec::none)
        return;
    }
    bytes frame(cafwire::frame_header_size);
    auto header = frames.next(cafwire::frame_kind::records, out.size());
    cafwire::write_frame_header(frame.data(), header);
    frame.insert(frame.end(), out.bytes().begin(), out.bytes().end());
    frame.resize(frame.size() + cafwire::frame_padding(out.size()));
    asked.get_future().wait();
    connection.send(frame);
    std::ignore = connection.drain();
  }};
  auto impostor = near.net().remote_actor(loopback, listener.port());
  REQUIRE(impostor);
  auto handle = request(near.self, remote, patience, caf::pending_atom_v);
  send(near.self, *impostor, caf::tick_atom_v);
  asked.set_value();
  REQUIRE(eventually([&] { return near.net().statistics().undeliverable == 49; }));
  send_anonymously(remote, caf::flush_atom_v);
  auto answer = int32_t{0};
  std::move(handle).receive([&](int32_t x) { answer = x; },
                            [](const caf::error& x) { FAIL(to_string(x)); });
  CHECK(answer == 42);
  near.end_links();
  player.join();
}

TEST_CASE_METHOD(fixture, "random bytes in frames never crash a server") {
  auto seed = uint64_t{88172645463325252};
  auto next = [&seed] {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
  };
  for (auto round = 0; round < 200; ++round) {
    raw_peer peer{port};
    auto good = peer.message_record(caf::make_message(chart{"x", {1, 2, 3}, point{1, 2, 3}}));
    auto body = good;
    for (auto changes = 1 + next() % 4; changes > 0; --changes)
      body[next() % body.size()] = static_cast<std::byte>(next());
    peer.send_body(body);
    peer.send_body(good);
    peer.socket().finish();
    REQUIRE(peer.is_cut_off());
  }
  CHECK(goes_on());
}
