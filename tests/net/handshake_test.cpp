// This file is part of cafwire. See the file LICENSE for license terms.

// Peers that do not shake hands as they should, played with plain sockets.

#include "cafwire/codec.hpp"
#include "cafwire/session/frame.hpp"

#include "net/node.hpp"
#include "net/raw_peer.hpp"
#include "net/server.hpp"

#include <caf/io/middleman.hpp>

#include <chrono>
#include <future>
#include <string>
#include <string_view>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;

namespace {

cafwire::link_options impatient() {
  cafwire::link_options result;
  result.bounds.handshake_timeout = 150ms;
  return result;
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// A server that goes on whatever a newcomer does.
struct serving {
  explicit serving(cafwire::link_options options = {}) : far{std::move(options)} {
    // nop
  }

  node far;
  caf::actor local = far.spawn(server);
  uint16_t port = far.publish(local);
  node near;
  caf::actor remote = near.connect(port);

  /// Connections that were there before go on, and new ones are welcome.
  bool goes_on() {
    node late;
    return ask<std::string>(near.self, remote, "old"s) == "old"s
           && ask<std::string>(late.self, late.connect(port), "new"s) == "new"s;
  }
};

struct impatient_serving : serving {
  impatient_serving() : serving{impatient()} {
    // nop
  }
};

/// Lets a client connect to a server that is played by `behavior`.
template <class Behavior>
caf::error connect_to(Behavior behavior, cafwire::link_options options = {}) {
  node client{std::move(options)};
  raw_listener listener;
  auto result = std::async(std::launch::async, [&]() -> caf::error {
    auto remote = client.net().remote_actor(loopback, listener.port());
    return remote ? caf::error{} : remote.error();
  });
  {
    auto connection = listener.accept();
    behavior(connection);
  }
  return result.get();
}

std::vector<std::byte> with_versions(uint16_t min, uint16_t max) {
  auto hello = good_handshake();
  hello.min_version = min;
  hello.max_version = max;
  return encode(hello);
}

std::vector<std::byte> with_byte(size_t offset, uint8_t value) {
  auto result = encode(good_handshake());
  result.at(offset) = static_cast<std::byte>(value);
  return result;
}

/// A handshake whose interface takes more bytes than a reader accepts.
std::vector<std::byte> oversized() {
  auto hello = good_handshake();
  hello.interface = {std::string(cafwire::limits{}.max_handshake_bytes, 'x')};
  return encode(hello);
}

constexpr size_t header_size = cafwire::frame_header_size;

/// A handshake whose body ends inside of a field.
std::vector<std::byte> cut_short() {
  constexpr auto body_size = uint8_t{20};
  auto bytes = with_byte(0, body_size);
  bytes.resize(header_size + body_size);
  bytes.resize(cafwire::frame_size(body_size));
  return bytes;
}

} // namespace

TEST_CASE_METHOD(serving, "a server cuts off whoever does not speak cafwire") {
  struct row {
    const char* what;
    std::vector<std::byte> bytes;
  };
  auto http = as_bytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"sv);
  const row rows[] = {
    {"HTTP", {http.begin(), http.end()}},
    {"another magic", with_byte(header_size, 'C')},
    {"the last byte of the magic", with_byte(header_size + 7, '\r')},
    {"a later version", with_versions(2, 7)},
    {"an earlier version", with_versions(0, 0)},
    {"another kind of frame", with_byte(4, 2)},
    {"an unknown kind of frame", with_byte(4, 77)},
    {"flags", with_byte(5, 1)},
    {"reserved bytes", with_byte(7, 1)},
    {"another epoch in the header", with_byte(8, 0x77)},
    {"another sequence number", with_byte(12, 1)},
    {"a body of 4 GB", with_byte(3, 0xff)},
    {"an oversized body", oversized()},
    {"a body that ends inside of the preamble", with_byte(0, 5)},
    {"a body that ends inside of a field", cut_short()},
    {"something behind the body", with_byte(0, 20)},
    {"zeros", std::vector<std::byte>(256)},
  };
  for (auto& x : rows) {
    INFO(x.what);
    auto peer = raw_socket::connect(port);
    peer.send(x.bytes);
    CHECK(peer.drain());
  }
  CHECK(goes_on());
}

TEST_CASE("a client says why it does not like a server") {
  auto answer = [](std::vector<std::byte> bytes) {
    return connect_to([&](raw_socket& connection) {
      connection.send(bytes);
      std::ignore = connection.drain();
    });
  };
  SECTION("HTTP") {
    auto http = as_bytes("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"sv);
    CHECK(answer({http.begin(), http.end()}) == ec::wrong_peer);
  }
  SECTION("the magic") {
    CHECK(answer(with_byte(header_size, 'C')) == ec::wrong_peer);
  }
  SECTION("the kind of the first frame") {
    CHECK(answer(with_byte(4, 2)) == ec::wrong_peer);
  }
  SECTION("a size beyond the limit") {
    CHECK(answer(oversized()) == ec::wrong_peer);
  }
  SECTION("later versions") {
    CHECK(answer(with_versions(2, 9)) == ec::incompatible_version);
  }
  SECTION("earlier versions") {
    CHECK(answer(with_versions(0, 0)) == ec::incompatible_version);
  }
  SECTION("the epoch") {
    CHECK(answer(with_byte(8, 0x77)) == ec::wrong_epoch);
  }
  SECTION("a field cut short") {
    CHECK(answer(cut_short()) == ec::invalid_frame);
  }
  SECTION("something behind the body") {
    CHECK(answer(with_byte(0, 20)) == ec::nonzero_padding);
  }
  SECTION("nothing is published") {
    CHECK(answer(encode(good_handshake())) == caf::sec::no_actor_published_at_port);
  }
  SECTION("its node is none") {
    auto hello = good_handshake();
    hello.node = caf::node_id{};
    hello.published = 1;
    CHECK(answer(encode(hello)) == ec::wrong_peer);
  }
}

TEST_CASE("versions that overlap understand each other") {
  auto hello = good_handshake();
  hello.min_version = 0;
  hello.max_version = 700;
  hello.published = 17;
  CHECK(connect_to([&](raw_socket& connection) { connection.send(encode(hello)); }).empty());
}

TEST_CASE_METHOD(serving, "a server survives a handshake that is cut at every byte") {
  auto hello = encode(good_handshake());
  for (size_t n = 0; n < hello.size(); ++n) {
    INFO(n);
    auto peer = raw_socket::connect(port);
    peer.send(std::span{hello}.first(n));
    peer.finish();
    REQUIRE(peer.drain());
  }
  CHECK(goes_on());
}

TEST_CASE("a client reports a handshake that is cut at every byte") {
  auto hello = good_handshake();
  hello.published = 17;
  auto bytes = encode(hello);
  node client;
  raw_listener listener;
  for (size_t n = 0; n < bytes.size(); ++n) {
    INFO(n);
    auto result = std::async(std::launch::async, [&]() -> caf::error {
      auto remote = client.net().remote_actor(loopback, listener.port());
      return remote ? caf::error{} : remote.error();
    });
    {
      auto connection = listener.accept();
      connection.send(std::span{bytes}.first(n));
      connection.finish();
      REQUIRE(connection.drain());
    }
    REQUIRE(result.get() == ec::closed_during_handshake);
  }
}

TEST_CASE_METHOD(serving,
                 "a handshake may arrive byte by byte, and in one piece with what follows") {
  auto hello = encode(good_handshake());
  auto slow = raw_socket::connect(port);
  for (auto x : hello) {
    slow.send({&x, 1});
    std::this_thread::sleep_for(1ms);
  }
  // The server has answered and did not cut us off: garbage has to be a frame now.
  auto before = far.net().statistics().bytes_received;
  slow.send(std::vector<std::byte>(64, std::byte{0xee}));
  CHECK(slow.drain());
  CHECK(far.net().statistics().bytes_received >= before);
  CHECK(goes_on());
}

TEST_CASE_METHOD(serving, "garbage behind the handshake ends the connection") {
  auto bytes = encode(good_handshake());
  bytes.insert(bytes.end(), 100, std::byte{0xee});
  auto peer = raw_socket::connect(port);
  peer.send(bytes);
  CHECK(peer.drain());
  CHECK(goes_on());
}

TEST_CASE_METHOD(serving, "a second handshake ends the connection") {
  raw_peer peer{port};
  auto hello = encode(good_handshake());
  hello.at(12) = std::byte{1}; // the next number
  peer.socket().send(hello);
  CHECK(peer.is_cut_off());
  CHECK(goes_on());
}

TEST_CASE_METHOD(impatient_serving, "a server cuts off whoever stays silent") {
  auto silent = raw_socket::connect(port);
  auto slow = raw_socket::connect(port);
  auto hello = encode(good_handshake());
  slow.send(std::span{hello}.first(30));
  raw_peer good{port};
  auto start = std::chrono::steady_clock::now();
  CHECK(silent.drain());
  CHECK(slow.drain());
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  // Who has shaken hands may be silent.
  good.send_body(good.message_record(caf::make_message(caf::tick_atom_v)));
  CHECK(eventually([&] { return ask<int32_t>(near.self, remote, caf::get_atom_v) == int32_t{1}; }));
  CHECK(goes_on());
}

TEST_CASE("a client gives up on a server that stays silent") {
  auto start = std::chrono::steady_clock::now();
  CHECK(connect_to([](raw_socket& connection) { std::ignore = connection.drain(); }, impatient())
        == ec::handshake_timeout);
  CHECK(std::chrono::steady_clock::now() - start < 5s);
}

TEST_CASE("a peer that claims to be us cannot put itself into our place") {
  node client;
  auto victim = client.spawn(server);
  raw_listener listener;
  auto hello = good_handshake();
  hello.node = client.sys().node();
  hello.published = victim.id();
  auto result = std::async(std::launch::async,
                           [&] { return client.net().remote_actor(loopback, listener.port()); });
  auto connection = listener.accept();
  connection.send(encode(hello));
  auto remote = result.get();
  CHECK_FALSE(remote);
  connection.close();
  CHECK(ask<std::string>(client.self, victim, "alive"s) == "alive"s);
}

TEST_CASE("cafwire and CAF's own networking refuse each other") {
  node far;
  node near;
  auto local = far.spawn(server);
  SECTION("a client of CAF at a port of cafwire") {
    auto port = far.publish(local);
    auto remote = near.sys().middleman().remote_actor(loopback, port);
    CHECK_FALSE(remote);
    CHECK(ask<std::string>(near.self, near.connect(port), "alive"s) == "alive"s);
  }
  SECTION("a client of cafwire at a port of CAF") {
    auto port = far.sys().middleman().publish(local, 0, loopback);
    REQUIRE(port);
    CHECK(error_of(near.net().remote_actor(loopback, *port)) == ec::wrong_peer);
    auto remote = near.sys().middleman().remote_actor(loopback, *port);
    REQUIRE(remote);
    CHECK(ask<std::string>(near.self, *remote, "alive"s) == "alive"s);
  }
  // CAF keeps what it has published alive.
  far.self->send_exit(local, caf::exit_reason::kill);
}

TEST_CASE("cafwire and CAF's own networking live side by side in one system") {
  node far;
  node near;
  auto local = far.spawn(server);
  auto stock_port = far.sys().middleman().publish(local, 0, loopback);
  REQUIRE(stock_port);
  auto port = far.publish(local);
  auto stock = near.sys().middleman().remote_actor(loopback, *stock_port);
  REQUIRE(stock);
  auto own = near.connect(port);
  for (auto i = 0; i < 3; ++i) {
    CHECK(ask<std::string>(near.self, *stock, "stock"s) == "stock"s);
    CHECK(ask<std::string>(near.self, own, "own"s) == "own"s);
  }
  far.self->send_exit(local, caf::exit_reason::kill);
}
