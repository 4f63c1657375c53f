// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/frame_collector.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_reader.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/disposable.hpp>
#include <caf/io/broker.hpp>
#include <caf/io/scribe.hpp>
#include <caf/io/system_messages.hpp>

#include <memory>

namespace cafwire::detail {

/// How a broker comes by its connection.
enum class scribe_origin {
  /// Just connected.
  connected,
  /// Taken over from the broker that accepted it.
  accepted,
};

/// Moves the bytes of one link between the link and a socket, in the thread of CAF's multiplexer.
/// Frames go to a `link_reader`, which handles them elsewhere.
class link_broker final : public caf::io::broker {
public:
  link_broker(caf::actor_config& cfg, link_ptr what, caf::io::scribe_ptr scribe,
              scribe_origin origin, const limits& bounds);

  ~link_broker() override;

protected:
  caf::behavior make_behavior() override;

private:
  class engine;

  void on_data(const caf::io::new_data_msg& msg);

  /// Takes the handshake of the peer from the input.
  ec receive_handshake();

  /// Hands whole frames to the reader.
  ec receive_frames();

  /// Goes on reading when the reader has caught up.
  void resume_input();

  /// Asks for more input: as much as a frame needs, or whatever comes.
  void expect_input(size_t received);

  /// Writes what waits in the link.
  /// @param in_flight bytes that still wait for the socket.
  void feed(size_t in_flight);

  /// Ends when all frames have been handled.
  void finish(ec reason);

  link_ptr link_;
  caf::io::scribe_ptr scribe_;
  scribe_origin origin_;
  limits bounds_;
  caf::disposable handshake_timer_;
  caf::io::connection_handle handle_;
  std::shared_ptr<engine> engine_;
  link_reader_ptr reader_;
  frame_collector input_;
  /// Nothing that arrives matters any more.
  bool input_ended_ = false;
  output_buffer outgoing_;
  size_t read_size_;
};

} // namespace cafwire::detail
