// This file is part of cafwire. See the file LICENSE for license terms.

#include "net/raw_peer.hpp"

#include <cstring>
#include <stdexcept>
#include <tuple>

namespace net_test {

using namespace cafwire;

namespace {

std::vector<std::byte> to_vector(const output_buffer& buffer) {
  auto bytes = buffer.bytes();
  return {bytes.begin(), bytes.end()};
}

void check(ec code) {
  if (code != ec::none)
    throw std::runtime_error("ec::" + to_string(code));
}

} // namespace

caf::node_id foreign_node() {
  auto result = caf::make_node_id(4711, "0123456789012345678901234567890123456789");
  if (!result)
    throw std::logic_error("not the ID of a node");
  return *result;
}

detail::handshake good_handshake() {
  detail::handshake result;
  result.epoch = 0x0102030405060708;
  result.registry_hash = known_types::global()->hash();
  result.max_frame_bytes = size_t{64} << 20;
  result.node = foreign_node();
  return result;
}

std::vector<std::byte> encode(const detail::handshake& what) {
  output_buffer result;
  check(detail::write_handshake(result, what));
  return to_vector(result);
}

raw_peer::raw_peer(uint16_t port)
  : socket_(raw_socket::connect(port)),
    own_(good_handshake()),
    frames_(own_.epoch, 1),
    session_(known_types::global(), session_options{own_.registry_hash, {}, nullptr}) {
  socket_.send(encode(own_));
  auto header = socket_.receive_exactly(frame_header_size);
  frame_header parsed;
  check(read_frame_header(header, limits::untrusted(), parsed));
  auto rest = socket_.receive_exactly(frame_size(parsed.body_size) - frame_header_size);
  header.insert(header.end(), rest.begin(), rest.end());
  size_t consumed = 0;
  check(detail::read_handshake(header, limits::untrusted(), server_, consumed));
}

void raw_peer::send_frame(const frame_header& header, std::span<const std::byte> body) {
  std::vector<std::byte> bytes(frame_header_size);
  write_frame_header(bytes.data(), header);
  bytes.insert(bytes.end(), body.begin(), body.end());
  bytes.resize(bytes.size() + frame_padding(body.size()));
  socket_.send(bytes);
}

std::vector<std::byte> raw_peer::message_record(const caf::message& content, uint64_t source,
                                                caf::message_id id) {
  // Alignment counts from the begin of the frame.
  output_buffer out;
  detail::record_head head;
  head.target = server_.published;
  head.source = source;
  head.id = id;
  if (!detail::write_record_head(out, head))
    throw std::bad_alloc();
  check(session_.write_message(out, content));
  return to_vector(out);
}

} // namespace net_test
