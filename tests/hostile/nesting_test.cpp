// This file is part of cafwire. See the file LICENSE for license terms.

// Types that hold objects of their own type without any container in between: the bytes of the
// input must not decide how deep the stack grows.

#include <cafwire/codec.hpp>

#include "support/catch.hpp"
#include "support/session_bytes.hpp"

#include <memory>
#include <optional>

using namespace cafwire;
using namespace session_test;

namespace nesting_test {

/// Reads its successor by hand.
struct by_hand {
  std::unique_ptr<by_hand> next;
};

template <class Inspector>
bool inspect(Inspector& f, by_hand& x) {
  auto present = x.next != nullptr;
  if (!f.apply(present))
    return false;
  if (!present) {
    if constexpr (Inspector::is_loading)
      x.next.reset();
    return true;
  }
  if constexpr (Inspector::is_loading)
    x.next = std::make_unique<by_hand>();
  return f.apply(*x.next);
}

/// Reads its successor as an optional field.
struct by_field {
  std::shared_ptr<by_field> next;
};

template <class Inspector>
bool inspect(Inspector& f, by_field& x) {
  auto is_present = [&x] { return x.next != nullptr; };
  auto get = [&x]() -> const by_field& { return *x.next; };
  auto reset = [&x] { x.next.reset(); };
  auto set = [&x](by_field&& y) {
    x.next = std::make_shared<by_field>(std::move(y));
    return true;
  };
  return f.object(x).fields(f.field("next", is_present, get, reset, set));
}

template <class T>
ec decode_chain(size_t length, const limits& bounds = limits::untrusted()) {
  // 1 for each object with a successor, 0 for the last one.
  byte_vector bytes(length - 1, std::byte{1});
  bytes.push_back(std::byte{0});
  exact_copy copy{bytes};
  T x;
  return deserialize(copy.get(), bounds, x);
}

} // namespace nesting_test

using namespace nesting_test;

TEST_CASE("chains of objects are bounded") {
  auto bounds = limits::untrusted();
  CHECK(decode_chain<by_hand>(1) == ec::none);
  CHECK(decode_chain<by_field>(1) == ec::none);
  CHECK(decode_chain<by_hand>(bounds.max_depth + 1) == ec::none);
  CHECK(decode_chain<by_field>(bounds.max_depth + 1) == ec::none);
  CHECK(decode_chain<by_hand>(bounds.max_depth + 2) == ec::depth_limit);
  CHECK(decode_chain<by_field>(bounds.max_depth + 2) == ec::depth_limit);
  CHECK(decode_chain<by_hand>(10'000'000) == ec::depth_limit);
  CHECK(decode_chain<by_field>(10'000'000) == ec::depth_limit);
}

TEST_CASE("the bound on chains follows the limits") {
  auto bounds = limits::untrusted();
  bounds.max_depth = 3;
  CHECK(decode_chain<by_hand>(4, bounds) == ec::none);
  CHECK(decode_chain<by_hand>(5, bounds) == ec::depth_limit);
  bounds.max_depth = SIZE_MAX;
  CHECK(decode_chain<by_hand>(1000, bounds) == ec::none);
}

TEST_CASE("objects side by side do not count as a chain") {
  // Each element leaves the level that it entered.
  stream_builder stream;
  stream.varint(200);
  for (auto i = 0; i < 200; ++i)
    stream.byte(1).byte(1).byte(0);
  std::vector<by_hand> xs;
  exact_copy copy{stream.bytes()};
  CHECK(deserialize(copy.get(), xs) == ec::none);
  CHECK(xs.size() == 200);
}
