// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/handshake.hpp"
#include "cafwire/link/record.hpp"
#include "cafwire/session/deserializer_session.hpp"
#include "cafwire/session/frame.hpp"
#include "cafwire/session/serializer_session.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include "net/raw_socket.hpp"

#include <caf/message.hpp>
#include <caf/message_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace net_test {

/// A node that no test program runs on.
caf::node_id foreign_node();

/// What a well-behaved peer says first.
cafwire::detail::handshake good_handshake();

/// Returns the bytes of a handshake.
std::vector<std::byte> encode(const cafwire::detail::handshake& what);

/// Plays the connecting side of a link byte by byte.
class raw_peer {
public:
  /// Connects, and shakes hands.
  explicit raw_peer(uint16_t port);

  /// Returns what the server has said.
  const cafwire::detail::handshake& server() const noexcept {
    return server_;
  }

  raw_socket& socket() noexcept {
    return socket_;
  }

  /// Returns the header of the next frame.
  cafwire::frame_header next_header(size_t body_size) {
    return frames_.next(cafwire::frame_kind::records, body_size);
  }

  /// Sends a frame: the header as it is, the body, and zeros up to a multiple of 16.
  void send_frame(const cafwire::frame_header& header, std::span<const std::byte> body);

  /// Sends the next frame.
  void send_body(std::span<const std::byte> body) {
    send_frame(next_header(body.size()), body);
  }

  /// Returns a record that holds a message for the published actor.
  /// @param source the ID of an actor of the player, or 0.
  std::vector<std::byte> message_record(const caf::message& content, uint64_t source = 0,
                                        caf::message_id id = caf::make_message_id());

  /// Waits until the server ends the connection.
  [[nodiscard]] bool is_cut_off() {
    return socket_.drain();
  }

private:
  raw_socket socket_;
  cafwire::detail::handshake own_;
  cafwire::detail::handshake server_;
  cafwire::frame_counter frames_;
  cafwire::serializer_session session_;
};

} // namespace net_test
