// This file is part of cafwire. See the file LICENSE for license terms.

// The proof that comes before a handshake, without sockets.

#include "cafwire/link/authenticator.hpp"

#include "net/keyed_peer.hpp"
#include "net/raw_peer.hpp"

#include "net/catch.hpp"
#include "support/bytes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;
using cafwire::shared_key;
using cafwire::detail::authenticator;

namespace {

using role = authenticator::role;
using bytes = std::vector<std::byte>;

/// What both sides of one proof say, and what they think of it in the end.
struct exchange {
  keyed_peer client;
  keyed_peer server;
  bytes client_challenge = client.start();
  bytes server_challenge = server.start();

  explicit exchange(shared_key client_key = good_key(), shared_key server_key = good_key())
    : client{role::connecting, std::move(client_key), 1},
      server{role::accepting, std::move(server_key), 2} {
    // nop
  }

  /// Lets all frames arrive.
  /// @returns whether both sides are convinced.
  bool finish() {
    if (!server.answer(client_challenge).empty() || server.code() != ec::none)
      return false;
    auto proof = client.answer(server_challenge);
    if (client.code() != ec::none)
      return false;
    auto counter_proof = server.answer(proof);
    client.answer(counter_proof);
    return client.code() == ec::none && server.code() == ec::none && client.auth().done()
           && server.auth().done();
  }
};

authenticator::challenge challenge_of(uint8_t who, uint64_t epoch, uint8_t nonce) {
  authenticator::challenge result{};
  auto text = "cafwire\n\1\0\1\0\1"sv;
  auto head = std::as_bytes(std::span{text});
  auto pos = std::copy(head.begin(), head.end(), result.begin());
  *pos++ = std::byte{who};
  for (auto i = 0; i < 8; ++i)
    *pos++ = static_cast<std::byte>(epoch >> (8 * i));
  std::fill(pos, result.end(), std::byte{nonce});
  return result;
}

} // namespace

TEST_CASE("proofs are those of the format") {
  std::array<std::byte, 32> key_bytes;
  for (size_t i = 0; i < key_bytes.size(); ++i)
    key_bytes[i] = static_cast<std::byte>(i);
  auto key = shared_key{key_bytes};
  auto connecting = challenge_of(1, 0x0102030405060708, 0x11);
  auto accepting = challenge_of(2, 0x1112131415161718, 0x22);
  authenticator::mac proof;
  REQUIRE(authenticator::prove(key, role::connecting, connecting, accepting, proof));
  CHECK(test::to_hex(proof) == "ca3f827693ca14fec8abefa638f87970844845be1142b030f6b415d022e7aaff");
  REQUIRE(authenticator::prove(key, role::accepting, connecting, accepting, proof));
  CHECK(test::to_hex(proof) == "307a9b20cbeae000da69b92c6556fa8bd30f0ae464d06248ef1470d07e29cfb3");
}

TEST_CASE("two sides with the same key believe each other") {
  exchange x;
  CHECK(x.client_challenge.size() == keyed_peer::challenge_frame);
  CHECK(x.finish());
  CHECK(x.client.auth().peer_epoch() == 2);
  CHECK(x.server.auth().peer_epoch() == 1);
  CHECK(x.client.consumed() == keyed_peer::proof_frame);
}

TEST_CASE("two sides with different keys do not") {
  exchange x{good_key(), other_key()};
  CHECK_FALSE(x.finish());
  CHECK(x.server.code() == ec::authentication_failed);
  CHECK(x.client.code() == ec::authentication_failed); // it was refused
  CHECK_FALSE(x.server.auth().done());
  CHECK_FALSE(x.client.auth().done());
}

TEST_CASE("challenges are never the same") {
  exchange x;
  exchange y;
  CHECK(x.client_challenge != y.client_challenge);
  CHECK(x.server_challenge != y.server_challenge);
}

TEST_CASE("a changed byte convinces nobody") {
  auto change = [](bytes frame, size_t i) {
    frame.at(i) ^= std::byte{1};
    return frame;
  };
  SECTION("in the challenge of the client") {
    for (size_t i = 0; i < keyed_peer::challenge_frame; ++i) {
      INFO(i);
      exchange x;
      x.client_challenge = change(x.client_challenge, i);
      REQUIRE_FALSE(x.finish());
      REQUIRE_FALSE(x.server.auth().done());
    }
  }
  SECTION("in the challenge of the server") {
    for (size_t i = 0; i < keyed_peer::challenge_frame; ++i) {
      INFO(i);
      exchange x;
      x.server_challenge = change(x.server_challenge, i);
      REQUIRE_FALSE(x.finish());
      REQUIRE_FALSE(x.server.auth().done());
      REQUIRE_FALSE(x.client.auth().done());
    }
  }
  SECTION("in the proof of the client") {
    for (size_t i = 0; i < keyed_peer::proof_frame; ++i) {
      INFO(i);
      exchange x;
      x.server.answer(x.client_challenge);
      x.server.answer(change(x.client.answer(x.server_challenge), i));
      REQUIRE(x.server.code() != ec::none);
      REQUIRE_FALSE(x.server.auth().done());
    }
  }
  SECTION("in the proof of the server") {
    for (size_t i = 0; i < keyed_peer::proof_frame; ++i) {
      INFO(i);
      exchange x;
      x.server.answer(x.client_challenge);
      auto proof = x.server.answer(x.client.answer(x.server_challenge));
      REQUIRE(x.server.auth().done());
      x.client.answer(change(proof, i));
      REQUIRE(x.client.code() != ec::none);
      REQUIRE_FALSE(x.client.auth().done());
    }
  }
}

TEST_CASE("frames that have not arrived whole are waited for") {
  exchange x;
  auto wait_for = [](keyed_peer& who, const bytes& frame) {
    for (size_t n = 0; n < frame.size(); ++n) {
      INFO(n);
      REQUIRE(who.answer(std::span{frame}.first(n)).empty());
      REQUIRE(who.code() == ec::unexpected_end);
    }
  };
  wait_for(x.server, x.client_challenge);
  wait_for(x.client, x.server_challenge);
  x.server.answer(x.client_challenge);
  auto proof = x.client.answer(x.server_challenge);
  wait_for(x.server, proof);
  wait_for(x.client, x.server.answer(proof));
}

TEST_CASE("a proof fits one connection only") {
  exchange recorded;
  recorded.server.answer(recorded.client_challenge);
  auto proof = recorded.client.answer(recorded.server_challenge);
  exchange replayed;
  replayed.server.answer(recorded.client_challenge);
  replayed.server.answer(proof);
  CHECK(replayed.server.code() == ec::authentication_failed);
}

TEST_CASE("nobody proves anything to a mirror") {
  auto as_role = [](bytes frame, role who) {
    frame.at(cafwire::frame_header_size + 13) = static_cast<std::byte>(who);
    return frame;
  };
  SECTION("a challenge that comes back as it is") {
    exchange x;
    x.client.answer(x.client_challenge);
    CHECK(x.client.code() == ec::authentication_failed);
    x.server.answer(x.server_challenge);
    CHECK(x.server.code() == ec::authentication_failed);
  }
  SECTION("everything comes back, with the other role") {
    exchange x;
    auto proof = x.client.answer(as_role(x.client_challenge, role::accepting));
    CHECK(x.client.code() == ec::none);
    x.client.answer(proof);
    CHECK(x.client.code() == ec::authentication_failed);
    CHECK_FALSE(x.client.auth().done());
  }
  SECTION("a server is asked for a proof by way of a second connection") {
    // What the attacker sends to a server is proven by nobody: a server never proves first, and
    // what a client proves is no proof of a server.
    exchange x;
    keyed_peer victim{role::connecting, good_key(), 1};
    victim.start();
    auto proof = victim.answer(x.server_challenge);
    x.server.answer(x.client_challenge);
    x.server.answer(proof);
    CHECK(x.server.code() == ec::authentication_failed);
  }
}

TEST_CASE("nothing but challenges, proofs and refusals is read") {
  exchange x;
  auto first = [&](bytes frame) {
    exchange fresh;
    fresh.server.answer(frame);
    return fresh.server.code();
  };
  auto with = [&](size_t i, uint8_t value) {
    auto frame = x.client_challenge;
    frame.at(i) = std::byte{value};
    return frame;
  };
  constexpr auto header = cafwire::frame_header_size;
  CHECK(first(encode(good_handshake())) == ec::unauthenticated_peer);
  CHECK(first(with(4, 2)) == ec::wrong_peer);     // records
  CHECK(first(with(5, 1)) == ec::wrong_peer);     // flags
  CHECK(first(with(12, 1)) == ec::wrong_peer);    // the number
  CHECK(first(with(3, 0xff)) == ec::wrong_peer);  // a size beyond all limits
  CHECK(first(with(0, 33)) == ec::invalid_frame); // the size of a proof
  CHECK(first(with(0, 0)) == ec::invalid_frame);
  CHECK(first(with(8, 7)) == ec::wrong_epoch);
  CHECK(first(with(header, 'C')) == ec::wrong_peer);
  CHECK(first(with(header + 8, 2)) == ec::incompatible_version);
  CHECK(first(with(header + 12, 2)) == ec::invalid_tag);
  CHECK(first(with(header + 13, 0)) == ec::authentication_failed);
  CHECK(first(with(header + 54, 1)) == ec::nonzero_padding);
  // A second challenge.
  x.server.answer(x.client_challenge);
  x.server.answer(x.client_challenge);
  CHECK(x.server.code() == ec::invalid_frame);
  // A refusal that is none.
  auto refused = exchange{good_key(), other_key()};
  refused.server.answer(refused.client_challenge);
  auto refusal = refused.server.answer(refused.client.answer(refused.server_challenge));
  REQUIRE(refusal.size() == cafwire::frame_size(authenticator::refusal_size));
  refusal.at(header) = std::byte{9};
  refused.client.answer(refusal);
  CHECK(refused.client.code() == ec::invalid_tag);
}

TEST_CASE("a key is there or not, whatever its size") {
  CHECK_FALSE(shared_key{});
  CHECK(shared_key{}.bytes().empty());
  CHECK(shared_key{""sv});
  CHECK(shared_key{"x"sv}.bytes().size() == 1);
  auto copy = good_key();
  auto other = copy;
  CHECK(copy.bytes().data() == other.bytes().data());
}
