// This file is part of cafwire. See the file LICENSE for license terms.

// Where payloads stand: messages that may hold long runs start on a multiple of 16, also when the
// size of the payload is not the one that the writer expected.

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include "support/session_bytes.hpp"
#include "support/session_types.hpp"

#include "support/catch.hpp"

using namespace cafwire;
using namespace session_test;

namespace {

/// Sizes of payloads around the places where a varint grows and where alignment begins.
constexpr size_t payload_sizes[] = {2,   127, 128, 129, 255,   256,   257,
                                    271, 272, 273, 511, 16383, 16384, 16385};

/// A text whose encoding has `size` bytes: the length as varint, then the characters. Runs of at
/// least 256 characters start on a multiple of 16.
std::string text_with_payload(size_t size) {
  for (size_t n = 0; n <= size; ++n) {
    auto head = varint_size(n);
    auto padded = n < 256 ? head : (head + 15) / 16 * 16;
    if (padded + n == size)
      return std::string(n, 'x');
  }
  return {};
}

/// A writer and a control that puts the same stream together by hand.
struct controlled_writer {
  serializer_session session;
  output_buffer out;
  stream_builder expected;

  controlled_writer() {
    expected.signature(1, {13});
  }

  void write(const std::string& text) {
    REQUIRE(session.write(out, text) == ec::none);
    stream_builder payload;
    payload.varint(text.size());
    if (text.size() >= 256)
      while (payload.size() % 16 != 0)
        payload.byte(0);
    payload.raw(std::as_bytes(std::span{text}));
    expected.message(1, payload.bytes());
    REQUIRE(out.size() == expected.size());
    REQUIRE(std::equal(out.bytes().begin(), out.bytes().end(), expected.bytes().begin()));
  }
};

} // namespace

TEST_CASE("a payload of another size than expected is moved to its place") {
  for (auto first : payload_sizes) {
    for (auto second : payload_sizes) {
      auto x = text_with_payload(first);
      auto y = text_with_payload(second);
      INFO("payloads of about " << first << " and " << second << " bytes");
      controlled_writer writer;
      writer.write(x);
      for (auto i = 0; i < 3; ++i) {
        writer.write(y);
        writer.write(x);
      }
      deserializer_session reader;
      input_cursor in{writer.out.bytes()};
      for (auto i = 0; i < 7; ++i) {
        std::string text;
        REQUIRE(reader.read(in, text) == ec::none);
        REQUIRE(text == (i % 2 == 0 ? x : y));
      }
      CHECK(in.at_end());
    }
  }
}

TEST_CASE("a payload is moved without touching what stands in front of it") {
  // Starts at every offset modulo 16.
  for (size_t shift = 0; shift < 16; ++shift) {
    controlled_writer writer;
    writer.write(std::string(shift, 'a'));
    for (auto n : {size_t{0}, size_t{300}, size_t{1}, size_t{20000}, size_t{254}, size_t{255}})
      writer.write(std::string(n, 'b'));
  }
}

TEST_CASE("long runs are aligned in memory") {
  serializer_session writer;
  deserializer_session reader;
  output_buffer out;
  for (size_t n : {32u, 33u, 40u, 1000u}) {
    for (size_t shift = 0; shift < 16; ++shift) {
      // Moves the start of the message to another residue.
      REQUIRE(writer.write(out, std::string(shift, 'x')) == ec::none);
      samples x{std::vector<double>(n, 0.0)};
      x.values.front() = 1234.5;
      REQUIRE(writer.write(out, x) == ec::none);
      // Find the first element at the end of the stream: nothing follows the last one.
      auto* run = out.data() + out.size() - n * sizeof(double);
      CHECK(reinterpret_cast<uintptr_t>(run) % 16 == 0);
      double first = 0;
      std::memcpy(&first, run, sizeof first);
      CHECK(first == 1234.5);
    }
  }
  input_cursor in{out.bytes()};
  std::string text;
  samples x;
  while (!in.at_end()) {
    REQUIRE(reader.read(in, text) == ec::none);
    REQUIRE(reader.read(in, x) == ec::none);
    REQUIRE(x.values.front() == 1234.5);
  }
}

TEST_CASE("short runs are not aligned") {
  serializer_session writer;
  output_buffer out;
  samples x{std::vector<double>(31, 1.0)};
  REQUIRE(writer.write(out, x) == ec::none);
  auto size = out.size();
  REQUIRE(writer.write(out, x) == ec::none);
  // One byte for the slot, two for the length, one for the number of elements.
  CHECK(out.size() - size == 1 + 2 + 1 + 31 * 8 - (varint_size(1 + 31 * 8) == 1 ? 1 : 0));
}

TEST_CASE("the place of a payload") {
  for (size_t offset = 0; offset < 64; ++offset) {
    CHECK(payload_offset(offset, 0) == offset);
    CHECK(payload_offset(offset, 255) == offset);
    auto aligned = payload_offset(offset, 256);
    CHECK(aligned % 16 == 0);
    CHECK(aligned >= offset);
    CHECK(aligned - offset < 16);
    CHECK(payload_offset(offset, UINT64_MAX) == aligned);
  }
}

TEST_CASE("a steady size costs no move and no allocation of the buffer") {
  serializer_session writer;
  output_buffer out;
  samples x{std::vector<double>(1000, 1.0)};
  REQUIRE(writer.write(out, x) == ec::none);
  out.clear();
  REQUIRE(writer.write(out, x) == ec::none);
  auto* memory = out.data();
  auto capacity = out.capacity();
  for (auto i = 0; i < 100; ++i) {
    out.clear();
    REQUIRE(writer.write(out, x) == ec::none);
  }
  CHECK(out.data() == memory);
  CHECK(out.capacity() == capacity);
}
