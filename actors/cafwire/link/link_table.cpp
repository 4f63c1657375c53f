// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/link_table.hpp"

#include <caf/actor_config.hpp>
#include <caf/exit_reason.hpp>
#include <caf/io/middleman.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <utility>

namespace cafwire::detail {

void end_brokers(caf::actor_system& sys, const std::vector<caf::actor>& brokers) {
  caf::scoped_actor self{sys};
  for (auto& x : brokers)
    self->send_exit(x, caf::exit_reason::user_shutdown);
  self->wait_for(brokers);
}

link_table::link_table(caf::actor_system& sys, link_options options)
  : system_(sys), options_(std::move(options)) {
  // nop
}

link_ptr link_table::spawn(caf::io::scribe_ptr scribe, scribe_origin origin,
                           std::shared_ptr<published_actor> published) {
  auto what = std::make_shared<link>(system_, options_, std::move(published), weak_from_this());
  caf::actor broker;
  {
    // Under the lock, so that the broker cannot terminate before it is in the table.
    std::lock_guard guard{mutex_};
    if (closed_)
      return nullptr;
    caf::actor_config cfg{&system_.middleman().backend()};
    broker = system_.spawn_class<link_broker, caf::hidden>(cfg, what, std::move(scribe), origin,
                                                           options_.bounds);
    links_.push_back({what, broker});
  }
  broker->attach_functor([weak = weak_from_this(), ptr = what.get()] {
    if (auto self = weak.lock())
      self->remove(ptr);
  });
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
}

void link_table::close() {
  std::vector<caf::actor> brokers;
  {
    std::lock_guard guard{mutex_};
    closed_ = true;
    for (auto& x : links_)
      brokers.push_back(x.broker);
  }
  end_brokers(system_, brokers);
}

void link_table::end(const link_ptr& what) {
  caf::actor broker;
  {
    std::lock_guard guard{mutex_};
    auto i = std::find_if(links_.begin(), links_.end(), [&](auto& x) { return x.what == what; });
    if (i != links_.end())
      broker = i->broker;
  }
  if (broker)
    caf::anon_send_exit(broker, caf::exit_reason::user_shutdown);
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
