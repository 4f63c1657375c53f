// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_table.hpp"

#include <algorithm>
#include <utility>

namespace cafwire::detail {

link_table::link_table(caf::actor_system& sys, std::chrono::milliseconds metrics_interval)
  : system_(sys),
    loop_(std::make_shared<event_loop>(sys)),
    metrics_(std::make_shared<link_metrics>(sys)),
    metrics_interval_(metrics_interval) {
  // nop
}

link_ptr link_table::spawn(tcp_socket connection, std::shared_ptr<published_actor> published,
                           const link_options& options) {
  auto what = std::make_shared<link>(system_, options, std::move(published), weak_from_this(),
                                     metrics_);
  auto on_closed = [weak = weak_from_this(), ptr = what.get()] {
    if (auto self = weak.lock())
      self->remove(ptr);
  };
  auto engine = std::make_shared<link_socket>(system_, loop_, std::move(connection), what,
                                              options.bounds, std::move(on_closed));
  std::lock_guard guard{mutex_};
  if (closed_)
    return nullptr;
  links_.push_back({what, engine});
  engine->start();
  start_ticker();
  return what;
}

void link_table::remove(const link* what) {
  entry gone; // destroyed without holding the lock
  std::lock_guard guard{mutex_};
  auto i = std::find_if(links_.begin(), links_.end(),
                        [what](auto& x) { return x.what.get() == what; });
  if (i == links_.end())
    return;
  gone = std::move(*i);
  links_.erase(i);
  gone.what->add_to(ended_);
  removed_.notify_all();
}

void link_table::close() {
  std::unique_lock guard{mutex_};
  closed_ = true;
  for (auto& x : links_)
    x.socket->shut_down();
  removed_.wait(guard, [this] { return links_.empty(); });
  guard.unlock();
  loop_->stop();
  update_metrics();
}

void link_table::end(const link_ptr& what) {
  std::lock_guard guard{mutex_};
  auto i = std::find_if(links_.begin(), links_.end(), [&](auto& x) { return x.what == what; });
  if (i != links_.end())
    i->socket->shut_down();
}

void link_table::start_ticker() {
  if (metrics_interval_ <= std::chrono::milliseconds{0})
    return;
  if (ticker_ == nullptr)
    ticker_ = std::make_shared<ticker>(loop_, metrics_interval_, [weak = weak_from_this()] {
      auto self = weak.lock();
      if (self == nullptr)
        return;
      self->update_metrics();
      std::lock_guard guard{self->mutex_};
      if (self->links_.empty())
        self->ticker_->stop();
    });
  ticker_->start();
}

void link_table::update_metrics() {
  std::lock_guard guard{metrics_mutex_};
  metrics_->update(statistics());
}

caf::strong_actor_ptr link_table::find_exported_to(const caf::node_id& peer, uint64_t id) const {
  std::vector<link_ptr> candidates;
  {
    std::lock_guard guard{mutex_};
    for (auto& x : links_)
      candidates.push_back(x.what);
  }
  for (auto& x : candidates)
    if (auto result = x->find_exported_to(peer, id))
      return result;
  return nullptr;
}

link_statistics link_table::statistics() const {
  std::lock_guard guard{mutex_};
  auto result = ended_;
  for (auto& x : links_)
    x.what->add_to(result);
  return result;
}

} // namespace cafwire::detail
