// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/attachable.hpp>
#include <caf/error.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace cafwire::detail {

/// Waits in an actor for its end, for a peer that wants to know. Can be taken off again: an actor
/// may live much longer than the connections through which it is known.
/// @tparam Owner has a thread-safe function `on_exit(uint64_t, const caf::error&)`.
template <class Owner>
class exit_watch : public caf::attachable {
public:
  /// No type of attachable in CAF has this number.
  static constexpr size_t token_type = 0xcaf317e;

  /// @param key what `on_exit` gets to know.
  exit_watch(std::weak_ptr<Owner> owner, const Owner* owner_key, uint64_t key)
    : owner_(std::move(owner)), owner_key_(owner_key), key_(key) {
    // nop
  }

  static token token_of(const Owner* owner) {
    return {token_type, owner};
  }

  void actor_exited(const caf::error& reason, compat::context*) override {
    if (auto owner = owner_.lock())
      owner->on_exit(key_, reason);
  }

  bool matches(const token& what) override {
    return what.subtype == token_type && what.ptr == owner_key_;
  }

private:
  std::weak_ptr<Owner> owner_;
  /// Only compared.
  const Owner* owner_key_;
  uint64_t key_;
};

} // namespace cafwire::detail
