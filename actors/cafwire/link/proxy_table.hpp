// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/actor_control_block.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// What stands for the actors of the peer of a link on this node, by their keys. Keeps proxies
/// alive for as long as somebody may use them: whoever has a handle or an address, observes the
/// actor, or is linked to it. Belongs to the thread that receives, except for `size`.
class proxy_table {
public:
  using value_type = std::pair<uint64_t, caf::strong_actor_ptr>;

  /// Returns a proxy, or `nullptr`.
  caf::strong_actor_ptr find(uint64_t key);

  /// Adds a proxy.
  void put(uint64_t key, caf::strong_actor_ptr what);

  /// Removes a proxy and returns it, or `nullptr`.
  caf::strong_actor_ptr take(uint64_t key);

  /// Removes everything.
  std::vector<value_type> take_all();

  /// Removes those proxies that nobody else knows. Takes a few nanoseconds per proxy.
  std::vector<value_type> take_unused();

  /// Returns whether the table has doubled since `take_unused` was called, which makes another call
  /// worthwhile.
  bool has_grown() const noexcept {
    return proxies_.size() >= next_check_;
  }

  /// Thread-safe.
  size_t size() const noexcept {
    return size_.load(std::memory_order_relaxed);
  }

private:
  static constexpr size_t first_check = 1024;

  struct recent {
    uint64_t key = 0;
    caf::actor_control_block* what = nullptr;
  };

  recent& recent_of(uint64_t key) noexcept {
    return recent_[key % recent_.size()];
  }

  void update_size() noexcept {
    size_.store(proxies_.size(), std::memory_order_relaxed);
  }

  std::unordered_map<uint64_t, caf::strong_actor_ptr> proxies_;
  /// The last few proxies, which are those that most messages come from. All of them are in
  /// `proxies_`.
  std::array<recent, 16> recent_;
  size_t next_check_ = first_check;
  std::atomic<size_t> size_{0};
};

} // namespace cafwire::detail
