// This file is part of cafwire. See the file LICENSE for license terms.

// Links with a shared key, and peers that do not have it.

#include "net/keyed_peer.hpp"
#include "net/node.hpp"
#include "net/raw_peer.hpp"
#include "net/server.hpp"

#include <caf/io/network/interfaces.hpp>

#include <algorithm>
#include <array>
#include <future>
#include <string>
#include <string_view>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;
using cafwire::link_options;
using cafwire::shared_key;

namespace {

using bytes = std::vector<std::byte>;
using role = keyed_peer::role;

link_options with_key(shared_key key) {
  link_options result;
  result.key = std::move(key);
  return result;
}

/// A server that demands a key.
struct guarded {
  explicit guarded(link_options options = with_key(good_key())) : far{std::move(options)} {
    // nop
  }

  node far;
  caf::actor local = far.spawn(server);
  uint16_t port = far.publish(local);

  caf::error connect_with(link_options options) {
    node near{std::move(options)};
    return error_of(near.net().remote_actor(loopback, port));
  }

  /// Who has the key is welcome whatever others have tried.
  bool goes_on() {
    node late{with_key(good_key())};
    return ask<std::string>(late.self, late.connect(port), "in"s) == "in"s;
  }
};

struct impatient_guarded : guarded {
  static link_options options() {
    auto result = with_key(good_key());
    result.bounds.handshake_timeout = 150ms;
    return result;
  }

  impatient_guarded() : guarded{options()} {
    // nop
  }
};

/// Returns all that a server says to somebody who sends these bytes and nothing more.
bytes all_answers(uint16_t port, const bytes& request) {
  auto peer = raw_socket::connect(port);
  peer.send(request);
  peer.finish();
  bytes result;
  for (;;) {
    auto more = peer.receive();
    if (more.empty())
      return result;
    result.insert(result.end(), more.begin(), more.end());
  }
}

/// Lets a client with a key connect to a server that is played by `behavior`.
template <class Behavior>
caf::error connect_to(Behavior behavior, link_options options = with_key(good_key())) {
  node client{std::move(options)};
  raw_listener listener;
  auto result = std::async(std::launch::async, [&] {
    return error_of(client.net().remote_actor(loopback, listener.port()));
  });
  {
    auto connection = listener.accept();
    behavior(connection);
  }
  return result.get();
}

bool contains(const bytes& where, std::span<const std::byte> what) {
  return std::search(where.begin(), where.end(), what.begin(), what.end()) != where.end();
}

} // namespace

TEST_CASE_METHOD(guarded, "nodes with the same key talk as others do") {
  node near{with_key(good_key())};
  auto remote = near.connect(port);
  for (auto i = 0; i < 3; ++i)
    CHECK(ask<std::string>(near.self, remote, "hello"s) == "hello"s);
  CHECK(ask<caf::byte_buffer>(near.self, remote, caf::byte_buffer(1u << 20)));
  CHECK(goes_on());
}

TEST_CASE_METHOD(guarded, "a system with a key that connects to itself gets the actor itself") {
  CHECK(far.connect(port) == local);
}

TEST_CASE_METHOD(guarded, "another key opens nothing") {
  CHECK(connect_with(with_key(other_key())) == ec::authentication_failed);
  // The key of one is the begin of the key of the other.
  CHECK(connect_with(with_key(shared_key{good_key().bytes().first(16)}))
        == ec::authentication_failed);
  CHECK(goes_on());
}

TEST_CASE("a side without a key and one with a key refuse each other") {
  SECTION("the server has one") {
    guarded x;
    CHECK(x.connect_with({}) == ec::authentication_required);
    CHECK(x.goes_on());
  }
  SECTION("the client has one") {
    guarded x{link_options{}};
    CHECK(x.connect_with(with_key(good_key())) == ec::unauthenticated_peer);
    CHECK(x.connect_with({}).empty());
  }
}

TEST_CASE("a key that is too short is refused at once") {
  guarded x;
  for (auto size : {size_t{0}, size_t{1}, shared_key::min_size - 1}) {
    auto options = with_key(shared_key{good_key().bytes().first(size)});
    CHECK(error_of(x.far.net().publish(x.local, 0, options)) == ec::weak_key);
    CHECK(x.connect_with(options) == ec::weak_key);
  }
  auto options = with_key(shared_key{good_key().bytes().first(shared_key::min_size)});
  auto port = x.far.net().publish(x.local, 0, options);
  REQUIRE(port);
  node near{options};
  CHECK(near.net().remote_actor(loopback, *port));
}

TEST_CASE("other addresses than loopback need a key") {
  node far;
  auto local = far.spawn(server);
  auto open = link_options{};
  open.allow_unauthenticated = true;
  auto keyed = with_key(good_key());
  auto& net = far.net();
  for (auto* address : {"0.0.0.0", "::"}) {
    INFO(address);
    CHECK(error_of(net.publish(local, 0, address)) == ec::authentication_required);
    CHECK(net.publish(local, 0, open, address));
    CHECK(net.publish(local, 0, keyed, address));
  }
  CHECK(net.publish(local, 0, loopback));
  CHECK(net.publish(local, 0, "127.0.0.2"));
  CHECK(net.publish(local, 0, "localhost"));
  CHECK(net.unpublish(local));
  // From the other side: the address of another interface of this machine, if it has one.
  using caf::io::network::interfaces;
  for (auto& address : interfaces::list_addresses(caf::io::network::protocol::ipv4, false)) {
    INFO(address);
    auto port = net.publish(local, 0, open, "0.0.0.0");
    REQUIRE(port);
    node near;
    CHECK(error_of(near.net().remote_actor(address, *port)) == ec::authentication_required);
    CHECK(near.net().remote_actor(address, *port, open));
    CHECK(error_of(near.net().remote_actor(address, *port, keyed)) == ec::unauthenticated_peer);
    port = net.publish(local, 0, keyed, "0.0.0.0");
    REQUIRE(port);
    CHECK(near.net().remote_actor(address, *port, keyed));
  }
}

TEST_CASE("one system has ports with and without a key") {
  node far;
  node near;
  auto local = far.spawn(server);
  auto open_port = far.publish(local);
  auto keyed_port = far.net().publish(local, 0, with_key(good_key()));
  REQUIRE(keyed_port);
  CHECK(near.net().remote_actor(loopback, open_port));
  CHECK(error_of(near.net().remote_actor(loopback, *keyed_port)) == ec::authentication_required);
  auto remote = near.net().remote_actor(loopback, *keyed_port, with_key(good_key()));
  REQUIRE(remote);
  CHECK(ask<std::string>(near.self, *remote, "x"s) == "x"s);
  // What was refused before does not keep others out, and the other way round.
  CHECK(error_of(near.net().remote_actor(loopback, *keyed_port, with_key(other_key())))
        == ec::authentication_failed);
}

TEST_CASE_METHOD(guarded, "a server with a key tells strangers nothing") {
  auto hash = cafwire::known_types::global()->hash();
  auto secrets = std::vector<bytes>{};
  auto add = [&](auto span) { secrets.emplace_back(span.begin(), span.end()); };
  std::array<std::byte, 8> hash_bytes;
  for (size_t i = 0; i < 8; ++i)
    hash_bytes[i] = static_cast<std::byte>(hash >> (8 * i));
  add(hash_bytes);
  add(good_key().bytes().first(8));
  auto says_nothing = [&](const bytes& answers, size_t frames) {
    CHECK(answers.size() <= frames);
    for (auto& secret : secrets)
      CHECK_FALSE(contains(answers, secret));
  };
  auto challenge = keyed_peer::challenge_frame;
  auto refusal = cafwire::frame_size(cafwire::detail::authenticator::refusal_size);
  says_nothing(all_answers(port, {}), challenge);
  says_nothing(all_answers(port, encode(good_handshake())), challenge);
  keyed_peer client{role::connecting, other_key()};
  auto request = client.start();
  says_nothing(all_answers(port, request), challenge);
  auto wrong = client.start();
  auto proof = wrong_proof(keyed_peer::default_epoch);
  wrong.insert(wrong.end(), proof.begin(), proof.end());
  says_nothing(all_answers(port, wrong), challenge + refusal);
  CHECK(goes_on());
}

TEST_CASE("a client with a key tells strangers nothing") {
  SECTION("who cannot prove") {
    keyed_peer stranger{role::accepting, other_key()};
    CHECK(connect_to([&](raw_socket& connection) {
            connection.send(stranger.start());
            std::ignore
              = connection.receive_exactly(keyed_peer::challenge_frame + keyed_peer::proof_frame);
            connection.send(wrong_proof(keyed_peer::default_epoch));
            CHECK(connection.receive().empty());
          })
          == ec::authentication_failed);
  }
  SECTION("who refuses") {
    keyed_peer stranger{role::accepting, other_key()};
    CHECK(connect_to([&](raw_socket& connection) {
            connection.send(stranger.start());
            stranger.answer(connection.receive_exactly(keyed_peer::challenge_frame));
            connection.send(stranger.answer(connection.receive_exactly(keyed_peer::proof_frame)));
            CHECK(connection.receive().empty());
          })
          == ec::authentication_failed);
  }
  SECTION("who shake hands without a proof") {
    CHECK(connect_to([&](raw_socket& connection) {
            connection.send(encode(good_handshake()));
            CHECK(connection.receive_exactly(keyed_peer::challenge_frame).size() > 0);
            CHECK(connection.receive().empty());
          })
          == ec::unauthenticated_peer);
  }
  SECTION("who are silent") {
    auto options = with_key(good_key());
    options.bounds.handshake_timeout = 150ms;
    CHECK(connect_to([](raw_socket& connection) { std::ignore = connection.drain(); }, options)
          == ec::handshake_timeout);
  }
  SECTION("who go away") {
    CHECK(connect_to([](raw_socket&) {}) == ec::closed_during_handshake);
  }
}

TEST_CASE_METHOD(guarded, "a server survives a proof that is cut at every byte, and replays") {
  keyed_peer client{role::connecting};
  auto socket = raw_socket::connect(port);
  auto said = client.start();
  socket.send(said);
  auto proof = client.answer(socket.receive_exactly(keyed_peer::challenge_frame));
  said.insert(said.end(), proof.begin(), proof.end());
  socket.send(proof);
  client.answer(socket.receive_exactly(keyed_peer::proof_frame));
  REQUIRE(client.auth().done());
  for (size_t n = 0; n < said.size(); ++n) {
    INFO(n);
    auto peer = raw_socket::connect(port);
    peer.send(std::span{said}.first(n));
    peer.finish();
    REQUIRE(peer.drain());
  }
  // All of it convinces nobody a second time: the server says no more than its challenge and no.
  auto answers = all_answers(port, said);
  CHECK(answers.size() <= keyed_peer::challenge_frame
                            + cafwire::frame_size(cafwire::detail::authenticator::refusal_size));
  CHECK(goes_on());
}

TEST_CASE_METHOD(guarded, "the handshake must have the epoch that was proven") {
  auto shake_hands = [&](uint64_t epoch) {
    keyed_peer client{role::connecting, good_key(), good_handshake().epoch};
    auto socket = raw_socket::connect(port);
    socket.send(client.start());
    socket.send(client.answer(socket.receive_exactly(keyed_peer::challenge_frame)));
    client.answer(socket.receive_exactly(keyed_peer::proof_frame));
    REQUIRE(client.auth().done());
    auto hello = good_handshake();
    hello.epoch = epoch;
    socket.send(encode(hello));
    return socket;
  };
  auto expected = far.net().statistics().bytes_received + keyed_peer::challenge_frame
                  + keyed_peer::proof_frame + encode(good_handshake()).size();
  auto good = shake_hands(good_handshake().epoch);
  CHECK(eventually([&] { return far.net().statistics().bytes_received == expected; }));
  // The low half, which all frames carry, is the same.
  auto bad = shake_hands(good_handshake().epoch + (uint64_t{1} << 32));
  CHECK(bad.drain());
  CHECK(goes_on());
}

TEST_CASE_METHOD(impatient_guarded, "a server cuts off whoever stays silent before a proof") {
  auto silent = raw_socket::connect(port);
  auto half = raw_socket::connect(port);
  keyed_peer client{role::connecting};
  half.send(client.start());
  CHECK(silent.drain());
  CHECK(half.drain());
  CHECK(goes_on());
}

TEST_CASE_METHOD(guarded, "errors do not show keys") {
  node near{with_key(other_key())};
  auto reason = error_of(near.net().remote_actor(loopback, port));
  REQUIRE_FALSE(reason.empty());
  auto text = to_string(reason);
  CHECK(text.find("0123456789") == std::string::npos);
}
