// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cafwire/wire/output_buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cafwire::bench {

/// A piece of memory that an operation uses.
struct memory_range {
  const void* begin;
  size_t size;
};

template <class T>
memory_range range_of(const T& object) {
  return {&object, sizeof(T)};
}

/// Returns whether a program that reads `x` and writes `y` in turn is slowed down by where they
/// are.
///
/// Processors compare the lower twelve bits of addresses to find loads that depend on earlier
/// stores. Loads that match by accident wait: a copy of 64 bytes takes ten nanoseconds in place of
/// one, and copies of 1 KiB to 1 MiB are slower by a third on Zen 5, up to 28 times on Zen 4 with
/// glibc 2.36, when the target lies 1 to 63 bytes ahead of the source modulo 4096.
bool is_unlucky(memory_range x, memory_range y) noexcept;

/// Takes the luck out of memory placement: which contender gets an unlucky block from `malloc` is
/// an accident. Creates an object again until its memory lies well, and gives up after a few
/// attempts: what a contender's own layout makes inevitable stays visible.
template <class T>
class placement {
public:
  /// @param num_bytes how much memory behind `data()` of the object is used. Blocks of more than 4
  /// MiB
  ///        are taken as they come, because the effect does not exist for them.
  /// @param others what else the operation uses.
  /// @param make returns a new object.
  template <class Make>
  placement(size_t num_bytes, std::vector<memory_range> others, Make make) {
    others.push_back(range_of(object_));
    auto attempts = num_bytes <= size_t{4} << 20 ? 16 : 0;
    object_.emplace(make());
    auto unlucky = [&](memory_range other) {
      return is_unlucky(other, {object_->data(), num_bytes});
    };
    while (attempts-- > 0 && std::any_of(others.begin(), others.end(), unlucky)) {
      // A block that is still in use cannot be handed out again, and the block behind it moves the
      // next candidate to another place in its page.
      rejected_.push_back(std::move(*object_));
      spacers_.emplace_back(size_t{1040});
      object_.emplace(make());
    }
  }

  T& get() noexcept {
    return *object_;
  }

  /// Destroys the object, so that the next request for as much memory gets the same place.
  void vacate() {
    object_.reset();
  }

private:
  std::optional<T> object_;
  std::vector<T> rejected_;
  std::vector<std::vector<std::byte>> spacers_;
};

/// Reserves an output buffer for a message of `num_bytes` bytes.
inline output_buffer make_output_buffer(size_t num_bytes) {
  output_buffer result;
  // Without memory the benchmark reports an error when it encodes.
  static_cast<void>(result.reserve(num_bytes));
  return result;
}

} // namespace cafwire::bench
