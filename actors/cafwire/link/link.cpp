// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link.hpp"

#include "cafwire/link/bounce.hpp"
#include "cafwire/link/link_table.hpp"
#include "cafwire/link/proxy.hpp"

#include <caf/actor_registry.hpp>
#include <caf/attachable.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <limits>
#include <random>

namespace cafwire::detail {

namespace {

/// Waits in an actor for its end. Can be taken off again: an actor may live much longer than the
/// connections through which it is known.
class exit_watch : public caf::attachable {
public:
  /// No type of attachable in CAF has this number.
  static constexpr size_t token_type = 0xcaf317e;

  exit_watch(const std::shared_ptr<link>& owner, uint64_t id)
    : owner_(owner), key_(owner.get()), id_(id) {
    // nop
  }

  static token token_of(const link* owner) {
    return {token_type, owner};
  }

  void actor_exited(const caf::error& reason, compat::context*) override {
    if (auto owner = owner_.lock())
      owner->on_exit(id_, reason);
  }

  bool matches(const token& what) override {
    return what.subtype == token_type && what.ptr == key_;
  }

private:
  std::weak_ptr<link> owner_;
  /// Only compared.
  const link* key_;
  uint64_t id_;
};

uint64_t random_epoch() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

/// A reason with more details than that arrives as `caf::exit_reason::unknown`.
constexpr size_t max_reason_bytes = size_t{16} << 10;

constexpr size_t largest_body = std::numeric_limits<uint32_t>::max() - frame_alignment;

} // namespace

thread_local link::thread_state link::this_thread;

link::link(caf::actor_system& sys, const link_options& options,
           std::shared_ptr<published_actor> published, std::weak_ptr<link_table> siblings)
  : system_(sys),
    options_(options),
    published_(std::move(published)),
    siblings_(std::move(siblings)),
    epoch_(random_epoch()),
    tx_frames_(epoch_, 1), // the handshake is frame 0
    proxies_(sys, *this) {
  if (options_.types == nullptr)
    options_.types = known_types::global();
}

link::~link() = default;

// -- life -----------------------------------------------------------------------------------------

void link::start(std::weak_ptr<link_engine> engine) {
  auto hello = handshake{};
  hello.epoch = epoch_;
  hello.registry_hash = options_.types->hash();
  hello.max_frame_bytes = options_.bounds.max_frame_bytes;
  hello.node = system_.node();
  if (published_ != nullptr && !published_->terminated) {
    export_actor(published_->handle);
    hello.published = published_->handle->id();
    hello.interface = published_->interface;
  }
  std::shared_ptr<link_engine> to_wake;
  {
    std::lock_guard guard{mutex_};
    engine_ = std::move(engine);
    if (write_handshake(out_, hello) != ec::none)
      return;
    counters::add(sent_.frames, 1);
    awake_ = true;
    to_wake = engine_.lock();
  }
  if (to_wake != nullptr)
    to_wake->wake();
}

void link::close(caf::error reason) {
  decltype(pending_) pending;
  {
    std::lock_guard guard{mutex_};
    if (closed_)
      return;
    closed_ = true;
    pending.swap(pending_);
    out_ = output_buffer{};
    in_flight_ = 0;
    frame_start_ = std::nullopt;
    engine_.reset();
  }
  // Whoever still holds this link must not keep the actor alive.
  published_.reset();
  if (reason.empty())
    reason = caf::error{ec::connection_closed};
  auto result = link_result{};
  result.reason = std::move(reason);
  report(std::move(result));
  for (auto& [key, request] : pending)
    bounce(request.source, request.id);
  decltype(exports_) exports;
  {
    std::lock_guard guard{exports_mutex_};
    exports.swap(exports_);
  }
  auto token = exit_watch::token_of(this);
  for (auto& [id, actor] : exports)
    if (actor.monitored)
      actor.handle->get()->detach(token);
  targets_.clear();
  sources_.clear();
  proxies_.clear();
}

bool link::is_open() const {
  std::lock_guard guard{mutex_};
  return tx_.has_value() && !closed_;
}

std::future<link_result> link::result() {
  return result_.get_future();
}

void link::report(link_result result) {
  std::lock_guard guard{result_mutex_};
  if (!reported_) {
    reported_ = true;
    result_.set_value(std::move(result));
  }
}

// -- output ---------------------------------------------------------------------------------------

bool link::send(uint64_t target, caf::mailbox_element_ptr what) {
  auto head = record_head{};
  head.target = target;
  head.id = what->mid;
  if (auto& source = what->sender; source != nullptr) {
    if (source->nid == system_.node()) {
      export_actor(source);
      head.source = source->id();
    } else if (source->nid == peer_) {
      head.source = source->id();
      head.returned_source = true;
    } else if (head.id.is_request()) {
      // An answer could not find its way to a third node.
      bounce(source, head.id, caf::error{ec::unreachable_actor});
      return false;
    }
  }
  auto source = what->sender;
  if (append({head, std::move(what), {}}))
    return true;
  bounce(source, head.id);
  return false;
}

void link::send_control(link_op op, uint64_t target, uint64_t source) {
  auto head = record_head{};
  head.op = op;
  head.target = target;
  head.source = source;
  append({head, nullptr, {}});
}

bool link::append(record rec) {
  auto& thread = this_thread;
  if (thread.encodes) {
    // Code inside of an `inspect` overload sends something: it must wait for the lock, and for the
    // message around it.
    if (thread.deferred == nullptr)
      thread.deferred = new std::vector<deferred_record>;
    thread.deferred->push_back({shared_from_this(), std::move(rec)});
    return true;
  }
  auto ok = append_now(rec);
  while (thread.deferred != nullptr) {
    auto batch
      = std::unique_ptr<std::vector<deferred_record>>{std::exchange(thread.deferred, nullptr)};
    for (auto& [where, what] : *batch)
      if (!where->append_now(what) && what.what != nullptr)
        bounce(what.what->sender, what.head.id);
  }
  return ok;
}

bool link::append_now(record& rec) {
  caf::error reason;
  auto refused = false;
  std::shared_ptr<link_engine> to_wake;
  {
    std::lock_guard guard{mutex_};
    if (closed_ || !tx_)
      return false;
    refused = must_refuse(rec);
    if (!refused)
      reason = append_locked(rec);
    if (!awake_ && !out_.empty()) {
      awake_ = true;
      to_wake = engine_.lock();
    }
  }
  if (to_wake != nullptr)
    to_wake->wake();
  if (refused)
    refuse(rec);
  else if (!reason.empty() && rec.what != nullptr)
    bounce(rec.what->sender, rec.head.id, std::move(reason));
  return true;
}

bool link::must_refuse(const record& rec) const noexcept {
  // A response that is not sent would leave somebody waiting, and its number is bounded by that of
  // the requests.
  return rec.what != nullptr && !rec.head.id.is_response()
         && out_.size() + in_flight_ >= options_.max_buffered_bytes;
}

void link::refuse(const record& rec) {
  counters::add(sent_.refused, 1);
  if (rec.head.id.is_request())
    bounce(rec.what->sender, rec.head.id, caf::error{ec::buffer_full});
  else if (options_.on_refused)
    options_.on_refused(rec.what->payload);
}

caf::error link::append_locked(record& rec) {
  auto reason = rec.what != nullptr ? append_message(rec) : append_control(rec);
  if (!reason.empty() && rec.what != nullptr) {
    counters::add(sent_.errors, 1);
    if (rec.head.id.is_response()) {
      // The requester must not wait for an answer that cannot come.
      rec.what->payload = caf::make_message(reason);
      std::ignore = append_message(rec);
    }
  }
  if (frame_start_ && frame_body_size() >= options_.frame_bytes)
    close_frame();
  return reason;
}

caf::error link::append_message(record& rec) {
  if (!open_frame())
    return caf::error{ec::out_of_memory};
  auto definitions = tx_->definitions();
  auto is_first = frame_body_size() == 0;
  auto reason = encode(rec);
  if (!is_first && !reason.empty() && reason == ec::frame_too_large) {
    // It may fit into a frame of its own.
    close_frame();
    if (!open_frame())
      return caf::error{ec::out_of_memory};
    reason = encode(rec);
  }
  if (!reason.empty())
    return reason;
  counters::add(sent_.messages, 1);
  if (auto n = tx_->definitions(); n != definitions)
    counters::add(sent_.definitions, n - definitions);
  // A request that goes back to the node of its source is answered there.
  if (rec.head.id.is_request() && rec.what->sender != nullptr && !rec.head.returned_source)
    pending_.insert_or_assign(pending_key{rec.head.source,
                                          rec.head.id.request_id().integer_value()},
                              pending_request{rec.what->sender, rec.head.id});
  return {};
}

caf::error link::encode(record& rec) {
  auto start = out_.size();
  auto reason = caf::error{};
  if (!write_record_head(out_, rec.head)) {
    reason = caf::error{ec::out_of_memory};
  } else {
    this_thread.encodes = true;
    auto code = tx_->write_message(out_, rec.what->payload);
    this_thread.encodes = false;
    if (code != ec::none) {
      reason = tx_->last_error();
    } else if (frame_body_size() > peer_max_frame_bytes_) {
      // The definitions inside of the message will not arrive either.
      tx_->reset();
      reason = caf::error{ec::frame_too_large};
    }
  }
  if (!reason.empty())
    out_.truncate(start);
  return reason;
}

caf::error link::append_control(const record& rec) {
  auto size = max_record_head_size + rec.body.size();
  if (frame_start_ && frame_body_size() + size > peer_max_frame_bytes_)
    close_frame();
  if (!open_frame())
    return caf::error{ec::out_of_memory};
  auto start = out_.size();
  if (!write_record_head(out_, rec.head) || !out_.append(rec.body.data(), rec.body.size())) {
    out_.truncate(start);
    return caf::error{ec::out_of_memory};
  }
  return {};
}

void link::send_down(uint64_t id, const caf::error& reason) {
  output_buffer encoded;
  auto code = without_exceptions([&] {
    serializer f{encoded, this};
    std::ignore = f.apply(reason);
    return f.code();
  });
  if (code == ec::none && encoded.size() > max_reason_bytes)
    code = ec::frame_too_large;
  if (code != ec::none) {
    encoded.clear();
    if (serialize(encoded, caf::error{caf::exit_reason::unknown}) != ec::none)
      return;
  }
  auto rec = record{};
  rec.head.op = link_op::down;
  rec.head.target = id;
  std::byte size[max_varint_size];
  auto* end = write_varint(size, encoded.size());
  if (rec.body.append(size, static_cast<size_t>(end - size))
      && rec.body.append(encoded.data(), encoded.size()))
    append(std::move(rec));
}

bool link::open_frame() {
  if (frame_start_)
    return true;
  auto start = out_.size();
  const std::byte header[frame_header_size] = {};
  if (!out_.append(header, sizeof header))
    return false;
  frame_start_ = start;
  return true;
}

size_t link::frame_body_size() const noexcept {
  return out_.size() - *frame_start_ - frame_header_size;
}

void link::close_frame() {
  if (!frame_start_)
    return;
  auto start = *frame_start_;
  auto body_size = frame_body_size();
  const std::byte zeros[frame_alignment] = {};
  frame_start_ = std::nullopt;
  if (body_size == 0 || !out_.append(zeros, frame_padding(body_size))) {
    out_.truncate(start);
    return;
  }
  write_frame_header(out_.data() + start, tx_frames_.next(frame_kind::records, body_size));
  counters::add(sent_.frames, 1);
}

bool link::take_output(output_buffer& out) {
  std::lock_guard guard{mutex_};
  in_flight_ = 0;
  close_frame();
  if (out_.empty()) {
    awake_ = false;
    return false;
  }
  out.clear();
  out.swap(out_);
  in_flight_ = out.size();
  counters::add(sent_.bytes, out.size());
  return true;
}

void link::release_memory() {
  std::lock_guard guard{mutex_};
  if (out_.empty())
    out_ = output_buffer{};
}

void link::export_actor(const caf::strong_actor_ptr& actor) {
  // Most messages come from the actor that has sent the one before.
  if (last_export_.load(std::memory_order_relaxed) == actor->id())
    return;
  {
    std::lock_guard guard{exports_mutex_};
    exports_.try_emplace(actor->id(), exported_actor{actor, false});
    last_export_.store(actor->id(), std::memory_order_relaxed);
  }
}

// -- input ----------------------------------------------------------------------------------------

ec link::receive_handshake(std::span<const std::byte> input, size_t& consumed) {
  auto hello = handshake{};
  if (auto code = read_handshake(input, options_.bounds, hello, consumed); code != ec::none)
    return code;
  auto options = session_options{};
  options.peer_registry_hash = hello.registry_hash;
  options.bounds = options_.bounds;
  options.handles = this;
  options.keep_unknown_messages = options_.keep_unknown_messages;
  rx_frames_.emplace(hello.epoch, 1); // the handshake was frame 0
  rx_.emplace(options_.types, options);
  peer_is_self_ = hello.node == system_.node();
  counters::add(received_.bytes, consumed);
  {
    std::lock_guard guard{mutex_};
    peer_ = hello.node;
    peer_max_frame_bytes_
      = static_cast<size_t>(std::min<uint64_t>(hello.max_frame_bytes, largest_body));
    tx_.emplace(options_.types, options);
  }
  auto result = link_result{};
  result.interface = std::move(hello.interface);
  if (peer_is_self_)
    result.local_id = static_cast<caf::actor_id>(hello.published);
  else if (hello.published != 0)
    result.published = find_remote(hello.published);
  report(std::move(result));
  return ec::none;
}

void link::input_owner(std::shared_ptr<const void> owner) {
  rx_->input_owner(std::move(owner));
}

ec link::begin_frame(std::span<const std::byte> frames, size_t& consumed) {
  frame_header header;
  if (auto code = read_frame_header(frames, options_.bounds, header); code != ec::none)
    return code;
  auto frame = frames.first(frame_size(header.body_size));
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
  switch (head.op) {
    case link_op::message:
      return receive_message(rx_frame_, head, ctx);
    case link_op::monitor:
      receive_monitor(head.target);
      break;
    case link_op::down:
      return receive_down(rx_frame_, head);
    case link_op::link:
    case link_op::unlink:
      receive_link(head);
      break;
  }
  return ec::none;
}

ec link::receive_message(input_cursor& in, const record_head& head,
                         compat::deferring_context& ctx) {
  caf::message content;
  auto code = rx_->read_message(in, content);
  if (code != ec::none && rx_->status() != read_status::skipped)
    return code;
  caf::strong_actor_ptr source;
  if (head.source != 0)
    source = head.returned_source ? find_own(head.source) : find_remote(head.source);
  auto target = find_exported(head.target);
  if (head.id.is_response()) {
    // Only who was asked may answer, and once.
    if (!take_pending(head.target, head.id))
      target = nullptr;
  } else if (head.returned_source && head.id.is_request()) {
    // Delegated back to this node: it is answered here from now on.
    take_pending(head.source, head.id);
  }
  if (code != ec::none) {
    // The requester must not wait for an answer that cannot come.
    counters::add(received_.errors, 1);
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

bool link::take_pending(uint64_t source, caf::message_id id) {
  pending_request taken; // without holding the lock
  std::lock_guard guard{mutex_};
  auto i = pending_.find({source, id.request_id().integer_value()});
  if (i == pending_.end())
    return false;
  taken = std::move(i->second);
  pending_.erase(i);
  return true;
}

void link::deliver(caf::strong_actor_ptr source, caf::strong_actor_ptr& target, caf::message_id id,
                   caf::message content, compat::deferring_context& ctx) {
  target->get()->enqueue(compat::make_element(std::move(source), id, std::move(content)), &ctx);
}

void link::receive_monitor(uint64_t target) {
  auto actor = find_exported(target);
  auto first = false;
  {
    std::lock_guard guard{exports_mutex_};
    if (auto i = exports_.find(target); i != exports_.end())
      first = !std::exchange(i->second.monitored, true);
    else
      first = true; // it has terminated, but is in the cache still
  }
  if (actor == nullptr) {
    send_down(target, caf::error{caf::exit_reason::unknown});
  } else if (first) {
    actor->get()->attach(std::make_unique<exit_watch>(shared_from_this(), target));
  }
}

void link::on_exit(uint64_t id, const caf::error& reason) {
  send_down(id, reason);
  caf::strong_actor_ptr released; // without holding the lock
  std::lock_guard guard{exports_mutex_};
  if (auto i = exports_.find(id); i != exports_.end()) {
    released = std::move(i->second.handle);
    exports_.erase(i);
  }
  auto expected = id;
  last_export_.compare_exchange_strong(expected, 0);
}

ec link::receive_down(input_cursor& in, const record_head& head) {
  uint64_t size = 0;
  if (auto code = in.read_varint(size); code != ec::none)
    return code;
  if (size > in.remaining())
    return ec::length_exceeds_input;
  deserializer f{
    {in.position(), static_cast<size_t>(size)}, options_.bounds, this, options_.types.get()};
  in.advance(static_cast<size_t>(size));
  caf::error reason;
  auto code = without_exceptions([&] {
    std::ignore = f.apply(reason);
    return f.code();
  });
  if (code != ec::none)
    reason = caf::error{caf::exit_reason::unknown};
  sources_.erase(head.target);
  // Requests to the actor stay pending: CAF answers those that it has not handled, and it may have
  // handed others over to somebody who is alive.
  proxies_.erase(peer_, static_cast<caf::actor_id>(head.target), std::move(reason));
  return ec::none;
}

void link::receive_link(const record_head& head) {
  auto source = find_remote(head.source);
  auto target = find_exported(head.target);
  if (source == nullptr)
    return;
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

caf::strong_actor_ptr link::find_exported(uint64_t id) {
  if (auto* hit = targets_.find(id))
    return *hit;
  caf::strong_actor_ptr result;
  {
    std::lock_guard guard{exports_mutex_};
    if (auto i = exports_.find(id); i != exports_.end())
      result = i->second.handle;
  }
  if (result != nullptr)
    targets_.put(id, result);
  return result;
}

caf::strong_actor_ptr link::find_exported_to(const caf::node_id& peer, uint64_t id) {
  {
    std::lock_guard guard{mutex_};
    if (closed_ || !tx_ || peer_ != peer)
      return nullptr;
  }
  std::lock_guard guard{exports_mutex_};
  auto i = exports_.find(id);
  return i != exports_.end() ? i->second.handle : nullptr;
}

caf::strong_actor_ptr link::find_own(uint64_t id) {
  auto result = find_exported(id);
  if (result == nullptr)
    if (auto siblings = siblings_.lock())
      result = siblings->find_exported_to(peer_, id);
  // CAF's own networking may have told the peer about it.
  if (result == nullptr)
    result = system_.registry().get(static_cast<caf::actor_id>(id));
  return result;
}

caf::strong_actor_ptr link::find_remote(uint64_t id) {
  if (id == 0)
    return nullptr;
  if (auto* hit = sources_.find(id))
    return *hit;
  auto result = proxies_.get_or_put(peer_, static_cast<caf::actor_id>(id));
  if (result != nullptr)
    sources_.put(id, result);
  return result;
}

void link::add_to(link_statistics& sum) const {
  constexpr auto order = std::memory_order_relaxed;
  sum.messages_sent += sent_.messages.load(order);
  sum.messages_received += received_.messages.load(order);
  sum.bytes_sent += sent_.bytes.load(order);
  sum.bytes_received += received_.bytes.load(order);
  sum.frames_sent += sent_.frames.load(order);
  sum.frames_received += received_.frames.load(order);
  sum.definitions_sent += sent_.definitions.load(order);
  sum.encode_errors += sent_.errors.load(order);
  sum.decode_errors += received_.errors.load(order);
  sum.refused += sent_.refused.load(order);
  {
    std::lock_guard guard{mutex_};
    sum.bytes_buffered += out_.size() + in_flight_;
  }
  sum.undeliverable += received_.undeliverable.load(order);
}

// -- caf::proxy_registry::backend -----------------------------------------------------------------

caf::strong_actor_ptr link::make_proxy(caf::node_id node, caf::actor_id id) {
  if (node != peer_ || id == 0)
    return nullptr;
  caf::actor_config cfg;
  auto result = caf::make_actor<proxy, caf::strong_actor_ptr>(id, std::move(node), &system_, cfg,
                                                              shared_from_this());
  send_control(link_op::monitor, id);
  return result;
}

void link::set_last_hop(caf::node_id*) {
  // nop: links have no hops
}

// -- handle_codec ---------------------------------------------------------------------------------

ec link::save(serializer& f, const caf::strong_actor_ptr& handle) {
  auto tag = handle_tag::of_writer;
  if (handle->nid == system_.node())
    export_actor(handle);
  else if (handle->nid == peer_)
    tag = handle_tag::of_reader;
  else
    return ec::unreachable_actor;
  return f.byte(static_cast<uint8_t>(tag)) && f.varint(handle->aid) ? ec::none : f.code();
}

ec link::load(deserializer& f, handle_tag tag, caf::strong_actor_ptr& handle) {
  uint64_t id = 0;
  if (tag == handle_tag::global)
    return ec::unreachable_actor;
  if (!f.varint(id))
    return f.code();
  if (tag == handle_tag::of_writer) {
    handle = find_remote(id);
    return handle != nullptr ? ec::none : ec::unreachable_actor;
  }
  // As in CAF, the handle of an actor that is gone arrives empty.
  handle = find_own(id);
  return ec::none;
}

} // namespace cafwire::detail
