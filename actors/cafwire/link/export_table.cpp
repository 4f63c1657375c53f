// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/export_table.hpp"

#include <algorithm>

namespace cafwire::detail {

caf::strong_actor_ptr export_table::find(uint64_t key) const {
  auto i = entries_.find(key);
  return i != entries_.end() ? i->second.handle : nullptr;
}

uint64_t export_table::relay_key(const caf::strong_actor_ptr& actor) {
  auto [i, is_new] = relayed_.try_emplace(actor.get(), 0);
  if (is_new)
    i->second = ++last_number_ | relayed_bit;
  return i->second;
}

void export_table::commit(uint64_t record) {
  for (auto& [key, actor] : mentions_)
    touch(key, actor, record);
  mentions_.clear();
}

std::vector<std::pair<uint64_t, caf::strong_actor_ptr>> export_table::roll_back() {
  for (auto& [key, actor] : mentions_)
    if (!entries_.contains(key))
      forget_relay(key, actor);
  return std::exchange(mentions_, {});
}

void export_table::touch(uint64_t key, const caf::strong_actor_ptr& actor, uint64_t record) {
  if (latest_.first != key || latest_.second == nullptr) {
    auto [i, is_new] = entries_.try_emplace(key);
    if (is_new) {
      i->second.handle = actor;
      unknown_.insert(key);
      // Another record may have been rolled back, or the actor released, since it got its key.
      if ((key & relayed_bit) != 0)
        relayed_.try_emplace(actor.get(), key);
    }
    latest_ = {key, &i->second};
  }
  latest_.second->last_mention = record;
}

bool export_table::monitor(uint64_t key) {
  auto i = entries_.find(key);
  if (i == entries_.end() || std::exchange(i->second.monitored, true))
    return false;
  unknown_.erase(key);
  return true;
}

export_table::removed export_table::release(uint64_t key, uint64_t seen) {
  auto i = entries_.find(key);
  return i != entries_.end() && i->second.last_mention <= seen ? erase(i) : removed{};
}

std::vector<export_table::removed> export_table::release_unknown(uint64_t seen) {
  std::vector<removed> result;
  if (seen <= std::exchange(last_seen_, std::max(last_seen_, seen)))
    return result;
  std::vector<uint64_t> keys;
  for (auto key : unknown_)
    if (entries_.find(key)->second.last_mention <= seen)
      keys.push_back(key);
  for (auto key : keys)
    result.push_back(erase(key));
  return result;
}

export_table::removed export_table::erase(uint64_t key) {
  auto i = entries_.find(key);
  return i != entries_.end() ? erase(i) : removed{};
}

std::vector<export_table::removed> export_table::clear() {
  std::vector<removed> result;
  result.reserve(entries_.size());
  while (!entries_.empty())
    result.push_back(erase(entries_.begin()));
  relayed_.clear();
  return result;
}

void export_table::forget_relay(uint64_t key, const caf::strong_actor_ptr& actor) {
  if (auto i = relayed_.find(actor.get()); i != relayed_.end() && i->second == key)
    relayed_.erase(i);
}

export_table::removed export_table::erase(map_type::iterator pos) {
  auto result = removed{std::move(pos->second.handle), pos->second.monitored};
  forget_relay(pos->first, result.handle);
  if (latest_.first == pos->first)
    latest_ = {0, nullptr};
  if (!result.monitored)
    unknown_.erase(pos->first);
  entries_.erase(pos);
  return result;
}

} // namespace cafwire::detail
