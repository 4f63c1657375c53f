// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/allowed_unsafe_message_type.hpp>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace cafwire {

/// Bytes together with whoever keeps them alive. Reading from such input lets `array_view`s point
/// into it. May be an element of messages between actors of one process.
struct shared_bytes {
  /// Keeps `bytes` alive and unchanged. Empty if nobody does: then views copy.
  std::shared_ptr<const void> owner;

  std::span<const std::byte> bytes;
};

/// Turns a buffer into shared bytes. Allocates once; does not copy the content.
inline shared_bytes share(output_buffer&& buffer) {
  auto owner = std::make_shared<const output_buffer>(std::move(buffer));
  auto bytes = owner->bytes();
  return {std::move(owner), bytes};
}

/// The same for a buffer of a pool: it goes back when nobody needs the bytes any more.
shared_bytes share(output_buffer&& buffer, std::shared_ptr<buffer_pool> pool);

/// An array that cannot be changed and shares its memory with its copies. Reads like a vector and
/// has the same encoding, but when it is read from shared bytes, it points into the input instead
/// of copying the elements: opening a view of a gigabyte costs as much as one of a kilobyte.
///
/// Always valid: the elements are aligned, live as long as the view or any copy of it, and are
/// values that their `inspect` overload accepts. Where the input cannot be used as it is, reading
/// makes a copy that the view owns. Copying a view is cheap and never fails. Thread-safe as a
/// `std::shared_ptr` is: different views of one array may be used in different threads.
///
/// A view into the input keeps all of the input alive.
template <class T>
class array_view {
public:
  static_assert(std::is_same_v<T, std::remove_cv_t<T>>, "cafwire: views are constant in any case");

  static_assert(!std::is_same_v<T, bool>,
                "cafwire: there is no view of bits; use std::vector<bool> or array_view<uint8_t>");

  // -- member types, as a container has them ------------------------------------------------------

  using value_type = T;

  using size_type = size_t;

  using difference_type = ptrdiff_t;

  using reference = const T&;

  using const_reference = const T&;

  using iterator = const T*;

  using const_iterator = const T*;

  // -- construction -------------------------------------------------------------------------------

  /// Creates an empty view.
  array_view() noexcept = default;

  /// Takes a vector over.
  explicit array_view(std::vector<T> xs) {
    if (xs.empty())
      return;
    auto owner = std::make_shared<const std::vector<T>>(std::move(xs));
    first_ = owner->data();
    size_ = owner->size();
    owner_ = std::move(owner);
  }

  /// Views elements that `owner` keeps alive and unchanged.
  array_view(std::shared_ptr<const void> owner, std::span<const T> elements) noexcept
    : owner_(std::move(owner)), first_(elements.data()), size_(elements.size()) {
    // nop
  }

  // -- elements -----------------------------------------------------------------------------------

  const T* data() const noexcept {
    return first_;
  }

  size_t size() const noexcept {
    return size_;
  }

  bool empty() const noexcept {
    return size_ == 0;
  }

  const T* begin() const noexcept {
    return first_;
  }

  const T* end() const noexcept {
    return first_ + size_;
  }

  /// @pre `i < size()`
  const T& operator[](size_t i) const noexcept {
    assert(i < size_);
    return first_[i];
  }

  /// @pre `!empty()`
  const T& front() const noexcept {
    return (*this)[0];
  }

  /// @pre `!empty()`
  const T& back() const noexcept {
    return (*this)[size_ - 1];
  }

  /// Returns the elements. The result does not keep them alive.
  std::span<const T> span() const noexcept {
    return {first_, size_};
  }

  /// Copies the elements.
  std::vector<T> to_vector() const {
    return {begin(), end()};
  }

  /// Returns what keeps the elements alive.
  const std::shared_ptr<const void>& owner() const noexcept {
    return owner_;
  }

private:
  std::shared_ptr<const void> owner_;
  const T* first_ = nullptr;
  size_t size_ = 0;
};

/// Compares the elements.
template <class T>
bool operator==(const array_view<T>& xs, const array_view<T>& ys) {
  return std::equal(xs.begin(), xs.end(), ys.begin(), ys.end());
}

/// For CAF's own inspectors, which see a list.
template <class Inspector, class T>
bool inspect(Inspector& f, array_view<T>& xs) {
  if constexpr (Inspector::is_loading) {
    std::vector<T> elements;
    if (!f.list(elements))
      return false;
    xs = array_view<T>{std::move(elements)};
    return true;
  } else {
    return f.list(xs);
  }
}

} // namespace cafwire

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(cafwire::shared_bytes)
