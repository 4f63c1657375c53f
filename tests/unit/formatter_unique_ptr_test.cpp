// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/unique_ptr.hpp"

#include "support/cases/padded.hpp"
#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using cafwire::ec;
using cafwire::layout::schema_of;
using test::check_wire;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

constexpr auto same = [](const auto& x, const auto& y) {
  return x == nullptr ? y == nullptr : y != nullptr && *x == *y;
};

/// A list whose nodes own each other.
struct chain {
  int8_t value = 0;
  std::unique_ptr<chain> next;
};

template <class Inspector>
bool inspect(Inspector& f, chain& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("next", x.next));
}

/// Virtual, but nothing derives from it.
class closed final {
public:
  virtual ~closed() = default;

  int8_t value = 0;
};

template <class Inspector>
bool inspect(Inspector& f, closed& x) {
  return f.object(x).fields(f.field("value", x.value));
}

} // namespace

TEST_CASE("a unique pointer is a byte and perhaps an object") {
  using type = std::unique_ptr<int16_t>;
  check_wire(type{}, std::make_unique<int16_t>(int16_t{9}), {"opt(i16)", "00"}, same);
  check_wire(std::make_unique<int16_t>(int16_t{-2}), type{}, {"opt(i16)", "01 feff"}, same);
  check_wire(std::make_unique<int16_t>(int16_t{-2}), std::make_unique<int16_t>(int16_t{9}),
             {"opt(i16)", "01 feff"}, same);
  CHECK(decode_code<type>(from_hex("02 0000")) == ec::invalid_bool);
  using text = std::unique_ptr<std::string>;
  check_wire(std::make_unique<std::string>("a"), std::make_unique<std::string>("old"),
             {"opt(seq(c8))", "01 0161"}, same);
  CHECK(decode_code<text>(from_hex("01 ff01")) == ec::length_exceeds_input);
  using fixed = std::unique_ptr<const int8_t>;
  check_wire(fixed{std::make_unique<int8_t>(int8_t{1})}, fixed{std::make_unique<int8_t>(int8_t{2})},
             {"opt(i8)", "01 01"}, same);
}

TEST_CASE("a unique pointer keeps nothing of the old object") {
  using test::cases::omits_last;
  auto x = std::make_unique<omits_last>(omits_last{7, 8, 9});
  CHECK(decode_into(x, from_hex("01 01000000 02000000")) == ec::none);
  REQUIRE(x != nullptr);
  CHECK(x->b == 2);
  CHECK(x->c == 0);
}

TEST_CASE("objects may own objects of their type") {
  CHECK(schema_of<chain>().text == "{value:i8,next:opt(^1)}");
  auto x = chain{1, std::make_unique<chain>()};
  x.next->value = 2;
  CHECK(to_hex(encode(x)) == "01010200");
  auto y = chain{9, std::make_unique<chain>()};
  y.next->next = std::make_unique<chain>();
  CHECK(decode_into(y, from_hex("01010200")) == ec::none);
  REQUIRE(y.next != nullptr);
  CHECK(y.next->value == 2);
  CHECK(y.next->next == nullptr);
  test::bytes endless(1000000, std::byte{1});
  CHECK(decode_code<chain>(endless) == ec::depth_limit);
  CHECK(
    decode_code<std::unique_ptr<std::unique_ptr<std::unique_ptr<int8_t>>>>(from_hex("01 01 01 05"))
    == ec::none);
}

TEST_CASE("the memory of objects behind pointers is limited") {
  using blocks = std::vector<std::unique_ptr<std::array<std::string, 64>>>;
  auto bytes = encode(blocks(100));
  CHECK(decode_code<blocks>(bytes) == ec::none);
  // 64 empty strings are 64 bytes on the wire and 2 KiB in memory.
  test::bytes pointers = from_hex("e807");
  for (size_t i = 0; i < 1000; ++i) {
    pointers.push_back(std::byte{1});
    pointers.insert(pointers.end(), 64, std::byte{0});
  }
  CHECK(decode_code<blocks>(pointers) == ec::memory_limit);
  CHECK(decode_code<blocks>(pointers, cafwire::limits::trusted()) == ec::none);
}

TEST_CASE("a final class with virtual functions needs no list") {
  auto x = std::make_unique<closed>();
  x->value = 3;
  CHECK(to_hex(encode(x)) == "0103");
  CHECK(decode<std::unique_ptr<closed>>(from_hex("0103"))->value == 3);
}
