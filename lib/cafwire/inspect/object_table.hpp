// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// The objects behind shared pointers of one message, in the order in which they begin. Keeps them
/// alive, so that no other object takes the address of one that was seen.
class object_table {
public:
  struct entry {
    std::shared_ptr<void> object;
    /// The type of the object, see `type_key`.
    const void* type;
    /// Whether all of the object has been written or read.
    bool complete;
  };

  size_t size() const noexcept {
    return entries_.size();
  }

  entry& operator[](size_t index) noexcept {
    return entries_[index];
  }

  /// Appends an object that begins now.
  size_t add(std::shared_ptr<void> object, const void* type) {
    entries_.push_back({std::move(object), type, false});
    return entries_.size() - 1;
  }

  /// Looks for an object by its address and type; appends it if it is new.
  /// @returns the index, and whether the object is new.
  std::pair<size_t, bool> find_or_add(const void* address, const void* type,
                                      std::shared_ptr<void> owner) {
    auto [i, is_new] = index_.try_emplace(key{address, type}, entries_.size());
    if (is_new)
      add(std::move(owner), type);
    return {i->second, is_new};
  }

private:
  /// An object and its first member may have the same address.
  struct key {
    const void* address;
    const void* type;

    friend bool operator==(const key&, const key&) = default;
  };

  struct hash {
    size_t operator()(const key& x) const noexcept {
      return std::hash<const void*>{}(x.address) * 31 + std::hash<const void*>{}(x.type);
    }
  };

  std::vector<entry> entries_;
  std::unordered_map<key, size_t, hash> index_;
};

} // namespace cafwire::detail
