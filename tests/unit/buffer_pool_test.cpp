// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/buffer_pool.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

using cafwire::buffer_pool;
using cafwire::output_buffer;

namespace {

output_buffer make_buffer(size_t capacity) {
  output_buffer x;
  REQUIRE(x.reserve(capacity));
  REQUIRE(x.append("abc", 3));
  return x;
}

} // namespace

TEST_CASE("an empty pool hands out new buffers") {
  buffer_pool pool;
  auto x = pool.acquire();
  CHECK(x.empty());
  CHECK(x.capacity() == 0);
  CHECK(pool.idle() == 0);
}

TEST_CASE("a pool hands out the memory that came back last, without its content") {
  buffer_pool pool;
  auto x = make_buffer(100);
  auto y = make_buffer(200);
  auto* memory = y.data();
  pool.release(std::move(x));
  pool.release(std::move(y));
  CHECK(pool.idle() == 2);
  auto z = pool.acquire();
  CHECK(z.data() == memory);
  CHECK(z.capacity() == 200);
  CHECK(z.empty());
  CHECK(pool.acquire().capacity() == 100);
  CHECK(pool.idle() == 0);
}

TEST_CASE("a pool keeps no more buffers than it may") {
  buffer_pool pool{2, 1024};
  for (auto i = 0; i < 5; ++i)
    pool.release(make_buffer(64));
  CHECK(pool.idle() == 2);
}

TEST_CASE("a pool keeps no huge and no empty buffers") {
  buffer_pool pool{8, 1024};
  pool.release(output_buffer{});
  CHECK(pool.idle() == 0);
  pool.release(make_buffer(1025));
  CHECK(pool.idle() == 0);
  pool.release(make_buffer(1024));
  CHECK(pool.idle() == 1);
}

TEST_CASE("giving a buffer back leaves the caller with an empty one") {
  buffer_pool pool{1, 1024};
  auto x = make_buffer(64);
  pool.release(std::move(x));
  CHECK(x.capacity() == 0); // NOLINT: the moved-from state is what is tested
}

TEST_CASE("threads may share a pool") {
  buffer_pool pool{4, 1024};
  std::atomic<int> num_mixed_up = 0;
  auto work = [&pool, &num_mixed_up](int value) {
    for (auto round = 0; round < 2000; ++round) {
      auto x = pool.acquire();
      if (!x.empty() || !x.reserve(64))
        ++num_mixed_up;
      std::memset(x.data(), value, 64);
      for (size_t i = 0; i < 64; ++i)
        if (x.data()[i] != static_cast<std::byte>(value))
          ++num_mixed_up;
      pool.release(std::move(x));
    }
  };
  std::vector<std::thread> threads;
  for (auto value = 1; value <= 4; ++value)
    threads.emplace_back(work, value);
  for (auto& thread : threads)
    thread.join();
  CHECK(num_mixed_up == 0);
  CHECK(pool.idle() >= 1);
  CHECK(pool.idle() <= 4);
}
