// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/message/raw_message_codec.hpp"

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/formatter/actor_handle.hpp"
#include "cafwire/inspect/serializer.hpp"

namespace cafwire::detail {

void raw_piece_finder::handle(const layout::handle_parts& x) {
  // Node and ID of an actor mean the same everywhere.
  if (x.tag > handle_tag::global)
    add(x.bytes, true);
}

void raw_piece_finder::padding(std::span<const std::byte> bytes) {
  // As long as nothing changes its size, zero bytes stay as they are.
  if (!pieces.empty())
    add(bytes, false);
}

void raw_piece_finder::add(std::span<const std::byte> bytes, bool is_handle) {
  // A handle of two bytes needs many times as much here.
  if (!f_.charge(sizeof(raw_piece)))
    return;
  auto& x = pieces.emplace_back();
  x.offset = static_cast<uint64_t>(bytes.data() - payload_.data());
  x.size = bytes.size();
  x.is_handle = is_handle;
}

bool load_actors(deserializer& f, std::vector<raw_piece>& pieces) {
  auto size = f.remaining();
  for (auto& x : pieces)
    if (x.is_handle
        && (f.view(static_cast<size_t>(x.offset) - (size - f.remaining())) == nullptr
            || !load_handle(f, x.actor)))
      return false;
  return true;
}

bool save_raw(serializer& f, const raw_message& msg) {
  auto size = msg.payload.size();
  size_t done = 0;
  for (auto& x : msg.pieces) {
    if (x.offset < done || x.offset > size || x.size > size - x.offset)
      return f.fail(ec::invalid_definition,
                    "a raw message with pieces that are not in its payload");
    if (!f.raw(msg.payload.data() + done, static_cast<size_t>(x.offset) - done)
        || !(x.is_handle ? save_handle(f, x.actor) : f.align_run(layout::long_run_bytes)))
      return false;
    done = static_cast<size_t>(x.offset + x.size);
  }
  return f.raw(msg.payload.data() + done, size - done);
}

} // namespace cafwire::detail
