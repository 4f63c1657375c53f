// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"

namespace cafwire::detail {

/// The side of a link that moves bytes. All functions are thread-safe and are called without
/// locks.
class link_engine {
public:
  virtual ~link_engine() = default;

  /// Asks for a call to `link::take_output` soon. Called once only until the output has been found
  /// empty.
  virtual void wake() = 0;

  /// Asks for more input, of which there was too much before.
  virtual void resume_input() = 0;

  /// Asks for the end of the link: its input has ended, or makes no sense.
  virtual void end(ec reason) = 0;
};

} // namespace cafwire::detail
