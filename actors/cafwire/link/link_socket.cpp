// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_socket.hpp"

#include <caf/exit_reason.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace cafwire::detail {

namespace {

/// Enough for handshakes and small requests. Reads grow while they are filled, so that only idle
/// links, of which there may be thousands, notice how small this is.
constexpr size_t smallest_read = size_t{1} << 10;
constexpr size_t largest_read = size_t{256} << 10;

/// Whoever sends for the first time in this time writes to the socket directly. More often, it pays
/// to collect what is sent.
constexpr auto busy_interval = std::chrono::microseconds{50};

/// Buffers are kept as long as bytes move, and given back after one to two of these.
constexpr auto idle_interval = std::chrono::seconds{1};

/// How often to look for remote actors that nobody needs while no bytes move.
constexpr auto silent_interval = std::chrono::seconds{4};

/// Nobody gets more turns in a row, so that one busy connection does not hold up the others.
constexpr auto turns_in_a_row = 16;

/// For a peer that does not take what was sent before the end of a link, counted from the last byte
/// that it has taken.
constexpr auto writing_timeout = std::chrono::seconds{2};

/// For a peer that does not notice that the link has ended.
constexpr auto waiting_timeout = std::chrono::milliseconds{500};

} // namespace

link_socket::link_socket(caf::actor_system& sys, event_loop_ptr loop, tcp_socket connection,
                         link_ptr what, const limits& bounds, std::function<void()> on_closed)
  : system_(sys),
    loop_(std::move(loop)),
    socket_(std::move(connection)),
    link_(std::move(what)),
    bounds_(bounds),
    on_closed_(std::move(on_closed)),
    read_size_(smallest_read) {
  // nop
}

link_socket::~link_socket() = default;

// -- for all threads ------------------------------------------------------------------------------

void link_socket::start() {
  loop_->post([self = shared_from_this()] {
    self->reader_ = caf::make_counted<link_reader>(self->system_, self->link_, self);
    {
      std::lock_guard guard{self->output_mutex_};
      self->output_open_ = true;
    }
    self->update_interest();
    self->loop_->set_deadline(self->socket_.fd(), self->bounds_.handshake_timeout);
    self->link_->start(self);
  });
}

void link_socket::shut_down() {
  loop_->post([self = shared_from_this()] {
    self->close(caf::error{caf::exit_reason::user_shutdown}, true);
  });
}

void link_socket::wake() {
  if (!write_directly())
    loop_->post([self = shared_from_this()] { self->flush(); });
}

void link_socket::resume_input() {
  loop_->post([self = shared_from_this()] {
    self->input_paused_ = false;
    self->update_interest();
  });
}

void link_socket::end(ec reason) {
  loop_->post([self = shared_from_this(), reason] { self->close(caf::error{reason}, false); });
}

// -- input ----------------------------------------------------------------------------------------

void link_socket::on_readable() {
  if (phase_ == phase::open) {
    auto again = true;
    for (auto i = 0; i < turns_in_a_row && again; ++i)
      if (auto code = receive(again); code != ec::none)
        return finish_input(code);
    return;
  }
  // What comes after the end does not matter.
  std::array<std::byte, 4096> ignored;
  size_t size = 0;
  auto result = io_result::ok;
  for (auto i = 0; i < turns_in_a_row && result == io_result::ok; ++i)
    result = socket_.read(ignored, size);
  if (result == io_result::closed)
    closed();
}

ec link_socket::receive(bool& again) {
  auto room = input_.prepare(read_size());
  if (room.empty())
    return ec::out_of_memory;
  size_t size = 0;
  auto result = socket_.read(room, size);
  if (result == io_result::closed)
    return link_->peer_known() ? ec::connection_closed : ec::closed_during_handshake;
  again = result == io_result::ok && size == room.size();
  if (result != io_result::ok)
    return ec::none;
  input_.commit(size);
  note_activity();
  if (size >= read_size_)
    read_size_ = std::min(read_size_ * 2, largest_read);
  else if (size < read_size_ / 8)
    read_size_ = std::max(read_size_ / 2, smallest_read);
  if (!link_->peer_known())
    if (auto code = receive_handshake(); code != ec::none)
      return code;
  auto code = link_->peer_known() ? receive_frames() : ec::none;
  again = again && !input_paused_;
  return code;
}

ec link_socket::receive_handshake() {
  size_t consumed = 0;
  auto code = link_->receive_handshake(input_.bytes(), consumed);
  input_.drop(consumed);
  if (code != ec::none)
    return code == ec::unexpected_end ? ec::none : code;
  loop_->clear_deadline(socket_.fd());
  return ec::none;
}

ec link_socket::receive_frames() {
  auto end = input_.scan(bounds_);
  if (input_.complete() == 0)
    return end;
  output_buffer frames;
  if (auto code = input_.take(reader_->spare_buffer(), frames); code != ec::none)
    return code;
  if (!reader_->push(std::move(frames))) {
    input_paused_ = true;
    update_interest();
  }
  return end;
}

size_t link_socket::read_size() const noexcept {
  auto missing = input_.missing();
  if (missing <= read_size_)
    return read_size_;
  // The rest of a large frame, and nothing behind it. But never ask for much more memory than has
  // been shown to be of use.
  return std::min(missing, std::max(3 * input_.bytes().size(), largest_read));
}

void link_socket::finish_input(ec reason) {
  input_ended_ = true;
  update_interest();
  reader_->finish(reason);
}

// -- output ---------------------------------------------------------------------------------------

void link_socket::on_writable() {
  {
    std::lock_guard guard{output_mutex_};
    output_blocked_ = false;
  }
  flush();
}

void link_socket::flush() {
  if (phase_ > phase::writing)
    return;
  auto wrote = false;
  auto blocked = false;
  {
    std::lock_guard guard{output_mutex_};
    if (output_blocked_)
      return;
    if (next_output()) {
      write_some();
      wrote = true;
    }
    blocked = output_blocked_;
  }
  if (wrote)
    note_activity();
  if (phase_ == phase::open) {
    update_interest();
    // What is sent meanwhile goes out together, after everybody else had a turn.
    if (wrote && !blocked)
      loop_->post([self = shared_from_this()] { self->flush(); });
  } else if (blocked) {
    update_interest();
    loop_->set_deadline(socket_.fd(), writing_timeout);
  } else {
    wait_for_peer();
  }
}

bool link_socket::write_directly() {
  auto now = event_loop::clock::now();
  std::unique_lock guard{output_mutex_, std::try_to_lock};
  if (!guard || !output_open_ || output_blocked_ || now - last_write_ < busy_interval)
    return false;
  if (!next_output())
    return true;
  write_some();
  if (!output_blocked_)
    return !next_output();
  // Others must not believe that the loop waits for room already.
  output_blocked_ = false;
  return false;
}

bool link_socket::next_output() {
  if (written_ < outgoing_.size())
    return true;
  written_ = 0;
  outgoing_.clear();
  return output_open_ && link_->take_output(outgoing_);
}

void link_socket::write_some() {
  size_t size = 0;
  auto result = socket_.write(outgoing_.bytes().subspan(written_), size);
  written_ += size;
  // If the peer has gone, nobody will read what is left; the end of the input tells why.
  if (result == io_result::closed)
    written_ = outgoing_.size();
  output_blocked_ = written_ < outgoing_.size();
  last_write_ = event_loop::clock::now();
}

// -- the end --------------------------------------------------------------------------------------

void link_socket::close(const caf::error& reason, bool waits) {
  if (phase_ != phase::open)
    return;
  {
    // What was sent before shall still be written.
    std::lock_guard guard{output_mutex_};
    output_open_ = false;
    output_buffer last;
    while (link_->take_output(last)) {
      if (written_ == outgoing_.size()) {
        outgoing_.swap(last);
        written_ = 0;
      } else if (!outgoing_.append(last.data(), last.size())) {
        waits = false; // no memory for that
      }
    }
  }
  phase_ = phase::writing;
  waits_for_peer_ = waits;
  input_ended_ = true;
  reader_->close(reason);
  reader_ = nullptr; // it refers to this object
  loop_->set_deadline(socket_.fd(), writing_timeout);
  flush();
}

void link_socket::wait_for_peer() {
  if (!waits_for_peer_)
    return closed();
  phase_ = phase::waiting;
  socket_.shutdown_write();
  loop_->set_deadline(socket_.fd(), waiting_timeout);
  update_interest();
}

void link_socket::on_deadline() {
  if (phase_ != phase::open)
    return closed();
  if (!link_->peer_known())
    return close(caf::error{ec::handshake_timeout}, false);
  idle_timer_set_ = false;
  auto has_actors = reader_->release_actors();
  if (active_) {
    note_activity();
  } else {
    release_memory();
    if (has_actors)
      loop_->set_deadline(socket_.fd(), silent_interval);
  }
  active_ = false;
}

void link_socket::note_activity() {
  active_ = true;
  // Until the handshake is known, the timer has another purpose, and later when the link has ended.
  if (phase_ == phase::open && link_->peer_known() && !std::exchange(idle_timer_set_, true))
    loop_->set_deadline(socket_.fd(), idle_interval);
}

void link_socket::release_memory() {
  {
    std::lock_guard guard{output_mutex_};
    if (written_ == outgoing_.size()) {
      outgoing_ = output_buffer{};
      written_ = 0;
    }
  }
  link_->release_memory();
  input_.release_memory();
  reader_->release_memory();
  read_size_ = smallest_read;
}

void link_socket::closed() {
  if (std::exchange(phase_, phase::closed) == phase::closed)
    return;
  loop_->forget(socket_.fd());
  {
    std::lock_guard guard{output_mutex_};
    socket_.close();
    outgoing_ = output_buffer{};
    written_ = 0;
  }
  if (auto fn = std::exchange(on_closed_, nullptr))
    fn();
}

void link_socket::update_interest() {
  if (phase_ == phase::closed)
    return;
  auto what = event_loop::interest{};
  what.reads = phase_ == phase::open ? !input_paused_ && !input_ended_ : phase_ == phase::waiting;
  {
    std::lock_guard guard{output_mutex_};
    what.writes = output_blocked_;
  }
  loop_->watch(socket_.fd(), shared_from_this(), what);
}

} // namespace cafwire::detail
