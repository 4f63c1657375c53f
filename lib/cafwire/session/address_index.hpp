// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// Maps addresses to small positive numbers. Most lookups take one multiplication and one
/// comparison: a table with open addressing, linear probing and at least half of it empty. Without
/// entries it owns no memory.
class address_index {
public:
  address_index() noexcept = default;

  address_index(const address_index&) = delete;

  address_index& operator=(const address_index&) = delete;

  /// Returns the number of an address, or 0.
  uint32_t find(const void* key) const noexcept {
    for (auto i = hash(key);; ++i) {
      auto& x = first_[i & mask_];
      if (x.key == key) [[likely]]
        return x.number;
      if (x.key == nullptr)
        return 0;
    }
  }

  /// Adds an address or changes its number. May throw if there is no memory; nothing has changed
  /// then.
  /// @pre `key` is not null.
  void insert(const void* key, uint32_t number) {
    if (2 * (used_ + 1) > entries_.size())
      grow();
    used_ += put(entries_, mask_, key, number) ? 1 : 0;
  }

  /// Forgets all addresses with a number.
  void erase(uint32_t number) noexcept {
    // The keys stay, so that no other key becomes unreachable.
    for (auto& x : entries_)
      if (x.number == number)
        x.number = 0;
  }

  /// Forgets everything. Keeps the memory.
  void clear() noexcept {
    for (auto& x : entries_)
      x = {nullptr, 0};
    used_ = 0;
  }

private:
  struct entry {
    const void* key;
    uint32_t number;
  };

  static size_t hash(const void* key) noexcept {
    // Multiplicative hashing by Knuth, "The Art of Computer Programming", volume 3, section 6.4.
    return static_cast<size_t>((reinterpret_cast<uintptr_t>(key) * 0x9E3779B97F4A7C15) >> 32);
  }

  /// Returns whether the key is new.
  static bool put(std::vector<entry>& entries, size_t mask, const void* key,
                  uint32_t number) noexcept {
    auto i = hash(key) & mask;
    while (entries[i].key != nullptr && entries[i].key != key)
      i = (i + 1) & mask;
    auto is_new = entries[i].key == nullptr;
    entries[i] = {key, number};
    return is_new;
  }

  void grow() {
    constexpr size_t smallest = 8;
    std::vector<entry> bigger(entries_.empty() ? smallest : 2 * entries_.size());
    auto mask = bigger.size() - 1;
    used_ = 0;
    for (auto& x : entries_)
      if (x.number != 0)
        used_ += put(bigger, mask, x.key, x.number) ? 1 : 0;
    entries_ = std::move(bigger);
    first_ = entries_.data();
    mask_ = mask;
  }

  /// What an index without memory looks at.
  static constexpr entry nothing = {nullptr, 0};

  const entry* first_ = &nothing;
  size_t mask_ = 0;
  size_t used_ = 0;
  std::vector<entry> entries_;
};

} // namespace cafwire::detail
