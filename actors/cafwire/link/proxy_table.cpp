// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/proxy_table.hpp"

#include "cafwire/link/proxy.hpp"

#include <algorithm>

namespace cafwire::detail {

namespace {

/// Returns whether the table has the only reference to a proxy. Nobody can gain another one then,
/// except from the table.
bool is_unused(const caf::strong_actor_ptr& x) {
  // All strong references together hold one weak reference.
  auto is_unknown = [&] { return x->weak_refs.load(std::memory_order_acquire) == 1; };
  if (!is_unknown())
    return false;
  // Whoever has a strong reference can turn it into a weak one, and the other way round. Without
  // strong references, weak ones stay what they are while we look at them.
  auto expected = size_t{1};
  if (!x->strong_refs.compare_exchange_strong(expected, 0, std::memory_order_acq_rel))
    return false;
  auto result = is_unknown() && !static_cast<const proxy*>(x->get())->is_observed();
  x->strong_refs.store(1, std::memory_order_release);
  return result;
}

} // namespace

caf::strong_actor_ptr proxy_table::find(uint64_t key) {
  auto& hit = recent_of(key);
  if (hit.key == key && hit.what != nullptr)
    return caf::strong_actor_ptr{hit.what};
  auto i = proxies_.find(key);
  if (i == proxies_.end())
    return nullptr;
  hit = {key, i->second.get()};
  return i->second;
}

void proxy_table::put(uint64_t key, caf::strong_actor_ptr what) {
  recent_of(key) = {key, what.get()};
  proxies_.insert_or_assign(key, std::move(what));
  update_size();
}

caf::strong_actor_ptr proxy_table::take(uint64_t key) {
  auto i = proxies_.find(key);
  if (i == proxies_.end())
    return nullptr;
  if (auto& hit = recent_of(key); hit.key == key)
    hit = {};
  auto result = std::move(i->second);
  proxies_.erase(i);
  update_size();
  return result;
}

std::vector<proxy_table::value_type> proxy_table::take_all() {
  std::vector<value_type> result{std::make_move_iterator(proxies_.begin()),
                                 std::make_move_iterator(proxies_.end())};
  proxies_.clear();
  recent_ = {};
  update_size();
  return result;
}

std::vector<proxy_table::value_type> proxy_table::take_unused() {
  std::vector<value_type> result;
  for (auto i = proxies_.begin(); i != proxies_.end();) {
    if (is_unused(i->second)) {
      if (auto& hit = recent_of(i->first); hit.key == i->first)
        hit = {};
      result.emplace_back(i->first, std::move(i->second));
      i = proxies_.erase(i);
    } else {
      ++i;
    }
  }
  next_check_ = std::max(first_check, 2 * proxies_.size());
  update_size();
  return result;
}

} // namespace cafwire::detail
