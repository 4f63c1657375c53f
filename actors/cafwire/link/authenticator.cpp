// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/authenticator.hpp"

#include "cafwire/session/frame.hpp"
#include "cafwire/wire/input_cursor.hpp"
#include "cafwire/wire/little_endian.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

namespace cafwire::detail {

namespace {

/// The first byte behind the preamble of a challenge, and the first byte of all other bodies.
enum class step : uint8_t {
  challenge = 1,
  proof = 2,
  refusal = 3,
};

constexpr size_t nonce_size = 32;

/// What the proofs of each side begin with. None begins with another one.
constexpr auto connecting_label = std::string_view{"cafwire link, connecting"};
constexpr auto accepting_label = std::string_view{"cafwire link, accepting"};

authenticator::role opposite(authenticator::role x) noexcept {
  using role = authenticator::role;
  return x == role::connecting ? role::accepting : role::connecting;
}

/// Returns the position behind an integer.
template <class T>
std::byte* put(std::byte* out, T value) noexcept {
  store_little_endian(out, value);
  return out + sizeof value;
}

} // namespace

bool authenticator::prove(const shared_key& key, role who, const challenge& connecting,
                          const challenge& accepting, mac& result) noexcept {
  auto label = who == role::connecting ? connecting_label : accepting_label;
  std::array<std::byte, connecting_label.size() + 2 * challenge_size> text;
  auto* pos = text.data();
  std::memcpy(pos, label.data(), label.size());
  pos = std::copy(connecting.begin(), connecting.end(), pos + label.size());
  pos = std::copy(accepting.begin(), accepting.end(), pos);
  auto bytes = key.bytes();
  unsigned int size = 0;
  auto* ok = HMAC(EVP_sha256(), bytes.data(), static_cast<int>(bytes.size()),
                  reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<size_t>(pos - text.data()),
                  reinterpret_cast<unsigned char*>(result.data()), &size);
  return ok != nullptr && size == result.size();
}

authenticator::authenticator(role own, shared_key key, uint64_t epoch) noexcept
  : own_(own), key_(std::move(key)), epoch_(epoch) {
  // nop
}

authenticator::~authenticator() = default;

ec authenticator::start(output_buffer& out) {
  auto* pos = own_challenge_.data();
  std::memcpy(pos, handshake_magic.data(), handshake_magic.size());
  pos = put(pos + handshake_magic.size(), min_protocol_version);
  pos = put(pos, max_protocol_version);
  *pos++ = static_cast<std::byte>(step::challenge);
  *pos++ = static_cast<std::byte>(own_);
  pos = put(pos, epoch_);
  if (RAND_bytes(reinterpret_cast<unsigned char*>(pos), nonce_size) != 1)
    return ec::out_of_memory;
  return append_frame(out, own_challenge_);
}

ec authenticator::receive(std::span<const std::byte> input, size_t& consumed, output_buffer& out) {
  // A peer that speaks something else should not keep us waiting: its first bytes are enough.
  constexpr size_t kind_offset = 4;
  if (input.size() > kind_offset) {
    auto kind = static_cast<frame_kind>(input[kind_offset]);
    if (kind == frame_kind::handshake)
      return ec::unauthenticated_peer;
    if (kind != frame_kind::authentication)
      return ec::wrong_peer;
  }
  if (input.size() < frame_header_size)
    return ec::unexpected_end;
  frame_header header;
  if (read_frame_header(input, limits::untrusted(), header) != ec::none || header.sequence != 0)
    return ec::wrong_peer;
  // The first frame is a challenge, and what follows it a proof or a refusal.
  if (!challenged_ ? header.body_size != challenge_size
                   : header.body_size != proof_size && header.body_size != refusal_size)
    return ec::invalid_frame;
  if (input.size() < frame_size(header.body_size))
    return ec::unexpected_end;
  if (auto code = check_frame_padding(input, header.body_size); code != ec::none)
    return code;
  auto body = input.subspan(frame_header_size, header.body_size);
  if (challenged_ && header.epoch != static_cast<uint32_t>(peer_epoch_))
    return ec::wrong_epoch;
  auto code = challenged_ ? receive_proof(body, out) : receive_challenge(body, header.epoch, out);
  if (code != ec::none)
    return code;
  consumed = frame_size(header.body_size);
  return ec::none;
}

ec authenticator::receive_challenge(std::span<const std::byte> body, uint32_t epoch,
                                    output_buffer& out) {
  if (std::memcmp(body.data(), handshake_magic.data(), handshake_magic.size()) != 0)
    return ec::wrong_peer;
  input_cursor in{body.subspan(handshake_magic.size())};
  uint16_t min_version = 0;
  uint16_t max_version = 0;
  uint8_t what = 0;
  uint8_t peer_role = 0;
  for (auto code :
       {in.read_integer(min_version), in.read_integer(max_version), in.read_integer(what),
        in.read_integer(peer_role), in.read_integer(peer_epoch_)})
    if (code != ec::none)
      return code;
  if (max_version < min_protocol_version || min_version > max_protocol_version)
    return ec::incompatible_version;
  if (what != static_cast<uint8_t>(step::challenge))
    return ec::invalid_tag;
  // Whoever sends back what we have said wants us to prove our own proof.
  if (peer_role != static_cast<uint8_t>(opposite(own_)))
    return ec::authentication_failed;
  if (epoch != static_cast<uint32_t>(peer_epoch_))
    return ec::wrong_epoch;
  std::copy(body.begin(), body.end(), peer_challenge_.begin());
  challenged_ = true;
  return own_ == role::connecting ? append_proof(out) : ec::none;
}

ec authenticator::receive_proof(std::span<const std::byte> body, output_buffer& out) {
  if (body.size() == refusal_size)
    return body[0] == static_cast<std::byte>(step::refusal) ? ec::authentication_failed
                                                            : ec::invalid_tag;
  if (body[0] != static_cast<std::byte>(step::proof))
    return ec::invalid_tag;
  mac expected;
  if (!proof_of(opposite(own_), expected))
    return ec::out_of_memory;
  if (CRYPTO_memcmp(body.data() + 1, expected.data(), expected.size()) != 0) {
    if (own_ == role::accepting) {
      const auto refusal = static_cast<std::byte>(step::refusal);
      std::ignore = append_frame(out, {&refusal, 1});
    }
    return ec::authentication_failed;
  }
  if (own_ == role::accepting)
    if (auto code = append_proof(out); code != ec::none)
      return code;
  done_ = true;
  return ec::none;
}

bool authenticator::proof_of(role who, mac& result) const noexcept {
  return own_ == role::connecting ? prove(key_, who, own_challenge_, peer_challenge_, result)
                                  : prove(key_, who, peer_challenge_, own_challenge_, result);
}

ec authenticator::append_proof(output_buffer& out) const {
  std::array<std::byte, proof_size> body;
  mac proof;
  if (!proof_of(own_, proof))
    return ec::out_of_memory;
  body[0] = static_cast<std::byte>(step::proof);
  std::copy(proof.begin(), proof.end(), body.begin() + 1);
  return append_frame(out, body);
}

ec authenticator::append_frame(output_buffer& out, std::span<const std::byte> body) const {
  auto header = frame_counter{epoch_}.next(frame_kind::authentication, body.size());
  std::byte bytes[frame_header_size];
  write_frame_header(bytes, header);
  const std::byte zeros[frame_alignment] = {};
  auto ok = out.append(bytes, sizeof bytes) && out.append(body.data(), body.size())
            && out.append(zeros, frame_padding(body.size()));
  return ok ? ec::none : ec::out_of_memory;
}

} // namespace cafwire::detail
