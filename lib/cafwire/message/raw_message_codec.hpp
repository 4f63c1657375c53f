// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/layout/value_walker.hpp"
#include "cafwire/message/raw_message.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace cafwire::detail {

/// Finds what must be written anew when a payload is passed on. Must see all values of the payload.
class raw_piece_finder : public layout::value_visitor {
public:
  /// @param f is charged for the memory of each piece. When it has no more, nothing more is found.
  raw_piece_finder(std::span<const std::byte> payload, deserializer& f) : payload_(payload), f_(f) {
    // nop
  }

  void handle(const layout::handle_parts& x) override;

  void padding(std::span<const std::byte> bytes) override;

  /// What was found. Handles have no actors yet.
  std::vector<raw_piece> pieces;

private:
  void add(std::span<const std::byte> bytes, bool is_handle);

  std::span<const std::byte> payload_;
  deserializer& f_;
};

/// Reads the actors of all handles.
/// @param f stands at the begin of the payload, and was charged by the finder.
bool load_actors(deserializer& f, std::vector<raw_piece>& pieces);

/// Writes the payload.
bool save_raw(serializer& f, const raw_message& msg);

} // namespace cafwire::detail
