// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_broker.hpp"

#include <caf/exit_reason.hpp>
#include <caf/io/network/multiplexer.hpp>
#include <caf/io/receive_policy.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace cafwire::detail {

namespace {

// CAF zero-fills its read buffer each time, so it should not be much larger than what arrives.
constexpr size_t smallest_read = size_t{4} << 10;
constexpr size_t largest_read = size_t{256} << 10;

/// Buffers beyond this are given back when they are empty.
constexpr size_t kept_buffer = size_t{1} << 20;

} // namespace

/// Lets any thread wake the broker.
class link_broker::engine : public link_engine {
public:
  explicit engine(caf::strong_actor_ptr broker) : broker_(broker.get()) {
    // nop
  }

  void wake() override {
    tell(caf::flush_atom_v);
  }

  void resume_input() override {
    tell(caf::open_atom_v);
  }

  void end(ec reason) override {
    tell(caf::close_atom_v, caf::error{reason});
  }

private:
  template <class... Ts>
  void tell(Ts&&... xs) {
    if (auto ptr = broker_.lock())
      ptr->get()->enqueue(compat::make_element(nullptr, caf::make_message_id(),
                                               caf::make_message(std::forward<Ts>(xs)...)),
                          nullptr);
  }

  caf::weak_actor_ptr broker_;
};

link_broker::link_broker(caf::actor_config& cfg, link_ptr what, caf::io::scribe_ptr scribe,
                         scribe_origin origin, const limits& bounds)
  : caf::io::broker(cfg),
    link_(std::move(what)),
    scribe_(std::move(scribe)),
    origin_(origin),
    bounds_(bounds),
    read_size_(smallest_read) {
  // nop
}

link_broker::~link_broker() = default;

caf::behavior link_broker::make_behavior() {
  handle_ = scribe_->hdl();
  if (origin_ == scribe_origin::connected)
    add_scribe(std::move(scribe_));
  else
    move_scribe(std::move(scribe_));
  engine_ = std::make_shared<engine>(caf::strong_actor_ptr{ctrl()});
  reader_ = caf::make_counted<link_reader>(system(), link_, engine_);
  handshake_timer_ = run_delayed(bounds_.handshake_timeout, [this] {
    if (!link_->peer_known())
      quit(caf::error{ec::handshake_timeout});
  });
  attach_functor([reader = reader_, timer = handshake_timer_](const caf::error& reason) mutable {
    timer.dispose();
    reader->close(reason);
  });
  // What was sent before somebody ends this broker shall still be written.
  auto on_exit = [this](caf::exit_msg& msg) {
    feed(0);
    quit(std::move(msg.reason));
  };
  compat::set_exit_handler(this, on_exit);
  configure_read(handle_, caf::io::receive_policy::at_most(read_size_));
  ack_writes(handle_, true);
  link_->start(engine_);
  return {
    [this](const caf::io::new_data_msg& msg) { on_data(msg); },
    [this](const caf::io::data_transferred_msg& msg) { feed(msg.remaining); },
    [this](caf::flush_atom) { feed(0); },
    [this](caf::open_atom) { resume_input(); },
    [](const caf::io::connection_passivated_msg&) {
      // nop
    },
    [this](caf::close_atom, caf::error& reason) { quit(std::move(reason)); },
    on_exit,
    [this](const caf::io::connection_closed_msg&) {
      finish(link_->peer_known() ? ec::connection_closed : ec::closed_during_handshake);
    },
  };
}

void link_broker::on_data(const caf::io::new_data_msg& msg) {
  if (input_ended_)
    return;
  auto input = std::span{reinterpret_cast<const std::byte*>(msg.buf.data()), msg.buf.size()};
  auto code = input_.append(input);
  if (code == ec::none && !link_->peer_known())
    code = receive_handshake();
  if (code == ec::none && link_->peer_known())
    code = receive_frames();
  if (code == ec::none)
    expect_input(input.size());
  else
    finish(code);
}

ec link_broker::receive_handshake() {
  size_t consumed = 0;
  auto code = link_->receive_handshake(input_.bytes(), consumed);
  if (code != ec::none)
    return code == ec::unexpected_end ? ec::none : code;
  input_.drop(consumed);
  // The timer keeps this broker alive.
  handshake_timer_.dispose();
  handshake_timer_ = caf::disposable{};
  return ec::none;
}

ec link_broker::receive_frames() {
  auto end = input_.scan(bounds_);
  if (input_.complete() == 0)
    return end;
  output_buffer frames;
  if (auto code = input_.take(reader_->spare_buffer(), frames); code != ec::none)
    return code;
  // Unlike `halt`, which lets CAF go on with what it has begun, this stops after one more read.
  if (!reader_->push(std::move(frames)))
    trigger(handle_, 1);
  return end;
}

void link_broker::resume_input() {
  // CAF takes a connection out of its loop at the end of a round, and forgets to put it back if it
  // is asked for that in the same round.
  backend().post([self = caf::strong_actor_ptr{ctrl()}] {
    auto* ptr = static_cast<link_broker*>(self->get());
    if (!ptr->input_ended_)
      ptr->trigger(ptr->handle_);
  });
}

void link_broker::expect_input(size_t received) {
  if (received >= read_size_)
    read_size_ = std::min(read_size_ * 2, largest_read);
  else if (received < read_size_ / 8)
    read_size_ = std::max(read_size_ / 2, smallest_read);
  auto missing = input_.missing();
  if (missing <= read_size_) {
    configure_read(handle_, caf::io::receive_policy::at_most(read_size_));
    return;
  }
  // CAF allocates what it is asked for: never ask for much more than has been shown already.
  auto shown = std::max(input_.bytes().size(), largest_read);
  configure_read(handle_, caf::io::receive_policy::exactly(std::min(missing, shown)));
}

void link_broker::feed(size_t in_flight) {
  // More is to come when the socket has taken what it was given.
  if (in_flight > 0)
    return;
  if (!link_->take_output(outgoing_)) {
    if (outgoing_.capacity() > kept_buffer)
      outgoing_ = output_buffer{};
    return;
  }
  auto* bytes = reinterpret_cast<const compat::byte*>(outgoing_.data());
  auto& buffer = wr_buf(handle_);
  buffer.insert(buffer.end(), bytes, bytes + outgoing_.size());
  flush(handle_);
}

void link_broker::finish(ec reason) {
  input_ended_ = true;
  halt(handle_);
  reader_->finish(reason);
}

} // namespace cafwire::detail
