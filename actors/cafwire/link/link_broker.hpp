// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/link/link.hpp"
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
class link_broker final : public caf::io::broker {
public:
  link_broker(caf::actor_config& cfg, link_ptr what, caf::io::scribe_ptr scribe,
              scribe_origin origin, std::chrono::milliseconds handshake_timeout);

  ~link_broker() override;

protected:
  caf::behavior make_behavior() override;

private:
  class engine;

  void on_data(caf::io::new_data_msg& msg);

  /// Writes what waits in the link.
  /// @param in_flight bytes that still wait for the socket.
  void feed(size_t in_flight);

  /// Asks for more input: as much as a frame needs, or whatever comes.
  void expect(size_t wanted);

  void fail(ec code);

  link_ptr link_;
  caf::io::scribe_ptr scribe_;
  scribe_origin origin_;
  std::chrono::milliseconds handshake_timeout_;
  caf::disposable handshake_timer_;
  caf::io::connection_handle handle_;
  std::shared_ptr<engine> engine_;
  compat::deferring_context context_;
  /// The begin of a frame whose end has not arrived.
  output_buffer rest_;
  output_buffer outgoing_;
  size_t read_size_;
};

} // namespace cafwire::detail
