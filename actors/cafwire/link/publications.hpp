// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// What all objects of class `remoting` in this process have published, by actor systems: a system
/// that connects to itself gets the actor itself. Thread-safe.
class publications {
public:
  static publications& instance() {
    static publications result;
    return result;
  }

  void add(const caf::actor_system* where, const caf::actor_addr& whom) {
    std::lock_guard guard{mutex_};
    entries_.emplace_back(where, whom);
  }

  void remove(const caf::actor_system* where, const caf::actor_addr& whom) {
    std::lock_guard guard{mutex_};
    auto i = std::find(entries_.begin(), entries_.end(), std::pair{where, whom});
    if (i != entries_.end())
      entries_.erase(i);
  }

  /// Returns an actor that is published, or `nullptr`.
  caf::strong_actor_ptr find(const caf::actor_system* where, caf::actor_id id) {
    std::lock_guard guard{mutex_};
    for (auto& [system, whom] : entries_)
      if (system == where && whom.id() == id)
        return caf::actor_cast<caf::strong_actor_ptr>(whom);
    return nullptr;
  }

private:
  std::mutex mutex_;
  std::vector<std::pair<const caf::actor_system*, caf::actor_addr>> entries_;
};

} // namespace cafwire::detail
