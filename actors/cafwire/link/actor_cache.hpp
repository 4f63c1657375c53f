// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/actor_control_block.hpp>

#include <array>
#include <cstdint>
#include <utility>

namespace cafwire::detail {

/// Remembers the last few actors, which are those that most messages are for. Not thread-safe.
class actor_cache {
public:
  /// Returns the actor with a key, or `nullptr` if it is not among the last ones.
  caf::strong_actor_ptr* find(uint64_t key) noexcept {
    auto& entry = entries_[key % entries_.size()];
    return entry.key == key && entry.actor != nullptr ? &entry.actor : nullptr;
  }

  void put(uint64_t key, caf::strong_actor_ptr actor) {
    entries_[key % entries_.size()] = {key, std::move(actor)};
  }

  void erase(uint64_t key) {
    if (find(key) != nullptr)
      entries_[key % entries_.size()] = {};
  }

  void clear() {
    entries_ = {};
  }

private:
  struct entry {
    uint64_t key = 0;
    caf::strong_actor_ptr actor;
  };

  std::array<entry, 16> entries_;
};

} // namespace cafwire::detail
