// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/shared_ptr.hpp"

#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
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

using number = std::shared_ptr<int16_t>;
using text = std::shared_ptr<std::string>;

constexpr auto same = [](const auto& x, const auto& y) {
  return x == nullptr ? y == nullptr : y != nullptr && *x == *y;
};

/// An object that may point to others of its type.
struct vertex {
  int8_t value = 0;
  std::vector<std::shared_ptr<vertex>> edges;
};

template <class Inspector>
bool inspect(Inspector& f, vertex& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("edges", x.edges));
}

/// A tree whose parts know the whole.
struct part {
  int8_t value = 0;
  std::weak_ptr<part> parent;
  std::vector<std::shared_ptr<part>> children;
};

template <class Inspector>
bool inspect(Inspector& f, part& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("parent", x.parent),
                            f.field("children", x.children));
}

/// Its first member has the same address as itself.
struct wrapper {
  int16_t first = 0;
  int16_t second = 0;
};

template <class Inspector>
bool inspect(Inspector& f, wrapper& x) {
  return f.object(x).fields(f.field("first", x.first), f.field("second", x.second));
}

/// Creates the object that it writes, each time anew.
struct on_the_fly {
  std::vector<int16_t> seen;
};

template <class Inspector>
bool inspect(Inspector& f, on_the_fly& x) {
  auto next = int16_t{1};
  auto get = [&next] { return std::make_shared<int16_t>(next++); };
  auto set = [&x](const number& y) { x.seen.push_back(y != nullptr ? *y : int16_t{-1}); };
  return f.object(x).fields(f.field("a", get, set), f.field("b", get, set), f.field("c", get, set));
}

} // namespace

TEST_CASE("a shared pointer is a number and perhaps an object") {
  check_wire(number{}, std::make_shared<int16_t>(int16_t{9}), {"shared(i16)", "00"}, same);
  check_wire(std::make_shared<int16_t>(int16_t{-2}), number{}, {"shared(i16)", "01 feff"}, same);
  check_wire(std::make_shared<int16_t>(int16_t{-2}), std::make_shared<int16_t>(int16_t{9}),
             {"shared(i16)", "01 feff"}, same);
  using fixed = std::shared_ptr<const std::string>;
  check_wire(fixed{std::make_shared<std::string>("a")}, fixed{}, {"shared(seq(c8))", "01 0161"},
             same);
}

TEST_CASE("two pointers to one object arrive as two pointers to one object") {
  auto x = std::make_shared<std::string>("a");
  auto y = std::make_shared<std::string>("a");
  auto xs = std::vector<text>{x, y, x, nullptr, y};
  CHECK(to_hex(encode(xs))
        == "05"
           "010161"
           "010161"
           "02"
           "00"
           "03");
  for (auto old : {std::vector<text>{}, std::vector<text>{y, y, y, y, y, y, y}}) {
    REQUIRE(decode_into(old, encode(xs)) == ec::none);
    REQUIRE(old.size() == 5);
    CHECK(*old[0] == "a");
    CHECK(old[0] == old[2]);
    CHECK(old[1] == old[4]);
    CHECK(old[0] != old[1]);
    CHECK(old[3] == nullptr);
    CHECK(old[0].use_count() == 2);
  }
  // What the old pointers shared is not overwritten.
  CHECK(*y == "a");
  CHECK(y.use_count() == 3);
}

TEST_CASE("identity holds across all values of a message, but not between messages") {
  auto x = std::make_shared<int16_t>(int16_t{7});
  cafwire::output_buffer out;
  auto map = std::map<int8_t, number>{{int8_t{1}, x}};
  REQUIRE(cafwire::serialize(out, x, map, std::optional<number>{x}) == ec::none);
  CHECK(to_hex(out.bytes())
        == "010700"
           "010102"
           "0102");
  number a;
  std::map<int8_t, number> b;
  std::optional<number> c;
  REQUIRE(cafwire::deserialize(out.bytes(), a, b, c) == ec::none);
  CHECK(a == b.at(1));
  CHECK(a == c.value());
  CHECK(to_hex(encode(x)) == "010700");
  CHECK(to_hex(encode(x)) == "010700");
}

TEST_CASE("objects that share others keep their shape") {
  CHECK(schema_of<vertex>().text == "{value:i8,edges:seq(shared(^1))}");
  auto d = std::make_shared<vertex>(vertex{4, {}});
  auto b = std::make_shared<vertex>(vertex{2, {d}});
  auto c = std::make_shared<vertex>(vertex{3, {d}});
  auto a = vertex{1, {b, c, b}};
  CHECK(to_hex(encode(a))
        == "01"
           "03"
           "0102"
           "01"
           "0104"
           "00"
           "0103"
           "01"
           "03"
           "02");
  auto x = decode<vertex>(encode(a));
  REQUIRE(x.edges.size() == 3);
  CHECK(x.edges[0] == x.edges[2]);
  CHECK(x.edges[0]->edges.at(0) == x.edges[1]->edges.at(0));
  CHECK(x.edges[1]->edges.at(0)->value == 4);
}

TEST_CASE("an object that holds itself is an error on both sides") {
  auto a = std::make_shared<vertex>();
  a->edges.push_back(std::make_shared<vertex>());
  a->edges[0]->edges.push_back(a);
  cafwire::output_buffer out;
  CHECK(cafwire::serialize(out, a) == ec::reference_cycle);
  CHECK(out.empty());
  a->edges.clear();
  a->edges.push_back(a);
  CHECK(cafwire::serialize(out, a) == ec::reference_cycle);
  a->edges.clear();
  using pointer = std::shared_ptr<vertex>;
  CHECK(decode_code<pointer>(from_hex("01 00 01 02")) == ec::reference_cycle);
  CHECK(decode_code<pointer>(from_hex("01 00 01 01 00 01 02")) == ec::reference_cycle);
  // The object behind it is complete.
  CHECK(decode_code<pointer>(from_hex("01 00 02 01 00 00 03")) == ec::none);
}

TEST_CASE("a reference to an object that is not there is refused") {
  CHECK(decode_code<number>(from_hex("02")) == ec::unknown_reference);
  CHECK(decode_code<std::vector<number>>(from_hex("02 010000 03")) == ec::unknown_reference);
  CHECK(decode_code<number>(from_hex("ffffffffffffffffff01")) == ec::unknown_reference);
  CHECK(decode_code<number>(from_hex("8000")) == ec::invalid_varint);
  CHECK(decode_code<number>(from_hex("")) == ec::unexpected_end);
}

TEST_CASE("a reference to an object of another type is refused") {
  using pair = std::pair<number, text>;
  CHECK(decode_code<pair>(from_hex("010000 010161")) == ec::none);
  CHECK(decode_code<pair>(from_hex("010000 02")) == ec::reference_type_mismatch);
  // Even if it has the same encoding.
  using signs = std::pair<number, std::shared_ptr<uint16_t>>;
  CHECK(decode_code<signs>(from_hex("010000 02")) == ec::reference_type_mismatch);
  // But const makes no other type.
  using views = std::pair<number, std::shared_ptr<const int16_t>>;
  auto x = decode<views>(from_hex("010500 02"));
  CHECK(x.first == x.second);
}

TEST_CASE("an object and its first member are two objects") {
  auto x = std::make_shared<wrapper>(wrapper{1, 2});
  auto first = number{x, &x->first};
  auto pair = std::pair{x, first};
  CHECK(to_hex(encode(pair))
        == "0101000200"
           "010100");
  auto y = decode<std::pair<std::shared_ptr<wrapper>, number>>(encode(pair));
  CHECK(y.first->second == 2);
  CHECK(*y.second == 1);
}

TEST_CASE("objects that only live while they are written are not mixed up") {
  CHECK(to_hex(encode(on_the_fly{}))
        == "010100"
           "010200"
           "010300");
  auto x = decode<on_the_fly>(from_hex("010100 010200 010300"));
  CHECK(x.seen == std::vector<int16_t>{1, 2, 3});
  x = decode<on_the_fly>(from_hex("010100 02 00"));
  CHECK(x.seen == std::vector<int16_t>{1, 1, -1});
}

TEST_CASE("a weak pointer finds its object if that is in the message") {
  auto x = std::make_shared<int16_t>(int16_t{7});
  using weak = std::weak_ptr<int16_t>;
  CHECK(schema_of<weak>().text == "weak(i16)");
  CHECK(to_hex(encode(weak{})) == "00");
  CHECK(to_hex(encode(weak{x})) == "010700");
  auto expired = weak{};
  {
    auto temporary = std::make_shared<int16_t>(int16_t{1});
    expired = temporary;
  }
  CHECK(to_hex(encode(expired)) == "00");
  // In front of the object and behind it.
  auto front = decode<std::pair<weak, number>>(encode(std::pair{weak{x}, x}));
  CHECK(front.first.lock() == front.second);
  CHECK(*front.second == 7);
  auto behind = decode<std::pair<number, weak>>(encode(std::pair{x, weak{x}}));
  CHECK(behind.second.lock() == behind.first);
  // Nobody holds the object.
  auto alone = weak{x};
  CHECK(decode_into(alone, from_hex("010700")) == ec::none);
  CHECK(alone.expired());
  CHECK(decode_into(alone, from_hex("02")) == ec::unknown_reference);
  CHECK(decode_code<std::pair<text, weak>>(from_hex("0100 02")) == ec::reference_type_mismatch);
}

TEST_CASE("parts may point back to the whole with weak pointers") {
  auto root = std::make_shared<part>();
  root->value = 1;
  for (auto i = 0; i < 2; ++i) {
    auto child = std::make_shared<part>();
    child->value = static_cast<int8_t>(2 + i);
    child->parent = root;
    root->children.push_back(child);
  }
  auto bytes = encode(root);
  CHECK(to_hex(bytes)
        == "01"
           "01"
           "00"
           "02"
           "01"
           "02"
           "02"
           "00"
           "01"
           "03"
           "02"
           "00");
  auto x = decode<std::shared_ptr<part>>(bytes);
  REQUIRE(x->children.size() == 2);
  CHECK(x.use_count() == 1);
  CHECK(x->parent.expired());
  for (auto& child : x->children)
    CHECK(child->parent.lock() == x);
}

TEST_CASE("shared pointers are read within limits") {
  test::bytes endless(100000, std::byte{1});
  CHECK(decode_code<std::shared_ptr<vertex>>(endless) == ec::depth_limit);
  CHECK(decode_code<std::shared_ptr<std::shared_ptr<int8_t>>>(from_hex("01 01 05")) == ec::none);
  test::check_hostile_length(std::vector<number>{nullptr});
  // 64 empty strings take 64 bytes of input and 2 KiB of memory.
  using blocks = std::vector<std::shared_ptr<std::array<std::string, 64>>>;
  test::bytes bytes = from_hex("e807");
  for (size_t i = 0; i < 1000; ++i) {
    bytes.push_back(std::byte{1});
    bytes.insert(bytes.end(), 64, std::byte{0});
  }
  CHECK(decode_code<blocks>(bytes) == ec::memory_limit);
  CHECK(decode_code<blocks>(bytes, cafwire::limits::trusted()) == ec::none);
  // References are cheap.
  bytes = from_hex("e807");
  bytes.push_back(std::byte{1});
  bytes.insert(bytes.end(), 64, std::byte{0});
  bytes.insert(bytes.end(), 999, std::byte{2});
  CHECK(decode_code<blocks>(bytes) == ec::none);
}

TEST_CASE("shared pointers stand inside of all kinds of values") {
  auto x = std::make_shared<int16_t>(int16_t{7});
  using sum = std::variant<std::string, number>;
  using all
    = std::tuple<sum, std::optional<number>, std::array<number, 2>, std::unique_ptr<number>>;
  auto value = all{sum{x}, x, std::array{x, number{}}, std::make_unique<number>(x)};
  CHECK(to_hex(encode(value))
        == "01010700"
           "0102"
           "0200"
           "0102");
  auto y = decode<all>(encode(value));
  CHECK(std::get<1>(std::get<0>(y)) == *std::get<3>(y));
  CHECK(std::get<1>(y) == std::get<2>(y)[0]);
  CHECK(std::get<2>(y)[1] == nullptr);
}

TEST_CASE("a message that fails leaves no objects behind") {
  auto x = std::make_shared<std::string>("a");
  auto fine = std::vector<text>{x, x};
  {
    auto decoded = std::vector<text>{};
    CHECK(decode_into(decoded, from_hex("03 010161 02 05")) == ec::unknown_reference);
  }
  cafwire::output_buffer out;
  {
    cafwire::serializer f{out};
    CHECK(f.apply(x));
    CHECK(x.use_count() == 4);
  }
  CHECK(x.use_count() == 3);
}
