// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_broker.hpp"

#include <caf/exit_reason.hpp>
#include <caf/io/receive_policy.hpp>

#include <algorithm>
#include <cstring>
#include <span>

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
    if (auto ptr = broker_.lock())
      ptr->get()->enqueue(compat::make_element(nullptr, caf::make_message_id(),
                                               caf::make_message(caf::flush_atom_v)),
                          nullptr);
  }

private:
  caf::weak_actor_ptr broker_;
};

link_broker::link_broker(caf::actor_config& cfg, link_ptr what, caf::io::scribe_ptr scribe,
                         scribe_origin origin, std::chrono::milliseconds handshake_timeout)
  : caf::io::broker(cfg),
    link_(std::move(what)),
    scribe_(std::move(scribe)),
    origin_(origin),
    handshake_timeout_(handshake_timeout),
    context_(system()),
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
  handshake_timer_ = run_delayed(handshake_timeout_, [this] {
    if (!link_->peer_known())
      fail(ec::handshake_timeout);
  });
  attach_functor([what = link_, timer = handshake_timer_](const caf::error& reason) mutable {
    timer.dispose();
    what->close(reason);
  });
  // What was sent before somebody ends this broker shall still be written.
  auto on_exit = [this](caf::exit_msg& msg) {
    feed(0);
    quit(std::move(msg.reason));
  };
  compat::set_exit_handler(this, on_exit);
  configure_read(handle_, caf::io::receive_policy::at_most(read_size_));
  ack_writes(handle_, true);
  engine_ = std::make_shared<engine>(caf::strong_actor_ptr{ctrl()});
  link_->start(engine_);
  return {
    [this](caf::io::new_data_msg& msg) { on_data(msg); },
    [this](const caf::io::data_transferred_msg& msg) { feed(msg.remaining); },
    [this](caf::flush_atom) { feed(0); },
    on_exit,
    [this](const caf::io::connection_closed_msg&) {
      fail(link_->peer_known() ? ec::connection_closed : ec::closed_during_handshake);
    },
  };
}

void link_broker::on_data(caf::io::new_data_msg& msg) {
  auto size = msg.buf.size();
  auto input = std::span{reinterpret_cast<const std::byte*>(msg.buf.data()), size};
  auto collects = !rest_.empty();
  if (collects) {
    if (!rest_.append(input.data(), size))
      return fail(ec::out_of_memory);
    input = rest_.bytes();
  }
  size_t consumed = 0;
  size_t wanted = 0;
  auto code = link_->receive(input, context_, consumed, wanted);
  context_.release();
  if (code != ec::none)
    return fail(code);
  if (handshake_timer_ && link_->peer_known()) {
    // The timer keeps this broker alive.
    handshake_timer_.dispose();
    handshake_timer_ = caf::disposable{};
  }
  auto left = input.subspan(consumed);
  if (collects) {
    if (consumed > 0 && !left.empty())
      std::memmove(rest_.data(), left.data(), left.size());
    rest_.truncate(left.size());
  } else if (!rest_.append(left.data(), left.size())) {
    return fail(ec::out_of_memory);
  }
  if (rest_.empty() && rest_.capacity() > kept_buffer)
    rest_ = output_buffer{};
  if (size >= read_size_)
    read_size_ = std::min(read_size_ * 2, largest_read);
  else if (size < read_size_ / 8)
    read_size_ = std::max(read_size_ / 2, smallest_read);
  expect(wanted);
}

void link_broker::expect(size_t wanted) {
  auto missing = wanted > rest_.size() ? wanted - rest_.size() : 0;
  if (missing <= read_size_) {
    configure_read(handle_, caf::io::receive_policy::at_most(read_size_));
    return;
  }
  // CAF allocates what it is asked for: never ask for much more than has been shown already.
  auto shown = std::max(rest_.size(), largest_read);
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

void link_broker::fail(ec code) {
  quit(caf::error{code});
}

} // namespace cafwire::detail
