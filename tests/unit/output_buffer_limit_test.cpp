// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/output_buffer.hpp"

#include "support/catch.hpp"

#include <string>
#include <utility>

using cafwire::output_buffer;

namespace {

const auto text = std::string(10'000, 'x');

} // namespace

TEST_CASE("a buffer with a limit holds so many bytes and no more") {
  for (size_t limit : {size_t{0}, size_t{1}, size_t{255}, size_t{256}, size_t{257}, size_t{9999}}) {
    INFO(limit);
    output_buffer out;
    out.limit(limit);
    CHECK(out.append(text.data(), limit));
    CHECK_FALSE(out.limit_reached());
    CHECK_FALSE(out.append(text.data(), 1));
    CHECK(out.limit_reached());
    CHECK(out.size() == limit);
    // What fits is welcome still.
    out.truncate(limit / 2);
    CHECK(out.append(text.data(), limit - limit / 2));
    out.unlimit();
    CHECK_FALSE(out.limit_reached());
    CHECK(out.append(text.data(), 1));
  }
}

TEST_CASE("a limit below the capacity hides the rest of it") {
  output_buffer out;
  REQUIRE(out.reserve(8192));
  out.limit(100);
  CHECK(out.capacity() == 100);
  CHECK(out.append(text.data(), 100));
  CHECK_FALSE(out.reserve_more(1));
  CHECK_FALSE(out.reserve(101));
  CHECK(out.limit_reached());
  SECTION("until it is taken away") {
    out.unlimit();
    CHECK(out.capacity() == 8192);
  }
  SECTION("until there is another one") {
    out.limit(200);
    CHECK(out.capacity() == 200);
    CHECK_FALSE(out.limit_reached());
  }
  SECTION("until there is one beyond the capacity") {
    out.limit(10'000);
    CHECK(out.capacity() == 8192);
    CHECK(out.append(text.data(), 9'900));
    CHECK_FALSE(out.append(text.data(), 1));
  }
}

TEST_CASE("a limit moves with the buffer") {
  output_buffer out;
  REQUIRE(out.reserve(512));
  out.limit(10);
  output_buffer other{std::move(out)};
  CHECK_FALSE(other.append(text.data(), 11));
  CHECK(other.limit_reached());
  output_buffer third;
  third.swap(other);
  CHECK(third.limit_reached());
  CHECK_FALSE(third.append(text.data(), 11));
  CHECK(other.append(text.data(), text.size()));
}
