// This file is part of cafwire. See the file LICENSE for license terms.

// What a link sends: messages are encoded by the threads of their senders.

#include "cafwire/link/link.hpp"

#include "cafwire/codec.hpp"
#include "cafwire/link/bounce.hpp"
#include "cafwire/link/link_metrics.hpp"
#include "cafwire/link/proxy.hpp"
#include "cafwire/wire/append.hpp"

#include <algorithm>
#include <limits>

namespace cafwire::detail {

namespace {

/// A reason with more details than that arrives as `caf::exit_reason::unknown`.
constexpr size_t max_reason_bytes = size_t{16} << 10;

/// Looking at the clock takes time: that of each request would show.
constexpr size_t requests_per_measurement = 16;

/// How far a message may grow beyond the usual size of a frame before it counts as large. Encoding
/// that much takes a few microseconds.
constexpr size_t large_bytes = size_t{64} << 10;

/// Appends bytes behind their number.
bool append_sized(output_buffer& out, const output_buffer& what) {
  return append_varint(out, what.size()) && out.append(what.data(), what.size());
}

} // namespace

thread_local link::thread_state link::this_thread;

class link::unlocked_handles final : public handle_codec {
public:
  /// @param rec receives what is mentioned: in the order of the records, and thus with the lock, it
  ///        becomes known later.
  unlocked_handles(link& owner, record& rec) : owner_(owner), rec_(rec) {
    // nop
  }

  ec save(serializer& f, const caf::strong_actor_ptr& handle) override {
    auto key = owner_.direct_key_of(handle);
    if (!key) {
      std::lock_guard guard{owner_.mutex_};
      key = owner_.key_of(handle);
    }
    if (!key->of_peer)
      rec_.mentions.emplace_back(key->key, handle);
    return write_handle(f, *key, handle);
  }

  ec load(deserializer&, handle_tag, caf::strong_actor_ptr&) override {
    return ec::no_actor_context;
  }

  /// Takes back everything.
  void forget() {
    std::lock_guard guard{owner_.mutex_};
    owner_.add_mentions(rec_);
    owner_.roll_back(rec_);
  }

private:
  link& owner_;
  record& rec_;
};

bool link::send(uint64_t target, caf::mailbox_element_ptr what) {
  auto source = what->sender;
  auto rec = record{};
  rec.head.target = target;
  rec.head.id = what->mid;
  rec.what = std::move(what);
  auto id = rec.head.id;
  if (append(std::move(rec)))
    return true;
  bounce(source, id);
  return false;
}

void link::send_control(link_op op, uint64_t target, caf::strong_actor_ptr source) {
  auto rec = record{};
  rec.head.op = op;
  rec.head.target = target;
  rec.source = std::move(source);
  append(std::move(rec));
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
  auto handles = unlocked_handles{*this, rec};
  auto payload = pool_.acquire();
  // The padding of the frame will go behind it.
  payload.limit(peer_max_frame_bytes_);
  caf::error reason;
  this_thread.encodes = true;
  auto code = tx_->encode_payload(payload, rec.what->payload, &handles, reason);
  this_thread.encodes = false;
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
    add_mentions(rec);
    if (reason.empty())
      reason = append_encoded(rec, payload);
    if (!reason.empty()) {
      roll_back(rec);
      note_failure(rec, reason);
    }
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
  auto is_first = frame_body_size() == 0;
  auto reason = encode(rec, is_large);
  if (!is_first && !reason.empty() && reason == ec::frame_too_large) {
    // It may fit into a frame of its own.
    close_frame();
    if (!open_frame())
      return caf::error{ec::out_of_memory};
    reason = encode(rec, is_large);
  }
  return reason;
}

void link::note_sent(const record& rec, defined_before before) {
  counters::add(sent_.messages, 1);
  auto saved = tx_->definition_bytes_alone(rec.what->payload.types());
  if (auto n = tx_->definitions(); n != before.definitions) {
    counters::add(sent_.definitions, n - before.definitions);
    counters::add(sent_.defining, 1);
    // A reset, or numbers that are larger, can cost a few bytes more.
    saved -= std::min(saved, tx_->definition_bytes() - before.bytes);
  }
  counters::add(sent_.saved, saved);
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
  if (types == large_types_ && types != nullptr) {
    is_large = true;
    return {};
  }
  auto start = out_.size();
  auto before = defined_before{*tx_};
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
    note_sent(rec, before);
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
  auto before = defined_before{*tx_};
  auto reason = append_parts(rec, payload);
  if (!reason.empty()) {
    drop_frame();
    return reason;
  }
  commit(rec);
  counters::add(sent_.frames, 1);
  frame_start_ = std::nullopt;
  out_.unlimit();
  seal(out_);
  seal(payload);
  note_sent(rec, before);
  return {};
}

caf::error link::append_parts(record& rec, output_buffer& payload) {
  if (!append_head(rec))
    return caf::error{ec::out_of_memory};
  if (tx_->write_head(out_, rec.what->payload, payload.size()) != ec::none)
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
  add_mentions(rec);
  auto size = max_record_head_size + rec.body.size();
  if (frame_start_ && frame_body_size() + size > peer_max_frame_bytes_)
    close_frame();
  auto ok = open_frame();
  if (ok) {
    auto start = out_.size();
    ok = append_head(rec) && out_.append(rec.body.data(), rec.body.size());
    if (!ok)
      out_.truncate(start);
  }
  if (!ok) {
    roll_back(rec);
    return caf::error{ec::out_of_memory};
  }
  commit(rec);
  return {};
}

std::optional<link::actor_key> link::direct_key_of(const caf::strong_actor_ptr& actor) const {
  if (actor->nid == system_.node())
    return actor_key{actor->id(), false};
  if (auto* ptr = dynamic_cast<const proxy*>(actor->get()); ptr != nullptr && ptr->owner() == this)
    return actor_key{ptr->key(), true};
  // The peer may know one of its actors through another link, or through CAF's own networking.
  if (actor->nid == peer_)
    return actor_key{actor->id(), true};
  return std::nullopt;
}

link::actor_key link::key_of(const caf::strong_actor_ptr& actor) {
  auto key = direct_key_of(actor);
  return key ? *key : actor_key{exports_.relay_key(actor), false};
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

void link::add_mentions(record& rec) {
  for (auto& [key, actor] : rec.mentions)
    exports_.mention(key, std::move(actor));
  rec.mentions.clear();
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
  auto rec = record{};
  rec.head.op = link_op::down;
  rec.head.target = key;
  auto handles = unlocked_handles{*this, rec};
  output_buffer encoded;
  auto code = without_exceptions([&] {
    serializer f{encoded, &handles, options_.types.get()};
    std::ignore = f.apply(reason);
    return f.code();
  });
  if (code == ec::none && encoded.size() > max_reason_bytes)
    code = ec::frame_too_large;
  if (code != ec::none) {
    handles.forget();
    encoded.clear();
    if (serialize(encoded, caf::error{caf::exit_reason::unknown}) != ec::none)
      return;
  }
  if (append_sized(rec.body, encoded))
    append(std::move(rec));
  else
    handles.forget();
}

void link::send_release(uint64_t key, uint64_t seen) {
  auto rec = record{};
  rec.head.op = link_op::release;
  rec.head.target = key;
  if (append_varint(rec.body, seen))
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

} // namespace cafwire::detail
