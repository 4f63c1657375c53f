// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>

namespace hostile {

/// Watches `operator new` in the current thread from construction to destruction. Only one at a
/// time.
class allocation_watch {
public:
  allocation_watch();

  allocation_watch(const allocation_watch&) = delete;

  allocation_watch& operator=(const allocation_watch&) = delete;

  ~allocation_watch();

  /// Returns the bytes of the largest request so far.
  size_t largest() const noexcept;
};

/// Makes one allocation of the current thread fail: the one behind the next `skip` ones.
class allocation_failure {
public:
  explicit allocation_failure(size_t skip);

  allocation_failure(const allocation_failure&) = delete;

  allocation_failure& operator=(const allocation_failure&) = delete;

  ~allocation_failure();

  /// Returns whether the allocation has failed by now.
  bool happened() const noexcept;
};

} // namespace hostile
