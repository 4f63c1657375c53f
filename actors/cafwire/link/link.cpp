// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link.hpp"

#include "cafwire/link/bounce.hpp"
#include "cafwire/link/exit_watch.hpp"
#include "cafwire/link/link_table.hpp"
#include "cafwire/link/proxy.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace cafwire::detail {

namespace {

uint64_t random_epoch() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

/// How many buffers of large messages to keep, and how large they may be: until the link is idle.
constexpr size_t kept_buffers = 2;
constexpr size_t max_kept_bytes = size_t{16} << 20;

constexpr size_t largest_body = std::numeric_limits<uint32_t>::max() - frame_alignment;

} // namespace

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
    frames_(epoch_, 1, options.frame_bytes) { // the handshake is frame 0
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
      code = authenticator_->start(frames_.buffer());
      authentication_bytes_ = frames_.buffer().size();
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
  if (published_ != nullptr && published_->is_alive()) {
    hello.published = published_->handle->id();
    hello.interface = published_->interface;
  }
  if (auto code = write_handshake(frames_.buffer(), hello); code != ec::none)
    return code;
  if (hello.published != 0)
    exports_.touch(hello.published, published_->handle, 0);
  if (services != nullptr)
    exports_.touch(hello.services, services, 0);
  counters::add(sent_.frames, 1);
  return ec::none;
}

void link::close(caf::error reason) {
  pending_requests pending;
  decltype(writers_) writers;
  std::vector<export_table::removed> exports;
  caf::strong_actor_ptr services;
  {
    std::lock_guard guard{mutex_};
    if (closed_)
      return;
    closed_ = true;
    std::swap(pending, pending_);
    frames_.clear();
    exports = exports_.clear();
    services.swap(services_);
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
  pending.for_each([](auto& request) { bounce(request.source, request.id); });
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

// -- handshake ------------------------------------------------------------------------------------

ec link::authenticate(std::span<const std::byte> input, size_t& consumed) {
  std::shared_ptr<link_engine> to_wake;
  auto code = ec::none;
  {
    std::lock_guard guard{mutex_};
    code = authenticator_->receive(input, consumed, frames_.buffer());
    authentication_bytes_ = frames_.buffer().size();
    // Only now the peer may learn what is here.
    if (code == ec::none && authenticator_->done())
      code = write_own_handshake();
    to_wake = engine_to_wake();
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
  options.keep_unknown_messages = options_.keep_unknown_messages;
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
  // Only a connecting side asks for an actor: nobody fetches the result of the other one, which
  // would keep the actor, and the actor this link.
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

// -- properties -----------------------------------------------------------------------------------

void link::add_to(link_statistics& sum) const {
  constexpr auto order = std::memory_order_relaxed;
  sum.messages_sent += sent_.messages.load(order);
  sum.messages_received += received_.messages.load(order);
  sum.bytes_sent += sent_.bytes.load(order);
  sum.bytes_received += received_.bytes.load(order);
  sum.frames_sent += sent_.frames.load(order);
  sum.frames_received += received_.frames.load(order);
  sum.definitions_sent += sent_.definitions.load(order);
  sum.bytes_saved += sent_.saved.load(order);
  sum.failed_handshakes += received_.failed_handshakes.load(order);
  sum.encode_errors += sent_.errors.load(order);
  sum.decode_errors += received_.errors.load(order);
  sum.refused += sent_.refused.load(order);
  {
    std::lock_guard guard{mutex_};
    sum.bytes_buffered += frames_.bytes_waiting();
    sum.open_links += tx_ && !closed_ ? 1 : 0;
    // Both under the lock, so that the difference never falls.
    sum.manifest_hits += sent_.messages.load(order) - sent_.defining.load(order);
    sum.exported_actors += exports_.size();
  }
  sum.undeliverable += received_.undeliverable.load(order);
  sum.recording_errors += recording_ != nullptr && recording_->failed() ? 1 : 0;
  sum.remote_actors += proxies_.size();
}

} // namespace cafwire::detail
