// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/actor_control_block.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// Marks the keys of actors of third nodes. Those of other actors are their IDs.
inline constexpr uint64_t relayed_bit = uint64_t{1} << 63;

/// The actors that the peer of a link may talk to: actors of this node, and actors of third nodes
/// that this node relays messages to. Keeps them alive until the peer says that it has no handle
/// left. Each is known by a key: that of an actor of this node is its ID, that of another one is a
/// number of this table, never used again, with `relayed_bit`.
///
/// An actor becomes known by being mentioned in a record. Because records are on their way while
/// the peer lets go of a handle, each entry holds the number of the last record that mentions it,
/// and the peer says how many records it had seen. Not thread-safe.
class export_table {
public:
  /// What has been removed. To be destroyed without holding locks: it may be the last handle.
  struct removed {
    caf::strong_actor_ptr handle;
    /// Whether the peer wanted to be told about the end of the actor.
    bool monitored = false;
  };

  /// Returns an actor that the peer may talk to, or `nullptr`.
  caf::strong_actor_ptr find(uint64_t key) const;

  size_t size() const noexcept {
    return entries_.size();
  }

  /// Returns the key of an actor of a third node. A new one has no effect without `mention` and
  /// `commit` or `roll_back`; until then the caller keeps the actor alive. Several records that are
  /// being written may have got the same key.
  uint64_t relay_key(const caf::strong_actor_ptr& actor);

  /// Notes that the record that is being written contains a handle.
  void mention(uint64_t key, caf::strong_actor_ptr actor) {
    mentions_.emplace_back(key, std::move(actor));
  }

  /// Makes reachable what the record mentions: the record will be sent.
  /// @param record the number of the record; the first one has the number 1.
  void commit(uint64_t record);

  /// Forgets what the record mentions: it will not be sent.
  /// @returns handles to destroy without holding locks.
  [[nodiscard]] std::vector<std::pair<uint64_t, caf::strong_actor_ptr>> roll_back();

  /// Makes one actor reachable.
  /// @param record the number of the last record that mentions it; 0 for the handshake.
  void touch(uint64_t key, const caf::strong_actor_ptr& actor, uint64_t record);

  /// Notes that the peer wants to be told about the end of an actor.
  /// @returns whether it did not before. Also `false` if there is no such actor.
  bool monitor(uint64_t key);

  /// Removes an actor that the peer has no handle to, unless a record mentions it that the peer has
  /// not seen.
  /// @param seen how many records the peer has seen.
  [[nodiscard]] removed release(uint64_t key, uint64_t seen);

  /// Removes all actors whose end the peer has not asked to be told about, although it has seen all
  /// records that mention them: it could not make sense of these.
  /// @param seen how many records the peer has seen. Has no effect unless this is more than before,
  ///        so that a peer cannot have us search without end.
  [[nodiscard]] std::vector<removed> release_unknown(uint64_t seen);

  /// Removes an actor.
  [[nodiscard]] removed erase(uint64_t key);

  /// Removes all actors.
  [[nodiscard]] std::vector<removed> clear();

private:
  struct entry {
    caf::strong_actor_ptr handle;
    uint64_t last_mention = 0;
    bool monitored = false;
  };

  using map_type = std::unordered_map<uint64_t, entry>;

  removed erase(map_type::iterator pos);

  /// Forgets the key of an actor of a third node, unless it has got another one.
  void forget_relay(uint64_t key, const caf::strong_actor_ptr& actor);

  map_type entries_;
  /// Keys of actors of third nodes that are entries, or mentioned in a record that is being
  /// written.
  std::unordered_map<const caf::actor_control_block*, uint64_t> relayed_;
  /// Actors whose end the peer has not asked to be told about. A peer that gets a handle does so at
  /// once, so these are few.
  std::unordered_set<uint64_t> unknown_;
  uint64_t last_seen_ = 0;
  uint64_t last_number_ = 0;
  std::vector<std::pair<uint64_t, caf::strong_actor_ptr>> mentions_;
  /// Most messages come from the actor that has sent the one before.
  std::pair<uint64_t, entry*> latest_{0, nullptr};
};

} // namespace cafwire::detail
