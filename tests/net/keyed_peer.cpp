// This file is part of cafwire. See the file LICENSE for license terms.

#include "net/keyed_peer.hpp"

#include "cafwire/wire/output_buffer.hpp"

#include <string_view>
#include <utility>

namespace net_test {

using namespace std::literals;

using cafwire::detail::authenticator;

namespace {

std::vector<std::byte> to_vector(const cafwire::output_buffer& buffer) {
  auto all = buffer.bytes();
  return {all.begin(), all.end()};
}

} // namespace

cafwire::shared_key good_key() {
  return cafwire::shared_key{"0123456789abcdef0123456789abcdef"sv};
}

cafwire::shared_key other_key() {
  return cafwire::shared_key{"0123456789abcdef0123456789abcdeg"sv};
}

std::vector<std::byte> wrong_proof(uint64_t epoch) {
  std::vector<std::byte> result(keyed_peer::proof_frame);
  cafwire::write_frame_header(result.data(),
                              {authenticator::proof_size, cafwire::frame_kind::authentication,
                               static_cast<uint32_t>(epoch), 0});
  result[cafwire::frame_header_size] = std::byte{2};
  return result;
}

keyed_peer::keyed_peer(role who, cafwire::shared_key key, uint64_t epoch)
  : auth_(who, std::move(key), epoch) {
  // nop
}

std::vector<std::byte> keyed_peer::start() {
  cafwire::output_buffer out;
  code_ = auth_.start(out);
  return to_vector(out);
}

std::vector<std::byte> keyed_peer::answer(std::span<const std::byte> frame) {
  cafwire::output_buffer out;
  code_ = auth_.receive(frame, consumed_, out);
  return to_vector(out);
}

} // namespace net_test
