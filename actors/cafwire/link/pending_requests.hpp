// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/actor_control_block.hpp>
#include <caf/message_id.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

namespace cafwire::detail {

/// A request that the peer of a link has not answered yet.
struct pending_request {
  caf::strong_actor_ptr source;
  caf::message_id id;
  /// When it was sent; nothing for most requests.
  std::optional<std::chrono::steady_clock::time_point> sent_at;
};

/// Requests that the peer of a link has not answered yet. Not thread-safe.
class pending_requests {
public:
  /// Adds a request.
  /// @param key what the peer knows the source by.
  void add(uint64_t key, caf::strong_actor_ptr source, caf::message_id id) {
    auto request = pending_request{std::move(source), id, std::nullopt};
    if (num_added_++ % requests_per_measurement == 0)
      request.sent_at = std::chrono::steady_clock::now();
    entries_.insert_or_assign(entry_key{key, id.request_id().integer_value()}, std::move(request));
  }

  /// Removes a request.
  /// @param id that of the request or of its response.
  /// @returns nothing if there is none. To be destroyed without holding locks.
  [[nodiscard]] std::optional<pending_request> take(uint64_t key, caf::message_id id) {
    auto i = entries_.find({key, id.request_id().integer_value()});
    if (i == entries_.end())
      return std::nullopt;
    auto result = std::optional{std::move(i->second)};
    entries_.erase(i);
    return result;
  }

  /// Calls a function for each request.
  template <class Fn>
  void for_each(Fn fn) const {
    for (auto& [key, request] : entries_)
      fn(request);
  }

private:
  /// Looking at the clock takes time: that of each request would show.
  static constexpr size_t requests_per_measurement = 16;

  using entry_key = std::pair<uint64_t, uint64_t>;

  struct hash {
    size_t operator()(const entry_key& x) const noexcept {
      return std::hash<uint64_t>{}(x.first * 0x9e3779b97f4a7c15u ^ x.second);
    }
  };

  std::unordered_map<entry_key, pending_request, hash> entries_;
  size_t num_added_ = 0;
};

} // namespace cafwire::detail
