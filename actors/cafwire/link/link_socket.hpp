// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/io/event_loop.hpp"
#include "cafwire/io/tcp_socket.hpp"
#include "cafwire/link/frame_collector.hpp"
#include "cafwire/link/link.hpp"
#include "cafwire/link/link_reader.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace cafwire::detail {

/// Moves the bytes of one link between the link and a socket, in the thread of an event loop.
/// Frames go to a `link_reader`, which handles them elsewhere.
class link_socket final : public event_loop::handler,
                          public link_engine,
                          public std::enable_shared_from_this<link_socket> {
public:
  /// @param on_closed called in the thread of the loop when all is over.
  link_socket(caf::actor_system& sys, event_loop_ptr loop, tcp_socket connection, link_ptr what,
              const limits& bounds, std::function<void()> on_closed);

  ~link_socket() override;

  // -- for all threads ----------------------------------------------------------------------------

  /// Shakes hands. Call it once, before anything else.
  void start();

  /// Ends the link. What was sent before is still written.
  void shut_down();

  void wake() override;

  void resume_input() override;

  void end(ec reason) override;

  // -- for the thread of the loop -----------------------------------------------------------------

  void on_readable() override;

  void on_writable() override;

  void on_deadline() override;

private:
  enum class phase {
    /// Messages travel both ways.
    open,
    /// The link has ended, but not all that was sent before is written.
    writing,
    /// All is written. Waits for the peer to notice, because closing a socket in front of bytes
    /// that
    /// were not read tells the peer's system to throw away what it has received.
    waiting,
    closed,
  };

  /// Reads once.
  /// @returns the reason for reading no more, or `ec::none`.
  ec receive(bool& again);

  /// Takes the handshake of the peer from the input.
  ec receive_handshake();

  /// Hands whole frames to the reader.
  ec receive_frames();

  /// Returns how many bytes to read at once.
  size_t read_size() const noexcept;

  /// Ends when all frames have been handled.
  void finish_input(ec reason);

  /// Writes what waits.
  void flush();

  /// Writes what waits in the thread of the sender, which saves waking another thread, if the link
  /// is not busy.
  /// @returns `false` if something is left to write.
  bool write_directly();

  // -- with `output_mutex_` locked ----------------------------------------------------------------

  /// Makes sure that `outgoing_` holds bytes to write.
  /// @returns `false` if there are none.
  bool next_output();

  /// Writes once.
  void write_some();

  /// Ends the link.
  /// @param waits whether the peer gets time to read.
  void close(const caf::error& reason, bool waits);

  void wait_for_peer();

  void closed();

  void update_interest();

  /// Keeps the memory for another while.
  void note_activity();

  void release_memory();

  caf::actor_system& system_;
  event_loop_ptr loop_;
  tcp_socket socket_;
  link_ptr link_;
  limits bounds_;
  std::function<void()> on_closed_;

  // -- owned by the thread of the loop ------------------------------------------------------------

  phase phase_ = phase::open;
  bool waits_for_peer_ = false;
  /// Bytes have moved since the idle timer was set.
  bool active_ = false;
  bool idle_timer_set_ = false;

  link_reader_ptr reader_;
  frame_collector input_;
  size_t read_size_;
  bool input_paused_ = false;
  bool input_ended_ = false;

  // -- guarded by `output_mutex_`, which comes before the locks of the link
  // ------------------------

  std::mutex output_mutex_;
  /// The link may have output, and the socket can be written to.
  bool output_open_ = false;
  output_buffer outgoing_;
  size_t written_ = 0;
  bool output_blocked_ = false;
  event_loop::clock::time_point last_write_;
};

using link_socket_ptr = std::shared_ptr<link_socket>;

} // namespace cafwire::detail
