// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/link/frame_collector.hpp"

#include "cafwire/session/frame.hpp"

#include "net/catch.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

using cafwire::ec;
using cafwire::limits;
using cafwire::output_buffer;
using cafwire::detail::frame_collector;

namespace {

using bytes = std::vector<std::byte>;

/// Appends a frame whose body counts up from `first`.
void add_frame(bytes& out, cafwire::frame_counter& counter, size_t body_size, uint8_t first) {
  auto start = out.size();
  out.resize(start + cafwire::frame_size(body_size));
  cafwire::write_frame_header(out.data() + start,
                              counter.next(cafwire::frame_kind::records, body_size));
  for (size_t i = 0; i < body_size; ++i)
    out[start + cafwire::frame_header_size + i] = static_cast<std::byte>(first + i);
}

void append(frame_collector& to, std::span<const std::byte> what) {
  auto room = to.prepare(what.size());
  REQUIRE(room.size() == what.size());
  std::copy(what.begin(), what.end(), room.begin());
  to.commit(what.size());
}

/// Moves everything that is complete to the end of `out`.
void take(frame_collector& from, bytes& out) {
  REQUIRE(from.scan(limits::untrusted()) == ec::none);
  if (from.complete() == 0)
    return;
  output_buffer frames;
  REQUIRE(from.take({}, frames) == ec::none);
  out.insert(out.end(), frames.bytes().begin(), frames.bytes().end());
}

bytes three_frames() {
  bytes result;
  cafwire::frame_counter counter{17};
  add_frame(result, counter, 0, 0);
  add_frame(result, counter, 5, 1);
  add_frame(result, counter, 48, 100);
  return result;
}

} // namespace

TEST_CASE("a stream that arrives in two pieces, cut anywhere, makes the same frames") {
  auto stream = three_frames();
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    frame_collector collector;
    bytes result;
    append(collector, std::span{stream}.first(cut));
    take(collector, result);
    auto whole = result.size();
    CHECK(whole <= cut);
    CHECK((whole == 0 || whole == 16 || whole == 48 || whole == 112));
    append(collector, std::span{stream}.subspan(cut));
    take(collector, result);
    CHECK(result == stream);
    CHECK(collector.bytes().empty());
  }
}

TEST_CASE("a stream that arrives byte by byte makes the same frames") {
  auto stream = three_frames();
  frame_collector collector;
  bytes result;
  for (auto& x : stream) {
    append(collector, {&x, 1});
    take(collector, result);
  }
  CHECK(result == stream);
}

TEST_CASE("the collector tells how much a frame lacks once its header is known") {
  bytes stream;
  cafwire::frame_counter counter{17};
  add_frame(stream, counter, 100, 0);
  frame_collector collector;
  append(collector, std::span{stream}.first(15));
  REQUIRE(collector.scan(limits::untrusted()) == ec::none);
  CHECK(collector.missing() == 0);
  append(collector, std::span{stream}.subspan(15, 1));
  REQUIRE(collector.scan(limits::untrusted()) == ec::none);
  CHECK(collector.missing() == stream.size() - 16);
  CHECK(collector.complete() == 0);
  append(collector, std::span{stream}.subspan(16));
  REQUIRE(collector.scan(limits::untrusted()) == ec::none);
  CHECK(collector.missing() == 0);
  CHECK(collector.complete() == stream.size());
}

TEST_CASE("frames in front of a bad header are handed out nevertheless") {
  auto stream = three_frames();
  auto good = stream.size();
  auto reason = ec::none;
  stream.resize(good + cafwire::frame_header_size);
  auto header = cafwire::frame_header{};
  SECTION("an unknown kind") {
    header.kind = static_cast<cafwire::frame_kind>(77);
    reason = ec::invalid_frame;
  }
  SECTION("too large") {
    header.body_size = (64u << 20) + 1;
    reason = ec::frame_too_large;
  }
  cafwire::write_frame_header(stream.data() + good, header);
  frame_collector collector;
  append(collector, stream);
  CHECK(collector.scan(limits::untrusted()) == reason);
  CHECK(collector.complete() == good);
  output_buffer frames;
  REQUIRE(collector.take({}, frames) == ec::none);
  CHECK(std::memcmp(frames.data(), stream.data(), good) == 0);
  // And the error does not go away.
  CHECK(collector.scan(limits::untrusted()) == reason);
}

TEST_CASE("bytes can be dropped from the begin") {
  auto stream = three_frames();
  frame_collector collector;
  append(collector, stream);
  collector.drop(0);
  CHECK(collector.bytes().size() == stream.size());
  collector.drop(16);
  CHECK(std::ranges::equal(collector.bytes(), std::span{stream}.subspan(16)));
  collector.drop(stream.size() - 16);
  CHECK(collector.bytes().empty());
}
