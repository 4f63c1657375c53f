// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/link/authenticator.hpp"
#include "cafwire/session/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace net_test {

/// The key that the nodes of the tests share.
cafwire::shared_key good_key();

/// A key that differs in the last bit.
cafwire::shared_key other_key();

/// Returns a frame that looks like a proof of whoever has this epoch, and is none.
std::vector<std::byte> wrong_proof(uint64_t epoch);

/// One side of a proof whose frames go through the hands of a test.
class keyed_peer {
public:
  using role = cafwire::detail::authenticator::role;

  static constexpr size_t challenge_frame
    = cafwire::frame_size(cafwire::detail::authenticator::challenge_size);
  static constexpr size_t proof_frame
    = cafwire::frame_size(cafwire::detail::authenticator::proof_size);

  static constexpr uint64_t default_epoch = 0x0102030405060708;

  explicit keyed_peer(role who, cafwire::shared_key key = good_key(),
                      uint64_t epoch = default_epoch);

  /// Returns the challenge.
  std::vector<std::byte> start();

  /// Returns the answer to a frame of the peer.
  std::vector<std::byte> answer(std::span<const std::byte> frame);

  /// What the last call has come to.
  cafwire::ec code() const noexcept {
    return code_;
  }

  size_t consumed() const noexcept {
    return consumed_;
  }

  const cafwire::detail::authenticator& auth() const noexcept {
    return auth_;
  }

private:
  cafwire::detail::authenticator auth_;
  cafwire::ec code_ = cafwire::ec::none;
  size_t consumed_ = 0;
};

} // namespace net_test
