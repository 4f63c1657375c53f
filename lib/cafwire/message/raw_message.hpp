// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cafwire {

/// A type of a message, as a peer has defined it.
struct raw_type {
  /// The slot of a type that the format knows, or 0. All else is empty then.
  uint16_t core_slot = 0;
  std::string name;
  uint64_t fingerprint = 0;
  /// The canonical text. Empty if it is too long for a definition.
  std::string schema;

  friend bool operator==(const raw_type&, const raw_type&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, raw_type& x) {
  return f.object(x).fields(f.field("core_slot", x.core_slot), f.field("name", x.name),
                            f.field("fingerprint", x.fingerprint), f.field("schema", x.schema));
}

/// A piece of the payload of a `raw_message` that has other bytes wherever the message goes: an
/// actor handle, because its bytes depend on who writes it to whom, or the zero bytes in front of a
/// long run behind such a handle, because their number depends on what stands in front of them.
/// Handles that tell node and ID, as sessions outside of links write them, are no pieces: they mean
/// the same everywhere, and the message does not keep their actors alive.
struct raw_piece {
  uint64_t offset = 0;
  uint64_t size = 0;
  bool is_handle = false;
  /// The actor, which lives as long as the message does. Empty if the actor has terminated.
  caf::strong_actor_ptr actor;
};

template <class Inspector>
bool inspect(Inspector& f, raw_piece& x) {
  return f.object(x).fields(f.field("offset", x.offset), f.field("size", x.size),
                            f.field("is_handle", x.is_handle), f.field("actor", x.actor));
}

/// A message whose types are not known here, for programs that pass messages on. Sessions with
/// `session_options::keep_unknown_messages` read such a message as a `caf::message` with this one
/// element. `serializer_session::write_message` writes that as the message that it was, together
/// with the definitions of its types; it cannot be written in any other way. Cheap to copy apart
/// from its payload.
struct raw_message {
  /// The types of the elements. Messages of the same kind share them.
  std::shared_ptr<const std::vector<raw_type>> types;

  /// The elements, one behind the other, as section 1 of `docs/wire-format.md` says.
  std::vector<uint8_t> payload;

  /// What is written anew when the message is passed on, in the order of the payload.
  std::vector<raw_piece> pieces;
};

template <class Inspector>
bool inspect(Inspector& f, raw_message& x) {
  auto get = [&x] { return x.types != nullptr ? *x.types : std::vector<raw_type>{}; };
  auto set = [&x](std::vector<raw_type> types) {
    x.types = std::make_shared<const std::vector<raw_type>>(std::move(types));
    return true;
  };
  return f.object(x).fields(f.field("types", get, set), f.field("payload", x.payload),
                            f.field("pieces", x.pieces));
}

} // namespace cafwire
