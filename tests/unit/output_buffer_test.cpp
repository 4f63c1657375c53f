// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/output_buffer.hpp"

#include "support/bytes.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

using cafwire::output_buffer;
using test::to_hex;

namespace {

constexpr auto huge = std::numeric_limits<size_t>::max();

std::string pattern(size_t n) {
  std::string result;
  for (size_t i = 0; i < n; ++i)
    result += static_cast<char>('a' + i % 26);
  return result;
}

std::string content(const output_buffer& x) {
  return {reinterpret_cast<const char*>(x.data()), x.size()};
}

} // namespace

TEST_CASE("a new output buffer is empty and owns no memory") {
  output_buffer x;
  CHECK(x.empty());
  CHECK(x.size() == 0);
  CHECK(x.capacity() == 0);
  CHECK(x.data() == nullptr);
  CHECK(x.bytes().empty());
}

TEST_CASE("appending keeps what was written before, across all growth steps") {
  auto text = pattern(2000);
  for (auto step : {size_t{1}, size_t{7}, size_t{255}, size_t{256}, size_t{257}}) {
    output_buffer x;
    for (size_t i = 0; i < text.size(); i += step)
      REQUIRE(x.append(text.data() + i, std::min(step, text.size() - i)));
    CHECK(content(x) == text);
    CHECK(x.capacity() >= x.size());
  }
}

TEST_CASE("appending nothing changes nothing") {
  output_buffer x;
  CHECK(x.append(nullptr, 0));
  CHECK(x.empty());
  REQUIRE(x.append("abc", 3));
  CHECK(x.append(nullptr, 0));
  CHECK(content(x) == "abc");
}

TEST_CASE("memory starts on a 16-byte boundary, so that long runs are aligned") {
  output_buffer x;
  for (size_t n = 1; n < 5000; n += 97) {
    REQUIRE(x.append("x", 1));
    REQUIRE(x.reserve(n));
    CHECK(reinterpret_cast<uintptr_t>(x.data()) % 16 == 0);
  }
}

TEST_CASE("growth is geometric") {
  output_buffer x;
  auto num_growths = 0;
  for (size_t i = 0; i < 100000; ++i) {
    auto capacity = x.capacity();
    REQUIRE(x.append("x", 1));
    num_growths += capacity != x.capacity() ? 1 : 0;
  }
  CHECK(num_growths > 1);
  CHECK(num_growths < 20);
}

TEST_CASE("reserve makes room for exactly what was asked and never shrinks") {
  output_buffer x;
  REQUIRE(x.reserve(100));
  CHECK(x.capacity() == 100);
  CHECK(x.empty());
  REQUIRE(x.reserve(10));
  CHECK(x.capacity() == 100);
  REQUIRE(x.append("abc", 3));
  REQUIRE(x.reserve(101));
  CHECK(x.capacity() == 101);
  CHECK(content(x) == "abc");
}

TEST_CASE("reserve_more counts from the end of what was written") {
  output_buffer x;
  auto text = pattern(300);
  REQUIRE(x.append(text.data(), text.size()));
  REQUIRE(x.reserve_more(1000));
  CHECK(x.capacity() >= 1300);
  CHECK(content(x) == text);
}

TEST_CASE("clearing and truncating keep the memory") {
  output_buffer x;
  REQUIRE(x.append("abcdef", 6));
  auto* memory = x.data();
  auto capacity = x.capacity();
  x.truncate(2);
  CHECK(content(x) == "ab");
  x.clear();
  CHECK(x.empty());
  CHECK(x.data() == memory);
  CHECK(x.capacity() == capacity);
}

TEST_CASE("bytes written in place count once their size is set") {
  output_buffer x;
  REQUIRE(x.reserve(4));
  x.data()[0] = std::byte{1};
  x.data()[1] = std::byte{2};
  x.set_size(2);
  CHECK(to_hex(x.bytes()) == "0102");
}

TEST_CASE("moving an output buffer moves the memory") {
  output_buffer x;
  REQUIRE(x.append("abc", 3));
  auto* memory = x.data();
  auto y = std::move(x);
  CHECK(y.data() == memory);
  CHECK(content(y) == "abc");
  output_buffer z;
  REQUIRE(z.append("z", 1));
  z = std::move(y);
  CHECK(z.data() == memory);
  CHECK(content(z) == "abc");
  output_buffer other;
  z.swap(other);
  CHECK(z.empty());
  CHECK(content(other) == "abc");
}

TEST_CASE("impossible sizes are refused and leave the buffer alone") {
  output_buffer x;
  REQUIRE(x.append("abc", 3));
  auto capacity = x.capacity();
  CHECK_FALSE(x.reserve(huge));
  CHECK_FALSE(x.reserve_more(huge));
  CHECK_FALSE(x.reserve_more(huge - 2));
  CHECK_FALSE(x.reserve_more(huge / 2));
  CHECK(x.capacity() == capacity);
  CHECK(content(x) == "abc");
}
