// This file is part of cafwire. See the file LICENSE for license terms.

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
#include <caf/sec.hpp>

#include <algorithm>
#include <limits>
#include <random>

namespace cafwire::detail {

namespace {

uint64_t random_epoch() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

/// A reason with more details than that arrives as `caf::exit_reason::unknown`.
constexpr size_t max_reason_bytes = size_t{16} << 10;

/// Looking at the clock takes time: that of each request would show.
constexpr size_t requests_per_measurement = 16;

/// How far a message may grow beyond the usual size of a frame before it counts as large. Encoding
/// that much takes a few microseconds.
constexpr size_t large_bytes = size_t{64} << 10;

/// How many buffers of large messages to keep, and how large they may be: until the link is idle.
constexpr size_t kept_buffers = 2;
constexpr size_t max_kept_bytes = size_t{16} << 20;
bool append_number(output_buffer& out, uint64_t x) {
  std::byte bytes[max_varint_size];
  auto* end = write_varint(bytes, x);
  return out.append(bytes, static_cast<size_t>(end - bytes));
}

/// Appends bytes behind their number.
bool append_sized(output_buffer& out, const output_buffer& what) {
  return append_number(out, what.size()) && out.append(what.data(), what.size());
}

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

constexpr size_t largest_body = std::numeric_limits<uint32_t>::max() - frame_alignment;

} // namespace

thread_local link::thread_state link::this_thread;

link::link(caf::actor_system& sys, const link_options& options,
           std::shared_ptr<published_actor> published, std::weak_ptr<link_table> siblings,
           std::shared_ptr<link_metrics> metrics)
  : system_(sys),
    options_(options),
    published_(std::move(published)),
    siblings_(std::move(siblings)),
    metrics_(std::move(metrics)),
    epoch_(random_epoch()),
    pool_(kept_buffers, max_kept_bytes),
    tx_frames_(epoch_, 1) { // the handshake is frame 0
  if (options_.types == nullptr)
    options_.types = known_types::global();
  if (!options_.record_to.empty())
    recording_ = std::make_unique<link_recording>(options_.record_to,
                                                  "link of " + caf::to_string(sys.node()),
                                                  *options_.types);
}

link::~link() = default;

// -- life -----------------------------------------------------------------------------------------

void link::start(std::weak_ptr<link_engine> engine) {
  if (options_.key) {
    using role = authenticator::role;
    authenticator_ = std::make_unique<authenticator>(
      published_ != nullptr ? role::accepting : role::connecting, options_.key, epoch_);
  }
  std::shared_ptr<link_engine> to_wake;
  auto code = ec::none;
  {
    std::lock_guard guard{mutex_};
    engine_ = std::move(engine);
    if (authenticator_ != nullptr) {
      code = authenticator_->start(out_);
      authentication_bytes_ = out_.size();
    } else {
      code = write_own_handshake();
    }
    awake_ = true;
    to_wake = engine_.lock();
  }
  if (to_wake == nullptr)
    return;
  if (code == ec::none)
    to_wake->wake();
  else
    to_wake->end(code);
}

ec link::write_own_handshake() {
  auto hello = handshake{};
  hello.epoch = epoch_;
  hello.registry_hash = options_.types->hash();
  hello.max_frame_bytes = options_.bounds.max_frame_bytes;
  hello.node = system_.node();
  caf::strong_actor_ptr services;
  if (auto siblings = siblings_.lock(); siblings != nullptr && options_.offers_services)
    services = siblings->services();
  if (services != nullptr)
    hello.services = services->id();
  if (published_ != nullptr && published_->handle != nullptr && !published_->terminated) {
    hello.published = published_->handle->id();
    hello.interface = published_->interface;
  }
  if (auto code = write_handshake(out_, hello); code != ec::none)
    return code;
  if (hello.published != 0)
    exports_.touch(hello.published, published_->handle, 0);
  if (services != nullptr)
    exports_.touch(hello.services, services, 0);
  counters::add(sent_.frames, 1);
  return ec::none;
}

void link::close(caf::error reason) {
  decltype(pending_) pending;
  decltype(writers_) writers;
  std::vector<export_table::removed> exports;
  caf::strong_actor_ptr services;
  {
    std::lock_guard guard{mutex_};
    if (closed_)
      return;
    closed_ = true;
    pending.swap(pending_);
    sealed_.clear();
    sealed_bytes_ = 0;
    exports = exports_.clear();
    services.swap(services_);
    out_ = output_buffer{};
    in_flight_ = 0;
    frame_start_ = std::nullopt;
    engine_.reset();
    writers.swap(writers_);
  }
  tell(std::move(writers));
  // Whoever still holds this link must not keep the actor alive.
  published_.reset();
  if (reason.empty())
    reason = caf::error{ec::connection_closed};
  if (!peer_known()) {
    counters::add(received_.failed_handshakes, 1);
    metrics_->handshake_failed(reason);
  }
  auto result = link_result{};
  result.reason = std::move(reason);
  report(std::move(result));
  for (auto& [key, request] : pending)
    bounce(request.source, request.id);
  auto token = exit_watch<link>::token_of(this);
  for (auto& x : exports)
    if (x.monitored)
      x.handle->get()->detach(token);
  targets_.clear();
  for (auto& [key, what] : proxies_.take_all())
    static_cast<proxy*>(what->get())
      ->kill_proxy(nullptr, caf::error{caf::exit_reason::remote_link_unreachable});
  stand_ins_.clear();
}

bool link::is_open() const {
  std::lock_guard guard{mutex_};
  return tx_.has_value() && !closed_;
}

caf::node_id link::peer() const {
  std::lock_guard guard{mutex_};
  return peer_;
}

caf::strong_actor_ptr link::services() const {
  std::lock_guard guard{mutex_};
  return services_;
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
  auto source = what->sender;
  if (append({head, std::move(what), {}, {}, {}, {}}))
    return true;
  bounce(source, head.id);
  return false;
}

void link::send_control(link_op op, uint64_t target, caf::strong_actor_ptr source) {
  auto head = record_head{};
  head.op = op;
  head.target = target;
  append({head, nullptr, {}, std::move(source), {}, {}});
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
  auto is_large = false;
  std::shared_ptr<link_engine> to_wake;
  {
    std::lock_guard guard{mutex_};
    if (closed_ || !tx_)
      return false;
    refused = must_refuse(rec);
    if (!refused)
      reason = append_locked(rec, is_large);
    to_wake = engine_to_wake();
  }
  if (to_wake != nullptr)
    to_wake->wake();
  if (is_large)
    return append_large(rec);
  if (refused)
    refuse(rec);
  else if (!reason.empty() && rec.what != nullptr)
    bounce(rec.what->sender, rec.head.id, std::move(reason));
  return true;
}

bool link::append_large(record& rec) {
  // What the message says about actors must be known in the order of its records: under the lock.
  struct : handle_codec {
    bool used = false;

    ec save(serializer&, const caf::strong_actor_ptr&) override {
      used = true;
      return ec::no_actor_context;
    }

    ec load(deserializer&, handle_tag, caf::strong_actor_ptr&) override {
      return ec::no_actor_context;
    }
  } handles;
  auto payload = pool_.acquire();
  // The padding of the frame will go behind it.
  payload.limit(peer_max_frame_bytes_);
  caf::error reason;
  this_thread.encodes = true;
  auto code = tx_->encode_payload(payload, rec.what->payload, &handles, reason);
  this_thread.encodes = false;
  if (handles.used) {
    rec.encoded_in_place = true;
    return append_now(rec);
  }
  if (code != ec::none && payload.limit_reached())
    reason = caf::error{ec::frame_too_large};
  payload.unlimit();
  std::shared_ptr<link_engine> to_wake;
  {
    std::lock_guard guard{mutex_};
    if (closed_)
      return false;
    large_types_ = code == ec::none && payload.size() >= large_bytes
                     ? rec.what->payload.types().data()
                     : nullptr;
    if (reason.empty())
      reason = append_encoded(rec, payload);
    if (!reason.empty())
      note_failure(rec, reason);
    to_wake = engine_to_wake();
  }
  if (to_wake != nullptr)
    to_wake->wake();
  if (!reason.empty())
    bounce(rec.what->sender, rec.head.id, std::move(reason));
  return true;
}

std::shared_ptr<link_engine> link::engine_to_wake() {
  if (!has_output() || std::exchange(awake_, true))
    return nullptr;
  return engine_.lock();
}

void link::when_writable(caf::strong_actor_ptr whom, caf::message what) {
  std::vector<waiting_writer> ready;
  {
    std::lock_guard guard{mutex_};
    writers_.push_back({std::move(whom), std::move(what)});
    if (closed_ || bytes_waiting() < options_.max_buffered_bytes)
      ready.swap(writers_);
  }
  tell(std::move(ready));
}

std::vector<link::waiting_writer> link::take_writers() {
  if (bytes_waiting() > options_.max_buffered_bytes / 2)
    return {};
  return std::exchange(writers_, {});
}

void link::tell(std::vector<waiting_writer> writers) {
  for (auto& [whom, what] : writers)
    whom->get()->enqueue(compat::make_element(nullptr, caf::make_message_id(), std::move(what)),
                         nullptr);
}

bool link::must_refuse(const record& rec) const noexcept {
  // A response that is not sent would leave somebody waiting, and its number is bounded by that of
  // the requests.
  return rec.what != nullptr && !rec.head.id.is_response()
         && bytes_waiting() >= options_.max_buffered_bytes;
}

void link::refuse(const record& rec) {
  counters::add(sent_.refused, 1);
  if (rec.head.id.is_request())
    bounce(rec.what->sender, rec.head.id, caf::error{ec::buffer_full});
  else if (options_.on_refused)
    options_.on_refused(rec.what->payload);
}

caf::error link::append_locked(record& rec, bool& is_large) {
  if (rec.what == nullptr)
    return append_control(rec);
  auto reason = append_message(rec, is_large);
  if (!reason.empty())
    note_failure(rec, reason);
  if (frame_start_ && frame_body_size() >= options_.frame_bytes)
    close_frame();
  return reason;
}

void link::note_failure(record& rec, const caf::error& reason) {
  counters::add(sent_.errors, 1);
  if (!rec.head.id.is_response())
    return;
  // The requester must not wait for an answer that cannot come.
  rec.replaced = std::exchange(rec.what->payload, caf::make_message(reason));
  auto is_large = false;
  std::ignore = append_message(rec, is_large);
}

caf::error link::append_message(record& rec, bool& is_large) {
  if (!open_frame())
    return caf::error{ec::out_of_memory};
  auto definitions = tx_->definitions();
  auto is_first = frame_body_size() == 0;
  auto reason = encode(rec, is_large);
  if (!is_first && !reason.empty() && reason == ec::frame_too_large) {
    // It may fit into a frame of its own.
    close_frame();
    if (!open_frame())
      return caf::error{ec::out_of_memory};
    reason = encode(rec, is_large);
  }
  if (reason.empty() && !is_large)
    note_sent(rec, definitions);
  return reason;
}

void link::note_sent(const record& rec, size_t definitions) {
  counters::add(sent_.messages, 1);
  if (auto n = tx_->definitions(); n != definitions) {
    counters::add(sent_.definitions, n - definitions);
    counters::add(sent_.defining, 1);
  }
  // A request that goes back to the node of its source is answered there.
  if (!rec.head.id.is_request() || rec.what->sender == nullptr || rec.head.returned_source)
    return;
  auto request = pending_request{rec.what->sender, rec.head.id, std::nullopt};
  if (num_requests_++ % requests_per_measurement == 0)
    request.sent_at = std::chrono::steady_clock::now();
  pending_.insert_or_assign(pending_key{rec.head.source, rec.head.id.request_id().integer_value()},
                            std::move(request));
}

caf::error link::encode(record& rec, bool& is_large) {
  auto* types = rec.what->payload.types().data();
  if (rec.encoded_in_place) {
    out_.unlimit();
  } else if (types == large_types_ && types != nullptr) {
    is_large = true;
    return {};
  }
  auto start = out_.size();
  auto reason = caf::error{};
  if (!append_head(rec)) {
    reason = caf::error{ec::out_of_memory};
  } else {
    this_thread.encodes = true;
    auto code = tx_->write_message(out_, rec.what->payload);
    this_thread.encodes = false;
    if (code != ec::none) {
      is_large = out_.limit_reached();
      if (!is_large)
        reason = tx_->last_error();
    } else if (frame_body_size() > peer_max_frame_bytes_) {
      // The definitions inside of the message will not arrive either.
      tx_->reset();
      reason = caf::error{ec::frame_too_large};
    }
  }
  if (reason.empty() && !is_large) {
    commit(rec);
  } else {
    out_.truncate(start);
    roll_back(rec);
  }
  return reason;
}

caf::error link::append_encoded(record& rec, output_buffer& payload) {
  close_frame();
  if (!out_.empty())
    seal(out_);
  if (!open_frame())
    return caf::error{ec::out_of_memory};
  auto definitions = tx_->definitions();
  auto reason = append_parts(rec, payload);
  if (!reason.empty()) {
    drop_frame();
    roll_back(rec);
    return reason;
  }
  commit(rec);
  counters::add(sent_.frames, 1);
  frame_start_ = std::nullopt;
  out_.unlimit();
  seal(out_);
  seal(payload);
  note_sent(rec, definitions);
  return {};
}

caf::error link::append_parts(record& rec, output_buffer& payload) {
  if (!append_head(rec))
    return caf::error{ec::out_of_memory};
  if (tx_->write_head(out_, rec.what->payload.types(), payload.size()) != ec::none)
    return tx_->last_error();
  auto body_size = frame_body_size() + payload.size();
  auto reason = ec::none;
  const std::byte zeros[frame_alignment] = {};
  if (body_size > peer_max_frame_bytes_)
    reason = ec::frame_too_large;
  else if (!payload.append(zeros, frame_padding(body_size)))
    reason = ec::out_of_memory;
  if (reason != ec::none) {
    // The definitions inside of the message will not arrive either.
    tx_->reset();
    return caf::error{reason};
  }
  write_frame_header(out_.data() + *frame_start_, tx_frames_.next(frame_kind::records, body_size));
  return {};
}

void link::drop_frame() {
  out_.unlimit();
  out_.truncate(*std::exchange(frame_start_, std::nullopt));
}

void link::seal(output_buffer& buffer) {
  sealed_bytes_ += buffer.size();
  sealed_.push_back(std::exchange(buffer, output_buffer{}));
}

caf::error link::append_control(record& rec) {
  // Who is told about the end of an actor has no use for it any longer.
  if (rec.head.op == link_op::down)
    if (auto gone = exports_.erase(rec.head.target); gone.handle != nullptr)
      rec.dropped.emplace_back(rec.head.target, std::move(gone.handle));
  auto size = max_record_head_size + rec.body.size();
  if (frame_start_ && frame_body_size() + size > peer_max_frame_bytes_)
    close_frame();
  if (!open_frame())
    return caf::error{ec::out_of_memory};
  auto start = out_.size();
  if (!append_head(rec) || !out_.append(rec.body.data(), rec.body.size())) {
    out_.truncate(start);
    roll_back(rec);
    return caf::error{ec::out_of_memory};
  }
  commit(rec);
  return {};
}

link::actor_key link::key_of(const caf::strong_actor_ptr& actor) {
  if (actor->nid == system_.node())
    return {actor->id(), false};
  if (auto* ptr = dynamic_cast<const proxy*>(actor->get()); ptr != nullptr && ptr->owner() == this)
    return {ptr->key(), true};
  // The peer may know one of its actors through another link, or through CAF's own networking.
  if (actor->nid == peer_)
    return {actor->id(), true};
  return {exports_.relay_key(actor), false};
}

bool link::append_head(record& rec) {
  auto& head = rec.head;
  auto& source = rec.what != nullptr ? rec.what->sender : rec.source;
  if (source != nullptr) {
    auto [key, of_peer] = key_of(source);
    head.source = key;
    head.returned_source = of_peer;
  }
  if (!write_record_head(out_, head))
    return false;
  if ((head.source & relayed_bit) == 0 || head.returned_source)
    return true;
  exports_.mention(head.source, source);
  output_buffer identity;
  return serialize(identity, source->nid, uint64_t{source->id()}) == ec::none
         && append_sized(out_, identity);
}

void link::commit(const record& rec) {
  ++records_sent_;
  auto& source = rec.what != nullptr ? rec.what->sender : rec.source;
  if (source != nullptr && !rec.head.returned_source && (rec.head.source & relayed_bit) == 0)
    exports_.touch(rec.head.source, source, records_sent_);
  exports_.commit(records_sent_);
}

void link::roll_back(record& rec) {
  for (auto& x : exports_.roll_back())
    rec.dropped.push_back(std::move(x));
}

void link::send_down(uint64_t key, const caf::error& reason) {
  output_buffer encoded;
  auto code = without_exceptions([&] {
    serializer f{encoded, this, options_.types.get()};
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
  rec.head.target = key;
  if (append_sized(rec.body, encoded))
    append(std::move(rec));
}

void link::send_release(uint64_t key, uint64_t seen) {
  auto rec = record{};
  rec.head.op = link_op::release;
  rec.head.target = key;
  if (append_number(rec.body, seen))
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
  // What is larger than the rest of the frame gets a frame of its own.
  constexpr auto max_size = std::numeric_limits<size_t>::max();
  auto room = options_.frame_bytes < max_size - large_bytes - out_.size()
                ? options_.frame_bytes + large_bytes
                : max_size - out_.size();
  out_.limit(out_.size() + room);
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
  out_.unlimit();
  if (body_size == 0 || !out_.append(zeros, frame_padding(body_size))) {
    out_.truncate(start);
    return;
  }
  write_frame_header(out_.data() + start, tx_frames_.next(frame_kind::records, body_size));
  counters::add(sent_.frames, 1);
}

bool link::take_output(output_buffer& out) {
  std::vector<waiting_writer> ready;
  auto result = false;
  size_t unrecorded = 0;
  {
    std::lock_guard guard{mutex_};
    in_flight_ = 0;
    if (!writers_.empty())
      ready = take_writers();
    result = take_output_locked(out);
    if (result)
      unrecorded = std::exchange(authentication_bytes_, 0);
  }
  if (result && recording_ != nullptr)
    recording_->write(stream_direction::sent, out.bytes().subspan(unrecorded));
  tell(std::move(ready));
  return result;
}

bool link::take_output_locked(output_buffer& out) {
  if (sealed_.empty())
    close_frame();
  if (!has_output()) {
    awake_ = false;
    return false;
  }
  if (sealed_.empty()) {
    out.clear();
    out.swap(out_);
  } else {
    out.swap(sealed_.front());
    if (sealed_.front().capacity() >= large_bytes)
      pool_.release(std::move(sealed_.front()));
    sealed_.pop_front();
    sealed_bytes_ -= out.size();
  }
  in_flight_ = out.size();
  if (auto messages = sent_.messages.load(std::memory_order_relaxed); messages > messages_taken_)
    metrics_->wrote(messages - std::exchange(messages_taken_, messages));
  counters::add(sent_.bytes, out.size());
  return true;
}

void link::release_memory() {
  pool_.clear();
  std::lock_guard guard{mutex_};
  if (out_.empty())
    out_ = output_buffer{};
}

// -- input ----------------------------------------------------------------------------------------

ec link::authenticate(std::span<const std::byte> input, size_t& consumed) {
  std::shared_ptr<link_engine> to_wake;
  auto code = ec::none;
  {
    std::lock_guard guard{mutex_};
    code = authenticator_->receive(input, consumed, out_);
    authentication_bytes_ = out_.size();
    // Only now the peer may learn what is here.
    if (code == ec::none && authenticator_->done())
      code = write_own_handshake();
    if (!out_.empty() && !std::exchange(awake_, true))
      to_wake = engine_.lock();
  }
  if (to_wake != nullptr)
    to_wake->wake();
  return code;
}

ec link::receive_handshake(std::span<const std::byte> input, size_t& consumed) {
  consumed = 0;
  while (authenticator_ != nullptr && !authenticator_->done()) {
    size_t size = 0;
    if (auto code = authenticate(input.subspan(consumed), size); code != ec::none)
      return code;
    consumed += size;
    counters::add(received_.bytes, size);
  }
  auto hello = handshake{};
  size_t size = 0;
  if (auto code = read_handshake(input.subspan(consumed), options_.bounds, hello, size);
      code != ec::none)
    return code;
  if (authenticator_ != nullptr && hello.epoch != authenticator_->peer_epoch())
    return ec::wrong_epoch;
  authenticator_ = nullptr;
  if (recording_ != nullptr)
    recording_->write(stream_direction::received, input.subspan(consumed, size));
  consumed += size;
  auto options = session_options{};
  options.peer_registry_hash = hello.registry_hash;
  options.bounds = options_.bounds;
  options.handles = this;
  rx_frames_.emplace(hello.epoch, 1); // the handshake was frame 0
  rx_.emplace(options_.types, options);
  peer_is_self_ = hello.node == system_.node();
  counters::add(received_.bytes, size);
  {
    std::lock_guard guard{mutex_};
    peer_ = hello.node;
    peer_max_frame_bytes_
      = static_cast<size_t>(std::min<uint64_t>(hello.max_frame_bytes, largest_body));
    tx_.emplace(options_.types, options);
  }
  // Only a connecting side asks for an actor: nobody fetches the result of the other one, which would
  // keep the actor, and the actor this link.
  if (published_ != nullptr)
    hello.published = 0;
  auto result = link_result{};
  result.interface = std::move(hello.interface);
  result.is_self = peer_is_self_;
  if (peer_is_self_ && hello.published != 0)
    result.local_id = static_cast<caf::actor_id>(hello.published);
  else if (!peer_is_self_ && hello.published != 0)
    result.published = find_remote(hello.published);
  if (!peer_is_self_ && hello.services != 0) {
    auto services = find_remote(hello.services);
    std::lock_guard guard{mutex_};
    services_ = std::move(services);
  }
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
    // The requester must not wait for an answer that cannot come.
    counters::add(received_.errors, 1);
    metrics_->decode_error(rx_->last_error());
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

bool link::take_pending(uint64_t source, caf::message_id id, bool answered) {
  pending_request taken; // destroyed without holding the lock
  {
    std::lock_guard guard{mutex_};
    auto i = pending_.find({source, id.request_id().integer_value()});
    if (i == pending_.end())
      return false;
    taken = std::move(i->second);
    pending_.erase(i);
  }
  if (answered && taken.sent_at)
    metrics_->response_time(std::chrono::steady_clock::now() - *taken.sent_at);
  return true;
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
  export_table::removed gone; // destroyed without holding the lock
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

void link::add_to(link_statistics& sum) const {
  constexpr auto order = std::memory_order_relaxed;
  sum.messages_sent += sent_.messages.load(order);
  sum.messages_received += received_.messages.load(order);
  sum.bytes_sent += sent_.bytes.load(order);
  sum.bytes_received += received_.bytes.load(order);
  sum.frames_sent += sent_.frames.load(order);
  sum.frames_received += received_.frames.load(order);
  sum.definitions_sent += sent_.definitions.load(order);
  sum.failed_handshakes += received_.failed_handshakes.load(order);
  sum.encode_errors += sent_.errors.load(order);
  sum.decode_errors += received_.errors.load(order);
  sum.refused += sent_.refused.load(order);
  {
    std::lock_guard guard{mutex_};
    sum.bytes_buffered += bytes_waiting();
    sum.open_links += tx_ && !closed_ ? 1 : 0;
    // Both under the lock, so that the difference never falls.
    sum.manifest_hits += sent_.messages.load(order) - sent_.defining.load(order);
    sum.exported_actors += exports_.size();
  }
  sum.undeliverable += received_.undeliverable.load(order);
  sum.recording_errors += recording_ != nullptr && recording_->failed() ? 1 : 0;
  sum.remote_actors += proxies_.size();
}

// -- handle_codec ---------------------------------------------------------------------------------

ec link::save(serializer& f, const caf::strong_actor_ptr& handle) {
  auto [key, of_peer] = key_of(handle);
  auto relayed = (key & relayed_bit) != 0;
  auto tag = relayed ? (of_peer ? handle_tag::relayed_by_reader : handle_tag::relayed_by_writer)
                     : (of_peer ? handle_tag::of_reader : handle_tag::of_writer);
  if (!of_peer)
    exports_.mention(key, handle);
  if (!f.byte(static_cast<uint8_t>(tag)) || !f.varint(key & ~relayed_bit))
    return f.code();
  if (tag == handle_tag::relayed_by_writer)
    if (!f.apply(handle->nid) || !f.apply(uint64_t{handle->id()}))
      return f.code();
  return ec::none;
}

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
