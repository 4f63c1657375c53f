// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_reader.hpp"

#include <utility>

namespace cafwire::detail {

namespace {

/// Records that are handled before their receivers get a turn: enough to make a turn worthwhile,
/// few enough to find them in the cache then.
constexpr size_t records_per_turn = 128;

/// The same for frames: what they hold takes several times as much memory once it is decoded, and
/// should still be in the cache of the processor when the receivers get to it.
constexpr size_t bytes_per_turn = size_t{64} << 10;

/// A slow receiver of bytes makes the sender wait: no more than this waits in memory.
constexpr size_t max_waiting_bytes = size_t{4} << 20;

/// Frames of not more than this are handled in the thread that has read them.
constexpr size_t max_direct_bytes = 512;

/// Remote actors that are worth looking at with each call of `release_actors`. More are looked at
/// less often.
constexpr size_t actors_per_call = size_t{64} << 10;

constexpr size_t kept_buffers = 4;

/// Large frames come in a row: their buffers are worth keeping until the link is idle.
constexpr size_t max_kept_bytes = size_t{16} << 20;

} // namespace

link_reader::link_reader(caf::actor_system& sys, link_ptr what, std::shared_ptr<link_engine> engine)
  : system_(sys),
    link_(std::move(what)),
    engine_(std::move(engine)),
    pool_(std::make_shared<buffer_pool>(kept_buffers, max_kept_bytes)),
    context_(sys) {
  // nop
}

link_reader::~link_reader() = default;

bool link_reader::push(output_buffer frames) {
  auto size = frames.size();
  auto wakes = false;
  auto pauses = false;
  {
    std::lock_guard guard{queue_mutex_};
    waiting_bytes_ += size;
    waiting_.push_back(std::move(frames));
    wakes = !std::exchange(active_, true);
    if (waiting_bytes_ > max_waiting_bytes)
      pauses = !std::exchange(paused_, true);
  }
  if (wakes && (size > max_direct_bytes || take_turn(nullptr)))
    schedule_in(system_);
  return !pauses;
}

void link_reader::finish(ec reason) {
  auto wakes = false;
  {
    std::lock_guard guard{queue_mutex_};
    if (end_ == ec::none)
      end_ = reason;
    wakes = !std::exchange(active_, true);
  }
  if (wakes)
    schedule_in(system_);
}

void link_reader::close(const caf::error& reason) {
  std::lock_guard guard{run_mutex_};
  closed_ = true;
  link_->close(reason);
}

void link_reader::release_memory() {
  pool_->clear();
  if (std::unique_lock guard{run_mutex_, std::try_to_lock}; guard)
    if (rest_.empty() && !link_->in_frame() && current_.owner != nullptr) {
      link_->input_owner(nullptr);
      current_ = {};
    }
}

bool link_reader::release_actors() {
  auto size = link_->remote_actors();
  if (size == 0)
    return false;
  // It takes time to look at all of them.
  if (skipped_calls_ < size / actors_per_call) {
    ++skipped_calls_;
    return true;
  }
  skipped_calls_ = 0;
  releases_actors_ = true;
  if (std::unique_lock guard{run_mutex_, std::try_to_lock}; guard && !closed_)
    if (releases_actors_.exchange(false))
      link_->release_unused();
  return link_->remote_actors() > 0;
}

bool link_reader::run(compat::context& where) {
  return take_turn(&where);
}

bool link_reader::take_turn(compat::context* where) {
  auto end = ec::none;
  {
    std::lock_guard guard{run_mutex_};
    if (closed_)
      return false;
    end = receive_some();
    context_.release(where);
    if (end == ec::none) {
      if (link_->in_frame() || !rest_.empty())
        return true;
      std::lock_guard queue_guard{queue_mutex_};
      if (!waiting_.empty())
        return true;
      active_ = false;
      end = std::exchange(end_, ec::none);
    }
  }
  if (end != ec::none)
    engine_->end(end);
  return false;
}

ec link_reader::receive_some() {
  if (releases_actors_.load(std::memory_order_relaxed) && releases_actors_.exchange(false))
    link_->release_unused();
  auto code = ec::none;
  size_t bytes = 0;
  for (auto limit = records_per_turn; limit > 0 && code == ec::none;) {
    if (!link_->in_frame()) {
      if (bytes >= bytes_per_turn || (rest_.empty() && !next_buffer()))
        break;
      bytes += next_frame(code);
    }
    if (code == ec::none)
      code = link_->receive_records(context_, limit);
  }
  return code;
}

size_t link_reader::next_frame(ec& code) {
  size_t consumed = 0;
  code = link_->begin_frame(rest_, consumed);
  rest_ = rest_.subspan(consumed);
  return consumed;
}

bool link_reader::next_buffer() {
  output_buffer next;
  auto resumes = false;
  {
    std::lock_guard guard{queue_mutex_};
    if (waiting_.empty())
      return false;
    next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= next.size();
    if (paused_ && waiting_bytes_ <= max_waiting_bytes / 2) {
      paused_ = false;
      resumes = true;
    }
  }
  if (resumes)
    engine_->resume_input();
  // Whoever lets go of the buffer last, the reader or a view, gives its memory back.
  current_ = share(std::move(next), pool_);
  rest_ = current_.bytes;
  link_->input_owner(current_.owner);
  return true;
}

} // namespace cafwire::detail
