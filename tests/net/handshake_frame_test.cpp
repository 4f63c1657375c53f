// This file is part of cafwire. See the file LICENSE for license terms.

// The first frame of a link, without a connection.

#include "cafwire/link/handshake.hpp"

#include "cafwire/session/frame.hpp"

#include "net/catch.hpp"

#include <caf/node_id.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

using namespace cafwire;
using namespace cafwire::detail;

namespace {

handshake example() {
  auto result = handshake{};
  result.epoch = 0x1122334455667788;
  result.registry_hash = 42;
  result.max_frame_bytes = 1 << 20;
  result.node = caf::make_node_id(7, caf::hashed_node_id::host_id_type{1, 2, 3});
  result.published = 5;
  result.interface = {"f(a)->(b)"};
  result.services = 6;
  return result;
}

std::vector<std::byte> encoded(const handshake& content) {
  output_buffer out;
  REQUIRE(write_handshake(out, content) == ec::none);
  return {out.data(), out.data() + out.size()};
}

} // namespace

TEST_CASE("a handshake arrives as it was written") {
  auto bytes = encoded(example());
  auto content = handshake{};
  size_t consumed = 0;
  REQUIRE(read_handshake(bytes, limits::untrusted(), content, consumed) == ec::none);
  CHECK(consumed == bytes.size());
  CHECK(content.epoch == example().epoch);
  CHECK(content.registry_hash == 42);
  CHECK(content.max_frame_bytes == 1 << 20);
  CHECK(content.node == example().node);
  CHECK(content.published == 5);
  CHECK(content.interface == example().interface);
  CHECK(content.services == 6);
}

TEST_CASE("an actor with a thousand signatures fits into a handshake") {
  auto original = example();
  for (auto i = 0; i < 1000; ++i)
    original.interface.insert("(my_application::message_type_" + std::to_string(i)
                              + ", std::vector<std::string>) -> (my_application::result, bool)");
  auto bytes = encoded(original);
  auto content = handshake{};
  size_t consumed = 0;
  REQUIRE(read_handshake(bytes, limits::untrusted(), content, consumed) == ec::none);
  CHECK(content.interface == original.interface);
}

TEST_CASE("a handshake that has not arrived whole is waited for") {
  auto bytes = encoded(example());
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto content = handshake{};
    size_t consumed = 0;
    CHECK(read_handshake(std::span{bytes}.first(size), limits::untrusted(), content, consumed)
          == ec::unexpected_end);
  }
}

TEST_CASE("the bytes behind the body of a handshake must be zero") {
  auto content = example();
  auto bytes = encoded(content);
  frame_header header;
  REQUIRE(read_frame_header(bytes, limits::untrusted(), header) == ec::none);
  // Find a length with something behind the body.
  while (frame_padding(header.body_size) == 0) {
    content.interface.insert(std::string(content.interface.size() + 1, 'x'));
    bytes = encoded(content);
    REQUIRE(read_frame_header(bytes, limits::untrusted(), header) == ec::none);
  }
  bytes.back() = std::byte{1};
  size_t consumed = 0;
  CHECK(read_handshake(bytes, limits::untrusted(), content, consumed) == ec::nonzero_padding);
}
