// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/forward_list.hpp"

#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <cstdint>
#include <forward_list>
#include <memory>
#include <string>
#include <vector>

using cafwire::ec;
using test::check_wire;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

TEST_CASE("a singly linked list has the encoding of a vector") {
  using type = std::forward_list<int32_t>;
  check_wire(type{1, 2, -1}, type{9}, {"seq(i32)", "03 01000000 02000000 ffffffff"});
  check_wire(type{}, type{9, 8}, {"seq(i32)", "00"});
  using strings = std::forward_list<std::string>;
  check_wire(strings{"a", ""}, strings{"old", "older", "oldest"}, {"seq(seq(c8))", "02 0161 00"});
  for (size_t n : {63, 64, 65, 200}) {
    auto numbers = std::vector<int32_t>(n, 7);
    auto list = type(numbers.begin(), numbers.end());
    CHECK(to_hex(encode(list)) == to_hex(encode(numbers)));
    auto decoded = type{1, 2, 3};
    CHECK(decode_into(decoded, encode(numbers)) == ec::none);
    CHECK(decoded == list);
  }
}

TEST_CASE("a singly linked list is read within limits") {
  test::check_hostile_length(std::forward_list<int32_t>{1});
  test::check_hostile_length(std::forward_list<std::string>{"a"});
  using deep = std::forward_list<std::forward_list<std::forward_list<int8_t>>>;
  auto bounds = cafwire::limits::untrusted();
  bounds.max_depth = 2;
  CHECK(decode_code<deep>(from_hex("01 01 01 05"), bounds) == ec::none);
  bounds.max_depth = 1;
  CHECK(decode_code<deep>(from_hex("01 01 01 05"), bounds) == ec::depth_limit);
}

TEST_CASE("elements of a singly linked list may be move-only") {
  std::forward_list<std::unique_ptr<int8_t>> x;
  x.push_front(std::make_unique<int8_t>(int8_t{1}));
  x.push_front(nullptr);
  CHECK(to_hex(encode(x))
        == "02"
           "00"
           "0101");
  auto y = std::forward_list<std::unique_ptr<int8_t>>{};
  CHECK(decode_into(y, encode(x)) == ec::none);
  CHECK(y.front() == nullptr);
  y.pop_front();
  CHECK(*y.front() == 1);
}
