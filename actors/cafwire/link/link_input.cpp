// This file is part of cafwire. See the file LICENSE for license terms.

// What a link receives: records are handled by a job of the scheduler.

#include "cafwire/link/link.hpp"

#include "cafwire/codec.hpp"
#include "cafwire/link/bounce.hpp"
#include "cafwire/link/exit_watch.hpp"
#include "cafwire/link/link_metrics.hpp"
#include "cafwire/link/link_table.hpp"
#include "cafwire/link/proxy.hpp"
#include "cafwire/link/stand_in.hpp"

#include <caf/actor_registry.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>

#include <chrono>

namespace cafwire::detail {

namespace {

/// Reads what `append_sized` wrote.
ec read_sized(input_cursor& in, std::span<const std::byte>& what) {
  uint64_t size = 0;
  if (auto code = in.read_varint(size); code != ec::none)
    return code;
  if (size > in.remaining())
    return ec::length_exceeds_input;
  what = {in.position(), static_cast<size_t>(size)};
  in.advance(what.size());
  return ec::none;
}

} // namespace

void link::input_owner(std::shared_ptr<const void> owner) {
  rx_->input_owner(std::move(owner));
}

ec link::begin_frame(std::span<const std::byte> frames, size_t& consumed) {
  frame_header header;
  if (auto code = read_frame_header(frames, options_.bounds, header); code != ec::none)
    return code;
  auto frame = frames.first(frame_size(header.body_size));
  if (recording_ != nullptr)
    recording_->write(stream_direction::received, frame);
  if (header.kind != frame_kind::records)
    return ec::invalid_frame;
  // Who claims to be this node has nothing to say: its actors are our own.
  if (peer_is_self_)
    return ec::wrong_peer;
  if (auto code = rx_frames_->accept(header); code != ec::none)
    return code;
  if (auto code = check_frame_padding(frame, header.body_size); code != ec::none)
    return code;
  rx_frame_ = input_cursor{frame.subspan(frame_header_size, header.body_size)};
  counters::add(received_.frames, 1);
  counters::add(received_.bytes, frame.size());
  consumed = frame.size();
  return ec::none;
}

ec link::receive_records(compat::deferring_context& ctx, size_t& limit) {
  for (; limit > 0 && !rx_frame_.at_end(); --limit)
    if (auto code = receive_record(ctx); code != ec::none)
      return code;
  return ec::none;
}

ec link::receive_record(compat::deferring_context& ctx) {
  record_head head;
  if (auto code = read_record_head(rx_frame_, head); code != ec::none)
    return code;
  caf::strong_actor_ptr source;
  if (auto code = receive_source(rx_frame_, head, source); code != ec::none)
    return code;
  auto code = ec::none;
  switch (head.op) {
    case link_op::message:
      code = receive_message(rx_frame_, head, std::move(source), ctx);
      break;
    case link_op::monitor:
      receive_monitor(head.target);
      break;
    case link_op::down:
      code = receive_down(rx_frame_, head);
      break;
    case link_op::link:
    case link_op::unlink:
      receive_link(head, source);
      break;
    case link_op::release:
      code = receive_release(rx_frame_, head);
      break;
  }
  ++records_received_;
  return code == ec::none && too_many_actors_ ? ec::too_many_actors : code;
}

ec link::receive_source(input_cursor& in, const record_head& head, caf::strong_actor_ptr& source) {
  if (head.source == 0)
    return ec::none;
  if (head.returned_source) {
    source = find_own(head.source);
  } else if ((head.source & relayed_bit) == 0) {
    source = find_remote(head.source);
  } else {
    std::span<const std::byte> identity;
    if (auto code = read_sized(in, identity); code != ec::none)
      return code;
    caf::node_id node;
    uint64_t id = 0;
    if (auto code = deserialize(identity, options_.bounds, node, id); code != ec::none)
      return code;
    source = find_relayed(head.source, node, id);
  }
  return ec::none;
}

ec link::receive_message(input_cursor& in, const record_head& head, caf::strong_actor_ptr source,
                         compat::deferring_context& ctx) {
  caf::message content;
  auto code = rx_->read_message(in, content);
  if (rx_->definitions() != known_definitions_) [[unlikely]]
    report_differences();
  if (code != ec::none && rx_->status() != read_status::skipped)
    return code;
  auto target = find_target(head.target);
  if (head.id.is_response()) {
    // Only who was asked may answer, and once.
    if (!take_pending(head.target, head.id, true))
      target = nullptr;
  } else if (head.returned_source && head.id.is_request()) {
    // Delegated back to this node: it is answered here from now on.
    if (!take_pending(head.source, head.id))
      if (auto siblings = siblings_.lock())
        siblings->take_pending(head.source, head.id);
  }
  if (code != ec::none) {
    // The requester must not wait for an answer that cannot come, and actors that we could not read
    // about must not wait for us.
    counters::add(received_.errors, 1);
    metrics_->decode_error(rx_->last_error());
    send_release(0, records_received_ + 1);
    if (!head.id.is_response()) {
      bounce(source, head.id, rx_->last_error());
      return ec::none;
    }
    content = caf::make_message(rx_->last_error());
  }
  if (target == nullptr) {
    counters::add(received_.undeliverable, 1);
    bounce(source, head.id);
    return ec::none;
  }
  counters::add(received_.messages, 1);
  deliver(std::move(source), target, head.id, std::move(content), ctx);
  return ec::none;
}

void link::report_differences() {
  known_definitions_ = rx_->definitions();
  if (!options_.on_difference)
    return;
  for (auto& x : rx_->differing_types())
    if (reported_types_.insert(x.name).second)
      options_.on_difference(x);
}

bool link::take_pending(uint64_t source, caf::message_id id, bool answered) {
  std::optional<pending_request> taken; // destroyed without holding the lock
  {
    std::lock_guard guard{mutex_};
    taken = pending_.take(source, id);
  }
  if (answered && taken && taken->sent_at)
    metrics_->response_time(std::chrono::steady_clock::now() - *taken->sent_at);
  return taken.has_value();
}

void link::deliver(caf::strong_actor_ptr source, caf::strong_actor_ptr& target, caf::message_id id,
                   caf::message content, compat::deferring_context& ctx) {
  if (target->nid != system_.node() && source != nullptr && source->nid != system_.node()
      && dynamic_cast<const proxy*>(target->get()) == nullptr)
    source = stand_in_for(source);
  target->get()->enqueue(compat::make_element(std::move(source), id, std::move(content)), &ctx);
}

caf::strong_actor_ptr link::stand_in_for(const caf::strong_actor_ptr& remote) {
  auto* ptr = dynamic_cast<const proxy*>(remote->get());
  if (ptr == nullptr || ptr->owner() != this)
    return remote;
  auto& result = stand_ins_[ptr->key()];
  if (result == nullptr)
    result = stand_in::make(system_, remote);
  return result;
}

void link::receive_monitor(uint64_t target) {
  caf::strong_actor_ptr actor;
  auto first = false;
  {
    std::lock_guard guard{mutex_};
    actor = exports_.find(target);
    first = exports_.monitor(target);
  }
  if (actor == nullptr)
    send_down(target, caf::error{caf::exit_reason::unknown});
  else if (first)
    actor->get()->attach(std::make_unique<exit_watch<link>>(weak_from_this(), this, target));
}

void link::on_exit(uint64_t key, const caf::error& reason) {
  send_down(key, reason);
}

ec link::receive_down(input_cursor& in, const record_head& head) {
  std::span<const std::byte> bytes;
  if (auto code = read_sized(in, bytes); code != ec::none)
    return code;
  deserializer f{bytes, options_.bounds, this, options_.types.get()};
  caf::error reason;
  auto code = without_exceptions([&] {
    std::ignore = f.apply(reason);
    return f.code();
  });
  if (code != ec::none)
    reason = caf::error{caf::exit_reason::unknown};
  // Requests to the actor stay pending: CAF answers those that it has not handled, and it may have
  // handed others over to somebody who is alive.
  stand_ins_.erase(head.target);
  if (auto gone = proxies_.take(head.target))
    static_cast<proxy*>(gone->get())->kill_proxy(nullptr, std::move(reason));
  return ec::none;
}

ec link::receive_release(input_cursor& in, const record_head& head) {
  uint64_t seen = 0;
  if (auto code = in.read_varint(seen); code != ec::none)
    return code;
  if (head.target == 0) {
    std::vector<export_table::removed> unknown; // destroyed without holding the lock
    std::lock_guard guard{mutex_};
    unknown = exports_.release_unknown(seen);
    return ec::none;
  }
  export_table::removed gone; // the same
  {
    std::lock_guard guard{mutex_};
    gone = exports_.release(head.target, seen);
  }
  if (gone.handle != nullptr) {
    targets_.erase(head.target);
    if (gone.monitored)
      gone.handle->get()->detach(exit_watch<link>::token_of(this));
  }
  return ec::none;
}

void link::receive_link(const record_head& head, const caf::strong_actor_ptr& source) {
  // Both ends may live on this node: then CAF has linked them already.
  if (source == nullptr || source->nid == system_.node())
    return;
  auto target = find_target(head.target);
  if (target == nullptr) {
    if (head.op == link_op::link)
      send_down(head.target, caf::error{caf::exit_reason::unknown});
    return;
  }
  auto* remote = static_cast<caf::actor_proxy*>(source->get());
  if (head.op == link_op::link)
    remote->link_to(target->get()->address());
  else
    remote->unlink_from(target->get()->address());
}

caf::strong_actor_ptr link::find_target(uint64_t key) {
  if (auto* hit = targets_.find(key))
    return *hit;
  auto result = find_export(key);
  if (result != nullptr)
    targets_.put(key, result);
  return result;
}

caf::strong_actor_ptr link::find_export(uint64_t key) const {
  std::lock_guard guard{mutex_};
  return exports_.find(key);
}

caf::strong_actor_ptr link::find_own(uint64_t key) {
  auto result = find_target(key);
  if (result != nullptr || (key & relayed_bit) != 0)
    return result;
  if (auto siblings = siblings_.lock())
    result = siblings->find_export(key);
  // CAF's own networking may have told the peer about it.
  if (result == nullptr)
    result = system_.registry().get(static_cast<caf::actor_id>(key));
  return result;
}

caf::strong_actor_ptr link::find_remote(uint64_t id) {
  if (id == 0)
    return nullptr;
  auto result = proxies_.find(id);
  return result != nullptr ? result : make_proxy(id, peer_, id);
}

caf::strong_actor_ptr link::find_relayed(uint64_t key, const caf::node_id& node, uint64_t id) {
  if (node == system_.node()) {
    // It has come around: nobody needs to relay anything.
    send_release(key, records_received_ + 1);
    return find_own(id);
  }
  if (!node || node == peer_ || id == 0)
    return nullptr;
  auto result = proxies_.find(key);
  return result != nullptr ? result : make_proxy(key, node, id);
}

caf::strong_actor_ptr link::make_proxy(uint64_t key, const caf::node_id& node, uint64_t id) {
  if (proxies_.has_grown() || proxies_.size() >= options_.bounds.max_remote_actors)
    release_unused();
  if (proxies_.size() >= options_.bounds.max_remote_actors) {
    too_many_actors_ = true;
    return nullptr;
  }
  caf::actor_config cfg;
  auto result = caf::make_actor<proxy, caf::strong_actor_ptr>(static_cast<caf::actor_id>(id), node,
                                                              &system_, cfg, shared_from_this(),
                                                              key);
  proxies_.put(key, result);
  send_control(link_op::monitor, key);
  return result;
}

void link::release_unused() {
  targets_.clear();
  for (auto& [key, unused] : proxies_.take_unused())
    send_release(key, records_received_);
}

// -- handle_codec ---------------------------------------------------------------------------------

ec link::load(deserializer& f, handle_tag tag, caf::strong_actor_ptr& handle) {
  uint64_t key = 0;
  if (tag == handle_tag::global)
    return ec::unreachable_actor;
  if (!f.varint(key))
    return f.code();
  if ((key & relayed_bit) != 0)
    return ec::invalid_varint;
  switch (tag) {
    case handle_tag::of_writer:
      handle = find_remote(key);
      return handle != nullptr ? ec::none : ec::unreachable_actor;
    case handle_tag::relayed_by_writer: {
      caf::node_id node;
      uint64_t id = 0;
      if (!f.apply(node) || !f.apply(id))
        return f.code();
      handle = find_relayed(key | relayed_bit, node, id);
      return ec::none;
    }
    case handle_tag::relayed_by_reader:
      handle = find_own(key | relayed_bit);
      return ec::none;
    default:
      // As in CAF, the handle of an actor that is gone arrives empty.
      handle = find_own(key);
      return ec::none;
  }
}

} // namespace cafwire::detail
