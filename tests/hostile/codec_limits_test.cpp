// This file is part of cafwire. See the file LICENSE for license terms.

#include "hostile/allocations.hpp"
#include "support/codec.hpp"
#include "support/specimens.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

using cafwire::ec;
using cafwire::limits;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::tree;
using test::cases::nothing;

namespace {

limits with_depth(size_t depth) {
  auto result = limits::untrusted();
  result.max_depth = depth;
  return result;
}

/// The encoding of a tree with one branch: as many lists inside of each other as there are levels.
test::bytes nested_trees(size_t depth) {
  test::bytes result;
  for (size_t i = 0; i < depth; ++i) {
    result.insert(result.end(), 4, std::byte{7});
    result.push_back(i + 1 < depth ? std::byte{1} : std::byte{0});
  }
  return result;
}

/// Recursion without a container: the inspector only sees fields that may be absent.
struct chain {
  std::unique_ptr<chain> next;

  chain() = default;

  chain(chain&&) = default;

  chain& operator=(chain&&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, chain& x) {
  auto is_present = [&x] { return x.next != nullptr; };
  auto get = [&x]() -> chain& { return *x.next; };
  auto reset = [&x] { x.next.reset(); };
  auto set = [&x](chain&& y) {
    x.next = std::make_unique<chain>(std::move(y));
    return true;
  };
  return f.object(x).fields(f.field("next", is_present, get, reset, set));
}

/// Recursion that only the `inspect` overload knows of.
struct hand_made_chain {
  std::unique_ptr<hand_made_chain> next;
};

template <class Inspector>
bool inspect(Inspector& f, hand_made_chain& x) {
  auto has_next = x.next != nullptr;
  if (!f.apply(has_next))
    return false;
  if (!has_next) {
    x.next.reset();
    return true;
  }
  if constexpr (Inspector::is_loading)
    x.next = std::make_unique<hand_made_chain>();
  return f.apply(*x.next);
}

/// What JSON libraries hold.
struct any_value {
  std::variant<std::monostate, std::vector<any_value>, std::optional<std::string>> value;
};

template <class Inspector>
bool inspect(Inspector& f, any_value& x) {
  return f.object(x).fields(f.field("value", x.value));
}

template <class T>
void check_chain() {
  for (size_t depth : {1, 2, 10, 64}) {
    // As many objects inside of the first one as there are levels.
    test::bytes bytes(depth, std::byte{1});
    bytes.push_back(std::byte{0});
    CHECK(decode_code<T>(bytes, with_depth(depth)) == ec::none);
    bytes.insert(bytes.begin(), std::byte{1});
    CHECK(decode_code<T>(bytes, with_depth(depth)) == ec::depth_limit);
  }
  test::bytes endless(1000000, std::byte{1});
  CHECK(decode_code<T>(endless) == ec::depth_limit);
  CHECK(decode_code<T>(endless, limits::trusted()) == ec::depth_limit);
}

} // namespace

TEST_CASE("containers may be nested up to the limit, and no deeper") {
  for (size_t depth : {1, 2, 10, 64}) {
    CHECK(decode_code<tree>(nested_trees(depth), with_depth(depth)) == ec::none);
    CHECK(decode_code<tree>(nested_trees(depth + 1), with_depth(depth)) == ec::depth_limit);
  }
  CHECK(decode_code<tree>(nested_trees(1000000)) == ec::depth_limit);
  CHECK(decode_code<tree>(nested_trees(1000000), limits::trusted()) == ec::depth_limit);
}

TEST_CASE("optionals and variants count as levels") {
  using type = std::optional<std::optional<std::variant<std::vector<std::string>>>>;
  auto bytes = encode(type{{{std::vector<std::string>{"a"}}}});
  CHECK(decode_code<type>(bytes, with_depth(4)) == ec::none);
  CHECK(decode_code<type>(bytes, with_depth(3)) == ec::depth_limit);
  test::bytes endless(1000000, std::byte{1});
  CHECK(decode_code<any_value>(endless) == ec::depth_limit);
}

TEST_CASE("numbers in a vector are no level of their own") {
  auto bytes = encode(std::vector<int32_t>{1, 2});
  CHECK(decode_code<std::vector<int32_t>>(bytes, with_depth(0)) == ec::none);
}

TEST_CASE("siblings do not add up") {
  auto wide = tree{1, std::vector<tree>(1000)};
  CHECK(decode_code<tree>(encode(wide), with_depth(2)) == ec::none);
  auto strings = std::vector<std::optional<std::string>>(1000, "a");
  CHECK(decode_code<std::vector<std::optional<std::string>>>(encode(strings), with_depth(2))
        == ec::none);
}

TEST_CASE("recursion through optional fields is bounded") {
  check_chain<chain>();
}

TEST_CASE("recursion that an overload makes by hand is bounded") {
  check_chain<hand_made_chain>();
}

TEST_CASE("elements without bytes are bounded") {
  auto count = [](size_t n) { return encode(std::vector<nothing>(n)); };
  CHECK(decode_code<std::vector<nothing>>(count(8192)) == ec::none);
  CHECK(decode_code<std::vector<nothing>>(count(8193)) == ec::unbacked_items_limit);
  CHECK(decode_code<std::vector<nothing>>(count(100000), limits::trusted()) == ec::none);
  for (auto hex : {"ffffffffffffffffff01", "ffffffff0f", "80808040"}) {
    CHECK(decode_code<std::vector<nothing>>(from_hex(hex)) == ec::unbacked_items_limit);
    CHECK(decode_code<std::vector<std::tuple<>>>(from_hex(hex)) == ec::unbacked_items_limit);
    CHECK(decode_code<std::vector<std::array<int32_t, 0>>>(from_hex(hex))
          == ec::unbacked_items_limit);
    CHECK(decode_code<std::list<nothing>>(from_hex(hex)) == ec::unbacked_items_limit);
  }
}

TEST_CASE("elements without bytes add up in one message") {
  auto rows = std::vector<std::vector<nothing>>(2, std::vector<nothing>(4096));
  CHECK(decode_code<std::vector<std::vector<nothing>>>(encode(rows)) == ec::none);
  rows.emplace_back(1);
  CHECK(decode_code<std::vector<std::vector<nothing>>>(encode(rows)) == ec::unbacked_items_limit);
  // Bytes of the message do not pay for elements that have none.
  auto bounds = limits::untrusted();
  bounds.max_unbacked_items = 10;
  using type = std::tuple<std::vector<nothing>, std::string>;
  CHECK(decode_code<type>(encode(type{10, "0123456789"}), bounds) == ec::none);
  CHECK(decode_code<type>(encode(type{11, "0123456789"}), bounds) == ec::unbacked_items_limit);
}

TEST_CASE("values that are small on the wire and large in memory are bounded") {
  using big = std::optional<std::array<uint64_t, 64>>;
  using type = std::vector<big>;
  auto fits = encode(type(100));
  CHECK(decode_code<type>(fits) == ec::none);
  auto bytes = encode(type(10000));
  type x;
  hostile::allocation_watch watch;
  auto code = cafwire::deserialize(bytes, x);
  auto largest = watch.largest();
  CHECK(code == ec::memory_limit);
  CHECK(largest <= 16 * bytes.size() + 65536);
  CHECK(decode_code<type>(bytes, limits::trusted()) == ec::none);
}

TEST_CASE("memory adds up in one message") {
  using big = std::optional<std::array<uint64_t, 64>>;
  using type = std::vector<std::vector<big>>;
  CHECK(decode_code<type>(encode(type(1, std::vector<big>(100)))) == ec::none);
  CHECK(decode_code<type>(encode(type(2, std::vector<big>(100)))) == ec::memory_limit);
}

TEST_CASE("all memory of one message is bounded") {
  auto bounds = limits::untrusted();
  bounds.max_memory_bytes = 1000;
  using type = std::vector<std::string>;
  auto n = 1000 / sizeof(std::string);
  CHECK(decode_code<type>(encode(type(n)), bounds) == ec::none);
  CHECK(decode_code<type>(encode(type(n + 1)), bounds) == ec::memory_limit);
}

TEST_CASE("a system without memory is an error") {
  auto bytes = encode(std::vector<std::string>{std::string(100, 'a'), std::string(100, 'b')});
  for (size_t skip = 0; skip < 3; ++skip) {
    std::vector<std::string> x;
    auto code = ec::none;
    {
      hostile::allocation_failure failure{skip};
      code = cafwire::deserialize(bytes, x);
    }
    CHECK(code == ec::out_of_memory);
    CHECK(decode_into(x, bytes) == ec::none);
    CHECK(x.size() == 2);
  }
}
