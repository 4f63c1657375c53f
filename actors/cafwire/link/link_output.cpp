// This file is part of cafwire. See the file LICENSE for license terms.

// What a link sends: records are appended by the threads of their senders, under the lock of the
// link, and taken by the engine. See `link_encoding.cpp` for what they look like.

#include "cafwire/link/link.hpp"

#include "cafwire/link/bounce.hpp"
#include "cafwire/link/link_metrics.hpp"
#include "cafwire/link/unlocked_handles.hpp"

#include <utility>

namespace cafwire::detail {

thread_local link::thread_state link::this_thread;

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
    if (refused)
      counters::add(sent_.refused, 1);
    else
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
    large_types_ = code == ec::none && payload.size() >= frame_queue::large_bytes
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
  if (frames_.empty() || std::exchange(awake_, true))
    return nullptr;
  return engine_.lock();
}

void link::when_writable(caf::strong_actor_ptr whom, caf::message what) {
  std::vector<waiting_writer> ready;
  {
    std::lock_guard guard{mutex_};
    writers_.push_back({std::move(whom), std::move(what)});
    if (closed_ || frames_.bytes_waiting() < options_.max_buffered_bytes)
      ready.swap(writers_);
  }
  tell(std::move(ready));
}

std::vector<link::waiting_writer> link::take_writers() {
  if (frames_.bytes_waiting() > options_.max_buffered_bytes / 2)
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
         && frames_.bytes_waiting() >= options_.max_buffered_bytes;
}

void link::refuse(const record& rec) {
  if (rec.head.id.is_request())
    bounce(rec.what->sender, rec.head.id, caf::error{ec::buffer_full});
  else if (options_.on_refused)
    options_.on_refused(rec.what->payload);
}

bool link::take_output(output_buffer& out) {
  std::vector<waiting_writer> ready;
  auto result = false;
  size_t unrecorded = 0;
  {
    std::lock_guard guard{mutex_};
    frames_.written();
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
  if (!frames_.has_sealed())
    close_frame();
  if (frames_.empty()) {
    awake_ = false;
    return false;
  }
  frames_.take(out, pool_);
  if (auto messages = sent_.messages.load(std::memory_order_relaxed); messages > messages_taken_)
    metrics_->wrote(messages - std::exchange(messages_taken_, messages));
  counters::add(sent_.bytes, out.size());
  return true;
}

void link::close_frame() {
  if (frames_.close())
    counters::add(sent_.frames, 1);
}

void link::release_memory() {
  pool_.clear();
  std::lock_guard guard{mutex_};
  frames_.release_memory();
}

} // namespace cafwire::detail
