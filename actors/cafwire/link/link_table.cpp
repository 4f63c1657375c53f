// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_table.hpp"

#include "cafwire/link/services.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <utility>

namespace cafwire::detail {

link_table::link_table(caf::actor_system& sys, const link_options& options)
  : system_(sys),
    loop_(std::make_shared<event_loop>(sys)),
    metrics_(std::make_shared<link_metrics>(sys)),
    metrics_interval_(options.metrics_interval) {
  if (options.offers_services && system_.node())
    services_ = caf::actor_cast<caf::strong_actor_ptr>(system_.spawn<caf::hidden>(serve_peers));
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
  std::unique_lock guard{mutex_};
  auto i = std::find_if(links_.begin(), links_.end(),
                        [what](auto& x) { return x.what.get() == what; });
  if (i == links_.end())
    return;
  gone = std::move(*i);
  links_.erase(i);
  gone.what->add_to(ended_);
  auto node = gone.what->peer();
  guard.unlock();
  if (node && find(node) == nullptr)
    announce_end_of(node);
  guard.lock();
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
  if (services_ != nullptr)
    services_->get()->enqueue(compat::make_element(nullptr, caf::make_message_id(),
                                                   caf::make_message(caf::exit_msg{
                                                     services_->get()->address(),
                                                     caf::error{caf::exit_reason::user_shutdown}})),
                              nullptr);
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

void link_table::monitor(const caf::node_id& node, const caf::strong_actor_ptr& observer) {
  if (observer == nullptr)
    return;
  {
    std::lock_guard guard{mutex_};
    observers_.push_back({node, caf::actor_cast<caf::actor_addr>(observer)});
  }
  // It may have ended between the two.
  if (find(node) == nullptr)
    announce_end_of(node);
}

void link_table::demonitor(const caf::node_id& node, const caf::actor_addr& observer) {
  std::lock_guard guard{mutex_};
  auto i = std::find_if(observers_.begin(), observers_.end(),
                        [&](auto& x) { return x.node == node && x.who == observer; });
  if (i != observers_.end())
    observers_.erase(i);
}

void link_table::announce_end_of(const caf::node_id& node) {
  std::vector<observer> affected;
  {
    std::lock_guard guard{mutex_};
    std::erase_if(observers_, [&](auto& x) {
      if (x.node != node)
        return false;
      affected.push_back(std::move(x));
      return true;
    });
  }
  for (auto& x : affected)
    if (auto whom = caf::actor_cast<caf::strong_actor_ptr>(x.who))
      whom->get()->enqueue(
        compat::make_element(nullptr, caf::make_message_id(),
                             caf::make_message(caf::node_down_msg{
                               node, caf::error{caf::exit_reason::remote_link_unreachable}})),
        nullptr);
}

link_ptr link_table::find(const caf::node_id& node) const {
  for (auto& x : all_links())
    if (x->is_open() && x->peer() == node)
      return x;
  return nullptr;
}

caf::strong_actor_ptr link_table::find_export(uint64_t id) const {
  for (auto& x : all_links())
    if (auto result = x->find_export(id))
      return result;
  return nullptr;
}

void link_table::take_pending(uint64_t source, caf::message_id id) const {
  for (auto& x : all_links())
    if (x->take_pending(source, id))
      return;
}

std::vector<link_ptr> link_table::all_links() const {
  std::vector<link_ptr> result;
  std::lock_guard guard{mutex_};
  for (auto& x : links_)
    result.push_back(x.what);
  return result;
}

link_statistics link_table::statistics() const {
  std::lock_guard guard{mutex_};
  auto result = ended_;
  for (auto& x : links_)
    x.what->add_to(result);
  return result;
}

} // namespace cafwire::detail
