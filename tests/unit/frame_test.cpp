// This file is part of cafwire. See the file LICENSE for license terms.

#include <cafwire/session/frame.hpp>

#include "support/session_bytes.hpp"

#include "support/catch.hpp"

#include <array>

using namespace cafwire;
using namespace session_test;

namespace {

std::string header_hex(const frame_header& header) {
  std::array<std::byte, frame_header_size> bytes;
  write_frame_header(bytes.data(), header);
  return to_hex(bytes);
}

ec read_hex(std::string_view hex, frame_header& header, const limits& bounds = {}) {
  exact_copy bytes{from_hex(hex)};
  return read_frame_header(bytes.get(), bounds, header);
}

} // namespace

TEST_CASE("a frame header has 16 bytes") {
  CHECK(header_hex({0x01020304, frame_kind::records, 0x11121314, 0x21222324})
        == "04 03 02 01 02 00 00 00 14 13 12 11 24 23 22 21");
  CHECK(header_hex({0, frame_kind::handshake, 0, 0})
        == "00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00");
}

TEST_CASE("a frame header that was written is read back") {
  for (auto kind : {frame_kind::handshake, frame_kind::records, frame_kind::authentication}) {
    auto header = frame_header{12345, kind, 0xfedcba98, 0xffffffff};
    frame_header copy;
    CHECK(read_hex(header_hex(header), copy) == ec::none);
    CHECK(copy == header);
  }
}

TEST_CASE("malformed frame headers are refused") {
  auto untouched = frame_header{1, frame_kind::handshake, 2, 3};
  auto header = untouched;
  // Unknown kinds.
  CHECK(read_hex("00 00 00 00 00 00 00 00 00*8", header) == ec::invalid_frame);
  CHECK(read_hex("00 00 00 00 04 00 00 00 00*8", header) == ec::invalid_frame);
  CHECK(read_hex("00 00 00 00 ff 00 00 00 00*8", header) == ec::invalid_frame);
  // Flags and reserved bytes.
  CHECK(read_hex("00 00 00 00 02 01 00 00 00*8", header) == ec::invalid_frame);
  CHECK(read_hex("00 00 00 00 02 80 00 00 00*8", header) == ec::invalid_frame);
  CHECK(read_hex("00 00 00 00 02 00 01 00 00*8", header) == ec::invalid_frame);
  CHECK(read_hex("00 00 00 00 02 00 00 80 00*8", header) == ec::invalid_frame);
  // 64 MiB are allowed, one byte more is not.
  CHECK(read_hex("01 00 00 04 02 00 00 00 00*8", header) == ec::frame_too_large);
  CHECK(read_hex("ff ff ff ff 02 00 00 00 00*8", header) == ec::frame_too_large);
  CHECK(header == untouched);
  CHECK(read_hex("00 00 00 04 02 00 00 00 00*8", header) == ec::none);
  CHECK(header.body_size == 64u << 20);
  limits small;
  small.max_frame_bytes = 15;
  CHECK(read_hex("10 00 00 00 02 00 00 00 00*8", header, small) == ec::frame_too_large);
  CHECK(read_hex("0f 00 00 00 02 00 00 00 00*8", header, small) == ec::none);
}

TEST_CASE("frames are filled up to a multiple of 16 bytes") {
  CHECK(frame_size(0) == 16);
  for (size_t body = 1; body <= 64; ++body) {
    CHECK(frame_size(body) % 16 == 0);
    CHECK(frame_size(body) >= 16 + body);
    CHECK(frame_size(body) - body < 32);
    CHECK(frame_padding(body) == frame_size(body) - 16 - body);
  }
}

TEST_CASE("frames are accepted in order, once") {
  frame_counter writer{0x1234567800000042};
  frame_counter reader{0x1234567800000042};
  auto first = writer.next(frame_kind::handshake, 10);
  auto second = writer.next(frame_kind::records, 20);
  auto third = writer.next(frame_kind::records, 30);
  CHECK(first == frame_header{10, frame_kind::handshake, 0x42, 0});
  CHECK(second == frame_header{20, frame_kind::records, 0x42, 1});
  CHECK(reader.accept(first) == ec::none);
  CHECK(reader.accept(first) == ec::sequence_repeat);
  CHECK(reader.accept(third) == ec::sequence_gap);
  // Refused frames are not counted.
  CHECK(reader.accept(second) == ec::none);
  CHECK(reader.accept(first) == ec::sequence_repeat);
  CHECK(reader.accept(second) == ec::sequence_repeat);
  CHECK(reader.accept(third) == ec::none);
}

TEST_CASE("frames of another epoch are refused") {
  frame_counter reader{1};
  CHECK(reader.accept({0, frame_kind::records, 2, 0}) == ec::wrong_epoch);
  CHECK(reader.accept({0, frame_kind::records, 0, 0}) == ec::wrong_epoch);
  CHECK(reader.accept({0, frame_kind::records, 1, 0}) == ec::none);
}

TEST_CASE("the number of a frame wraps around") {
  auto last = UINT32_MAX;
  frame_counter writer{7, last - 1};
  frame_counter reader{7, last - 1};
  auto a = writer.next(frame_kind::records, 0);
  auto b = writer.next(frame_kind::records, 0);
  auto c = writer.next(frame_kind::records, 0);
  CHECK(a.sequence == last - 1);
  CHECK(b.sequence == last);
  CHECK(c.sequence == 0);
  CHECK(reader.accept(a) == ec::none);
  CHECK(reader.accept(c) == ec::sequence_gap);
  CHECK(reader.accept(b) == ec::none);
  CHECK(reader.accept(b) == ec::sequence_repeat);
  CHECK(reader.accept(c) == ec::none);
  CHECK(reader.accept(b) == ec::sequence_repeat);
}

TEST_CASE("the bytes behind a body must be zero") {
  for (size_t body_size : {0, 1, 15, 16, 17}) {
    CAPTURE(body_size);
    std::vector<std::byte> frame(frame_size(body_size));
    CHECK(check_frame_padding(frame, body_size) == ec::none);
    for (auto i = frame_header_size + body_size; i < frame.size(); ++i) {
      frame[i] = std::byte{1};
      CHECK(check_frame_padding(frame, body_size) == ec::nonzero_padding);
      frame[i] = std::byte{0};
    }
  }
}
