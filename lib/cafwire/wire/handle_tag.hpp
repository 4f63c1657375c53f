// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstdint>

namespace cafwire {

/// Tells how a handle was written.
enum class handle_tag : uint8_t {
  /// No actor.
  null = 0,
  /// Node and ID of the actor follow.
  global = 1,
  /// An actor on the node of the writer: its ID follows. On links only.
  of_writer = 2,
  /// An actor on the node of the reader: its ID follows. On links only.
  of_reader = 3,
  /// An actor of another node that the writer relays messages to: the number under which it does,
  /// node and ID of the actor follow. On links only.
  relayed_by_writer = 4,
  /// An actor of another node that the reader relays messages to: its number follows. On links
  /// only.
  relayed_by_reader = 5,
};

/// The tag with the largest number.
inline constexpr handle_tag last_handle_tag = handle_tag::relayed_by_reader;

} // namespace cafwire
