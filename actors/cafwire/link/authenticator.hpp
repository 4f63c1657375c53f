// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/handshake.hpp"
#include "cafwire/shared_key.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cafwire::detail {

/// One side of a proof that both sides of a connection have the same key: a challenge-response with
/// HMAC-SHA-256 (RFC 2104, FIPS 180-4), as docs/wire-format.md says. Knows nothing of sockets.
///
/// Each proof covers the challenges of both sides, with their random numbers, epochs and protocol
/// versions, and the role of the side that proves: a proof fits one connection and one direction.
/// The connecting side proves first, so that a server says nothing to strangers but its challenge.
class authenticator {
public:
  enum class role : uint8_t {
    connecting = 1,
    accepting = 2,
  };

  /// Bytes of HMAC-SHA-256.
  using mac = std::array<std::byte, 32>;

  /// Bytes of the bodies of frames.
  static constexpr size_t challenge_size = 54;
  static constexpr size_t proof_size = 33;
  static constexpr size_t refusal_size = 1;

  using challenge = std::array<std::byte, challenge_size>;

  /// Computes the proof of one side.
  /// @param who the side that proves.
  /// @param connecting the body of the challenge of the connecting side.
  /// @param accepting the body of the challenge of the accepting side.
  /// @returns `false` if there is not enough memory.
  [[nodiscard]] static bool prove(const shared_key& key, role who, const challenge& connecting,
                                  const challenge& accepting, mac& result) noexcept;

  /// @param epoch the epoch of the session of the own side.
  authenticator(role own, shared_key key, uint64_t epoch) noexcept;

  ~authenticator();

  authenticator(const authenticator&) = delete;

  authenticator& operator=(const authenticator&) = delete;

  /// Appends the challenge. Call it once.
  /// @returns `ec::out_of_memory`, also if the system has no random numbers.
  [[nodiscard]] ec start(output_buffer& out);

  /// Handles the next frame of the peer and appends the answer, if there is one.
  /// @param input what has arrived so far.
  /// @param consumed receives the size of the frame.
  /// @returns `ec::unexpected_end` if more must arrive first; `ec::unauthenticated_peer` if the
  /// peer
  ///          begins without a proof; `ec::authentication_failed`, `ec::incompatible_version`,
  ///          `ec::wrong_peer`, or what is malformed.
  [[nodiscard]] ec receive(std::span<const std::byte> input, size_t& consumed, output_buffer& out);

  /// Returns whether the peer has proven that it has the key.
  bool done() const noexcept {
    return done_;
  }

  /// Returns the epoch that the peer has proven.
  /// @pre `done()`
  uint64_t peer_epoch() const noexcept {
    return peer_epoch_;
  }

private:
  ec receive_challenge(std::span<const std::byte> body, uint32_t epoch, output_buffer& out);

  ec receive_proof(std::span<const std::byte> body, output_buffer& out);

  [[nodiscard]] bool proof_of(role who, mac& result) const noexcept;

  ec append_proof(output_buffer& out) const;

  ec append_frame(output_buffer& out, std::span<const std::byte> body) const;

  role own_;
  shared_key key_;
  uint64_t epoch_;
  uint64_t peer_epoch_ = 0;
  challenge own_challenge_{};
  challenge peer_challenge_{};
  bool challenged_ = false;
  bool done_ = false;
};

} // namespace cafwire::detail
