// This file is part of cafwire. See the file LICENSE for license terms.

// What arrives at a link before its records are looked at: handshakes and frames, in pieces.

#include "fuzz/target.hpp"

#include "cafwire/link/frame_collector.hpp"
#include "cafwire/link/handshake.hpp"
#include "cafwire/session/frame.hpp"

#include <caf/node_id.hpp>
#include <caf/uri.hpp>

#include <algorithm>
#include <cstring>

using cafwire::ec;

namespace {

void read_handshake(std::span<const std::byte> bytes) {
  cafwire::detail::handshake content;
  size_t consumed = 0;
  auto code = cafwire::detail::read_handshake(bytes, cafwire::limits::untrusted(), content,
                                              consumed);
  fuzz::require(code != ec::none || consumed <= bytes.size(), "a handshake is in the input");
}

void collect_frames(std::span<const std::byte> bytes, size_t piece) {
  cafwire::detail::frame_collector collector;
  while (!bytes.empty()) {
    auto n = std::min(piece, bytes.size());
    auto room = collector.prepare(n);
    fuzz::require(room.size() == n, "there is room");
    std::memcpy(room.data(), bytes.data(), n);
    collector.commit(n);
    bytes = bytes.subspan(n);
    if (collector.scan(cafwire::limits::untrusted()) != ec::none)
      return;
    fuzz::require(collector.complete() <= collector.bytes().size(), "frames have arrived");
    if (collector.complete() > 0) {
      auto size = collector.complete();
      cafwire::output_buffer frames;
      if (collector.take({}, frames) == ec::none)
        fuzz::require(frames.size() == size, "all frames are taken");
    }
  }
}

} // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> result;
  cafwire::output_buffer out;
  cafwire::detail::handshake content;
  content.epoch = 0x0102030405060708;
  content.published = 5;
  content.interface = {"first", "second"};
  fuzz::require(cafwire::detail::write_handshake(out, content) == ec::none, "a handshake");
  result.emplace_back(1, '\0');
  append(result.back(), out.bytes());
  out.clear();
  content.node = caf::make_node_id(*caf::make_uri("test:node"));
  fuzz::require(cafwire::detail::write_handshake(out, content) == ec::none, "a handshake by URI");
  result.emplace_back(1, '\0');
  append(result.back(), out.bytes());
  // A frame with a body of 32 bytes, and one without.
  for (auto piece : {'\1', '\7', '\100'}) {
    std::string frames(1, piece);
    for (auto size : {'\40', '\0'}) {
      frames += size;
      frames.append(15, '\0');
      frames.append(static_cast<size_t>(size), 'x');
    }
    result.push_back(std::move(frames));
  }
  return result;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::input in{data, size};
  if (auto piece = in.choice(); piece == 0)
    read_handshake(in.rest());
  else
    collect_frames(in.rest(), piece);
  return 0;
}
