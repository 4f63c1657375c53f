// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/adaptor.hpp"

#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <queue>
#include <span>
#include <stack>
#include <string>
#include <vector>

using cafwire::ec;
using test::check_wire;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

template <class T>
std::vector<typename T::value_type> drain(T& xs) {
  std::vector<typename T::value_type> result;
  while (!xs.empty()) {
    if constexpr (requires { xs.front(); })
      result.push_back(xs.front());
    else
      result.push_back(xs.top());
    xs.pop();
  }
  return result;
}

/// Leaves the queue in the order of its priority; says where it comes from.
struct job {
  int8_t priority = 0;
  int8_t origin = 0;

  friend bool operator<(const job& x, const job& y) {
    return x.priority < y.priority;
  }
};

template <class Inspector>
bool inspect(Inspector& f, job& x) {
  return f.object(x).fields(f.field("priority", x.priority), f.field("origin", x.origin));
}

} // namespace

TEST_CASE("a stack is the sequence of its elements, the top one last") {
  using type = std::stack<int16_t>;
  auto x = type{{1, 2, -1}};
  check_wire(x, type{{9, 9, 9, 9}}, {"seq(i16)", "03 0100 0200 ffff"});
  check_wire(type{}, x, {"seq(i16)", "00"});
  auto y = decode<type>(encode(x));
  CHECK(y.top() == -1);
  test::check_hostile_length(x);
  using other = std::stack<std::string, std::list<std::string>>;
  check_wire(other{{"a", "b"}}, other{}, {"seq(seq(c8))", "02 0161 0162"});
}

TEST_CASE("a queue is the sequence of its elements, the next one first") {
  using type = std::queue<int16_t>;
  auto x = type{{1, 2, -1}};
  check_wire(x, type{{9, 9, 9, 9}}, {"seq(i16)", "03 0100 0200 ffff"});
  check_wire(type{}, x, {"seq(i16)", "00"});
  auto y = decode<type>(encode(x));
  CHECK(y.front() == 1);
  test::check_hostile_length(x);
}

TEST_CASE("a priority queue is the sequence inside of it") {
  using type = std::priority_queue<int16_t>;
  auto x = type{};
  for (auto number : {1, 5, 3, 4})
    x.push(static_cast<int16_t>(number));
  CHECK(to_hex(encode(x))
        == "04"
           "0500"
           "0400"
           "0300"
           "0100");
  CHECK(cafwire::layout::schema_of<type>().text == "seq(i16)");
  for (auto old_size : {0, 1, 9}) {
    auto y = type{};
    for (auto i = 0; i < old_size; ++i)
      y.push(static_cast<int16_t>(100 + i));
    CHECK(decode_into(y, encode(x)) == ec::none);
    CHECK(to_hex(encode(y)) == to_hex(encode(x)));
    CHECK(drain(y) == std::vector<int16_t>{5, 4, 3, 1});
  }
  CHECK(to_hex(encode(type{})) == "00");
  CHECK(decode<type>(from_hex("00")).empty());
  test::check_hostile_length(x);
  auto bytes = encode(x);
  for (size_t n = 0; n < bytes.size(); ++n)
    CHECK(decode_code<type>(std::span{bytes}.first(n)) != ec::none);
}

TEST_CASE("a priority queue arrives as a heap, whatever was sent") {
  using type = std::priority_queue<int8_t>;
  auto x = decode<type>(from_hex("05 01 02 03 04 05"));
  CHECK(drain(x) == std::vector<int8_t>{5, 4, 3, 2, 1});
  // A reader with another order than the writer.
  using reversed = std::priority_queue<int8_t, std::vector<int8_t>, std::greater<int8_t>>;
  auto y = reversed{};
  CHECK(decode_into(y, from_hex("05 05 04 03 02 01")) == ec::none);
  CHECK(drain(y) == std::vector<int8_t>{1, 2, 3, 4, 5});
  // All orders of five elements.
  auto order = std::vector<int8_t>{1, 2, 3, 4, 5};
  do {
    auto z = decode<type>(encode(order));
    CHECK(drain(z) == std::vector<int8_t>{5, 4, 3, 2, 1});
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("elements of equal priority leave a queue in the order of the writer") {
  using type = std::priority_queue<job>;
  auto x = type{};
  for (auto i = 0; i < 50; ++i)
    x.push({static_cast<int8_t>(i % 3), static_cast<int8_t>(i)});
  auto y = decode<type>(encode(x));
  while (!x.empty()) {
    REQUIRE(y.size() == x.size());
    CHECK(y.top().origin == x.top().origin);
    x.pop();
    y.pop();
  }
}

TEST_CASE("a priority queue that cannot be read is empty, not half a heap") {
  auto x = std::priority_queue<std::string>{};
  x.push("old");
  CHECK(decode_into(x, from_hex("03 0161 0162 05")) == ec::length_exceeds_input);
  CHECK(x.empty());
}

TEST_CASE("elements of adaptors may be move-only") {
  using pointer = std::unique_ptr<int8_t>;
  std::stack<pointer> x;
  x.push(std::make_unique<int8_t>(int8_t{7}));
  auto y = std::stack<pointer>{};
  y.push(nullptr);
  CHECK(decode_into(y, encode(x)) == ec::none);
  REQUIRE(y.size() == 1);
  CHECK(*y.top() == 7);
  auto less = [](const pointer& a, const pointer& b) { return *a < *b; };
  auto z = std::priority_queue<pointer, std::vector<pointer>, decltype(less)>{less};
  CHECK(decode_into(z, from_hex("03 0101 0103 0102")) == ec::none);
  REQUIRE(z.size() == 3);
  CHECK(*z.top() == 3);
}
