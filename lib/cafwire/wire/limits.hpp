// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

namespace cafwire {

/// Bounds on what a reader accepts. Each member says which attack it stops. A reader checks them
/// before it allocates or recurses; a writer is not bound by them.
struct limits {
  /// Bytes of one frame. Stops a peer from making us buffer without end: a frame is only decoded
  /// when it has arrived whole. 64 MiB is more than most actors ever send in one message.
  size_t max_frame_bytes = size_t{64} << 20;

  /// Nesting of containers, optionals, variants and messages inside each other. Stops a few bytes
  /// per level from overflowing the stack.
  size_t max_depth = 64;

  /// Elements per message that consume no input (empty structs). Stops a five-byte length from
  /// keeping us busy for minutes: such elements are not backed by any input.
  size_t max_unbacked_items = 8192;

  /// Decoded memory per byte of input. Stops types that are small on the wire but large in memory
  /// (an empty optional of a big struct) from turning megabytes into gigabytes.
  size_t memory_per_input_byte = 16;

  /// Decoded memory that any message may use, however small it is, in bytes.
  size_t free_memory_bytes = size_t{64} << 10;

  /// Decoded memory of one message in all, in bytes, however large its input is.
  size_t max_memory_bytes = size_t{1} << 30;

  /// Type slots of one session. Stops a peer from growing our tables without end.
  size_t max_type_slots = 4096;

  /// Signature slots of one session. Stops the same for lists of types.
  size_t max_signature_slots = 65536;

  /// Bytes of one type or signature definition. Stops oversized names and schemas.
  size_t max_definition_bytes = 4096;

  /// Bytes of the handshake. A peer that has not proven anything yet gets little of our memory.
  /// The signatures of a typed actor have to fit: a thousand of them take about 128 KiB.
  size_t max_handshake_bytes = size_t{256} << 10;

  /// Actors of a peer that we know at a time, per link. Stops a peer from filling our memory with
  /// what stands for its actors: a few hundred bytes each.
  size_t max_remote_actors = size_t{1} << 20;

  /// Time for the handshake. Stops peers that connect and then stay silent from holding sockets.
  std::chrono::milliseconds handshake_timeout{5000};

  /// The default: safe against any input.
  static constexpr limits untrusted() noexcept {
    return {};
  }

  /// For input of our own making (files, shared memory, trusted hosts): no bound on sizes. Depth
  /// stays bounded, because a stack overflow helps nobody.
  static constexpr limits trusted() noexcept {
    constexpr auto unbounded = std::numeric_limits<size_t>::max();
    auto result = limits{};
    result.max_frame_bytes = unbounded;
    result.max_depth = 512;
    result.max_unbacked_items = unbounded;
    result.memory_per_input_byte = 0;
    result.free_memory_bytes = unbounded;
    result.max_memory_bytes = unbounded;
    return result;
  }

  /// Returns how many bytes of memory a message of `input_bytes` may decode to.
  constexpr size_t memory_budget(size_t input_bytes) const noexcept {
    auto factor = memory_per_input_byte;
    auto scaled = factor != 0 && input_bytes > max_memory_bytes / factor ? max_memory_bytes
                                                                         : input_bytes * factor;
    auto sum = scaled <= max_memory_bytes && free_memory_bytes <= max_memory_bytes - scaled
                 ? scaled + free_memory_bytes
                 : max_memory_bytes;
    return sum;
  }
};

} // namespace cafwire
