// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/link.hpp"

#include <mutex>

namespace cafwire::detail {

/// Writes handles while the lock of a link is not held.
class link::unlocked_handles final : public handle_codec {
public:
  /// @param rec receives what is mentioned: in the order of the records, and thus with the lock, it
  ///        becomes known later.
  unlocked_handles(link& owner, record& rec) : owner_(owner), rec_(rec) {
    // nop
  }

  ec save(serializer& f, const caf::strong_actor_ptr& handle) override {
    auto key = owner_.direct_key_of(handle);
    if (!key) {
      std::lock_guard guard{owner_.mutex_};
      key = owner_.key_of(handle);
    }
    if (!key->of_peer)
      rec_.mentions.emplace_back(key->key, handle);
    return write_handle(f, *key, handle);
  }

  ec load(deserializer&, handle_tag, caf::strong_actor_ptr&) override {
    return ec::no_actor_context;
  }

  /// Takes back everything.
  void forget() {
    std::lock_guard guard{owner_.mutex_};
    owner_.add_mentions(rec_);
    owner_.roll_back(rec_);
  }

private:
  link& owner_;
  record& rec_;
};

} // namespace cafwire::detail
