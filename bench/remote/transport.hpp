// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "child_process.hpp"
#include "remote/payload.hpp"

#include <cstddef>

namespace cafwire::bench {

/// The sending side of a connection to a second process that receives messages and checks them.
/// Member functions throw `std::runtime_error` if the connection breaks or a message arrives wrong.
class transport {
public:
  virtual ~transport();

  /// Announces a run of `count` messages to the receiver and waits until it is ready.
  virtual void prepare(const payload& what, size_t count) = 0;

  /// Sends the announced messages and waits until the receiver has handled the last one.
  virtual void run(const payload& what, size_t count) = 0;

  /// Returns the receiving process.
  virtual const child_process& receiver() const = 0;

  /// Returns how many messages may be in flight.
  virtual size_t window(const payload& what) const = 0;
};

} // namespace cafwire::bench
