// This file is part of cafwire. See the file LICENSE for license terms.

// What a link is going to send: frames of many records, and frames with a payload of their own.

#include "cafwire/link/frame_queue.hpp"

#include "net/catch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace cafwire;
using cafwire::detail::frame_queue;

namespace {

constexpr uint64_t epoch = 0x1234567;
constexpr size_t frame_bytes = 1000;
constexpr size_t no_limit = size_t{1} << 30;

struct fixture {
  frame_queue queue{epoch, 1, frame_bytes};
  buffer_pool pool{2, size_t{1} << 20};
  output_buffer taken;

  /// Appends a record to the open frame.
  bool append(size_t size, int fill = 'x') {
    REQUIRE(queue.open());
    std::vector<std::byte> record(size, static_cast<std::byte>(fill));
    return queue.buffer().append(record.data(), record.size());
  }

  /// Appends a frame with a small head and a payload.
  ec append_large(size_t head, size_t payload_size, size_t max_size = no_limit) {
    queue.close();
    REQUIRE(queue.begin_large());
    REQUIRE(append(head, 'h'));
    output_buffer payload;
    std::vector<std::byte> bytes(payload_size, std::byte{'p'});
    REQUIRE(payload.append(bytes.data(), bytes.size()));
    auto result = queue.end_large(payload, max_size);
    if (result != ec::none)
      queue.drop();
    return result;
  }

  /// Takes all that waits, as one stream.
  std::vector<std::byte> take_all() {
    queue.close();
    std::vector<std::byte> result;
    while (!queue.empty()) {
      queue.take(taken, pool);
      CHECK(queue.bytes_waiting() >= taken.size());
      result.insert(result.end(), taken.data(), taken.data() + taken.size());
      queue.written();
    }
    CHECK(queue.bytes_waiting() == 0);
    return result;
  }

  /// Returns the sizes of the bodies of some frames, which must be whole and in order.
  static std::vector<size_t> sizes_of(std::span<const std::byte> bytes) {
    frame_header header;
    frame_counter counter{epoch, 1};
    std::vector<size_t> result;
    while (!bytes.empty()) {
      REQUIRE(bytes.size() >= frame_header_size);
      REQUIRE(read_frame_header(bytes, limits{}, header) == ec::none);
      REQUIRE(counter.accept(header) == ec::none);
      auto size = frame_size(header.body_size);
      REQUIRE(bytes.size() >= size);
      REQUIRE(check_frame_padding(bytes.first(size), header.body_size) == ec::none);
      result.push_back(header.body_size);
      bytes = bytes.subspan(size);
    }
    return result;
  }
};

using sizes = std::vector<size_t>;

} // namespace

TEST_CASE_METHOD(fixture, "frames are completed with a header and padding") {
  CHECK(queue.empty());
  CHECK_FALSE(queue.close());
  sizes expected;
  for (size_t size : {1, 15, 16, 17, 999, 1000, 1001, 5000}) {
    REQUIRE(append(size));
    CHECK(queue.has_open_frame());
    CHECK(queue.body_size() == size);
    CHECK(queue.is_full() == (size >= frame_bytes));
    CHECK(queue.close());
    CHECK_FALSE(queue.has_open_frame());
    CHECK_FALSE(queue.is_full());
    expected.push_back(size);
  }
  CHECK(sizes_of(take_all()) == expected);
}

TEST_CASE_METHOD(fixture, "a frame without records is none") {
  REQUIRE(queue.open());
  CHECK(queue.body_size() == 0);
  CHECK_FALSE(queue.close());
  CHECK(queue.empty());
  REQUIRE(append(5));
  queue.drop();
  CHECK(queue.empty());
  REQUIRE(append(6));
  CHECK(sizes_of(take_all()) == sizes{6});
}

TEST_CASE_METHOD(fixture, "an open frame refuses what is large") {
  constexpr auto most = frame_bytes + frame_queue::large_bytes;
  REQUIRE(append(most));
  CHECK_FALSE(append(1));
  CHECK(queue.buffer().limit_reached());
  CHECK(queue.body_size() == most);
  CHECK(sizes_of(take_all()) == sizes{most});
  // The next frame has the same room.
  REQUIRE(append(most - 1));
  REQUIRE(append(1));
  CHECK_FALSE(append(1));
}

TEST_CASE_METHOD(fixture, "large payloads stand between the frames around them, without a copy") {
  REQUIRE(append(10));
  for (size_t size : {0, 1, 15, 16, 100'000, 2})
    REQUIRE(append_large(20, size) == ec::none);
  REQUIRE(append(30));
  CHECK(queue.has_sealed());
  CHECK(sizes_of(take_all()) == sizes{10, 20, 21, 35, 36, 100'020, 22, 30});
  // The buffer of the large one is good for another one.
  CHECK(pool.idle() == 1);
}

TEST_CASE_METHOD(fixture, "a payload that the peer does not accept leaves no trace") {
  REQUIRE(append(10));
  CHECK(append_large(20, 81, 100) == ec::frame_too_large);
  CHECK(append_large(20, 80, 100) == ec::none);
  CHECK(append_large(101, 0, 100) == ec::frame_too_large);
  REQUIRE(append(30));
  CHECK(sizes_of(take_all()) == sizes{10, 100, 30});
}

TEST_CASE_METHOD(fixture, "bytes wait until they have been written") {
  REQUIRE(append(16));
  REQUIRE(append_large(16, 100'000) == ec::none);
  REQUIRE(append(16));
  queue.close();
  auto all = queue.bytes_waiting();
  queue.take(taken, pool);
  CHECK(queue.bytes_waiting() == all);
  auto first = taken.size();
  queue.written();
  CHECK(queue.bytes_waiting() == all - first);
  queue.clear();
  CHECK(queue.empty());
  CHECK(queue.bytes_waiting() == 0);
  queue.release_memory();
  CHECK(queue.buffer().capacity() == 0);
}
