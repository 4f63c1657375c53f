// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/derived_types.hpp"

#include "cafwire/codec.hpp"
#include "cafwire/message/message_codec.hpp"

#include "support/codec.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using cafwire::ec;
using cafwire::layout::schema_of;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace derived_test {

struct shape {
  virtual ~shape() = default;

  virtual int area() const = 0;
};

struct circle : shape {
  int8_t radius = 0;

  int area() const override {
    return 3 * radius * radius;
  }
};

struct square : shape {
  int16_t side = 0;

  int area() const override {
    return side * side;
  }
};

/// Derives from a type in the list, but is not in the list itself.
struct rounded_square : square {};

/// A shape that holds others.
struct group : shape {
  std::vector<std::unique_ptr<shape>> members;

  int area() const override {
    auto sum = 0;
    for (auto& x : members)
      sum += x->area();
    return sum;
  }
};

template <class Inspector>
bool inspect(Inspector& f, circle& x) {
  return f.object(x).fields(f.field("radius", x.radius));
}

template <class Inspector>
bool inspect(Inspector& f, square& x) {
  return f.object(x).fields(f.field("side", x.side));
}

template <class Inspector>
bool inspect(Inspector& f, group& x) {
  return f.object(x).fields(f.field("members", x.members));
}

/// Concrete itself, and the virtual base of another.
struct animal {
  virtual ~animal() = default;

  int8_t age = 0;
};

struct named_thing {
  virtual ~named_thing() = default;

  std::string name;
};

struct dog : virtual animal, named_thing {
  int8_t tricks = 0;
};

template <class Inspector>
bool inspect(Inspector& f, animal& x) {
  return f.object(x).fields(f.field("age", x.age));
}

template <class Inspector>
bool inspect(Inspector& f, dog& x) {
  return f.object(x).fields(f.field("age", x.age), f.field("name", x.name),
                            f.field("tricks", x.tricks));
}

} // namespace derived_test

using namespace derived_test;

template <>
inline constexpr auto
  cafwire::derived_types<shape> = cafwire::derived_list<square, circle, group>{};

template <>
inline constexpr std::string_view cafwire::wire_name<circle> = "circle";

template <>
inline constexpr std::string_view cafwire::wire_name<square> = "square";

template <>
inline constexpr std::string_view cafwire::wire_name<group> = "group";

template <>
inline constexpr auto cafwire::derived_types<animal> = cafwire::derived_list<animal, dog>{};

template <>
inline constexpr auto cafwire::derived_types<named_thing> = cafwire::derived_list<dog>{};

template <>
inline constexpr std::string_view cafwire::wire_name<animal> = "animal";

template <>
inline constexpr std::string_view cafwire::wire_name<dog> = "dog";

namespace {

template <class T, class Set>
std::unique_ptr<T> make(Set set) {
  auto result = std::make_unique<T>();
  set(*result);
  return result;
}

std::unique_ptr<shape> make_circle(int8_t radius) {
  return make<circle>([=](circle& x) { x.radius = radius; });
}

std::unique_ptr<shape> make_square(int16_t side) {
  return make<square>([=](square& x) { x.side = side; });
}

} // namespace

TEST_CASE("an object behind a pointer to its base has its name in front") {
  using type = std::unique_ptr<shape>;
  CHECK(to_hex(encode(type{})) == "00");
  CHECK(to_hex(encode(make_circle(2))) == to_hex(from_hex("01 06 636972636c65 02")));
  CHECK(to_hex(encode(make_square(3))) == to_hex(from_hex("01 06 737175617265 0300")));
  for (auto old : {0, 1, 2}) {
    auto x = old == 0 ? type{} : old == 1 ? make_circle(9) : make_square(9);
    CHECK(decode_into(x, encode(make_square(3))) == ec::none);
    REQUIRE(dynamic_cast<square*>(x.get()) != nullptr);
    CHECK(x->area() == 9);
    CHECK(decode_into(x, from_hex("00")) == ec::none);
    CHECK(x == nullptr);
  }
  auto bytes = encode(make_circle(2));
  for (size_t n = 0; n < bytes.size(); ++n)
    CHECK(decode_code<type>(std::span{bytes}.first(n)) != ec::none);
}

TEST_CASE("the schema lists the derived types in the order of their names") {
  CHECK(schema_of<std::unique_ptr<shape>>().text
        == "opt(any(circle:{radius:i8},group:{members:seq(opt(any(circle:{radius:i8},group:^1,"
           "square:{side:i16})))},square:{side:i16}))");
  CHECK(schema_of<std::shared_ptr<animal>>().text
        == "shared(any(animal:{age:i8},dog:{age:i8,name:seq(c8),tricks:i8}))");
  CHECK_FALSE(schema_of<std::unique_ptr<shape>>().fixed_size);
  CHECK(schema_of<std::unique_ptr<shape>>().min_size == 1);
}

TEST_CASE("objects of derived types may own others") {
  auto inner = std::make_unique<group>();
  inner->members.push_back(make_circle(1));
  auto outer = std::make_unique<group>();
  outer->members.push_back(std::move(inner));
  outer->members.push_back(make_square(2));
  auto x = std::unique_ptr<shape>{std::move(outer)};
  auto y = decode<std::unique_ptr<shape>>(encode(x));
  CHECK(y->area() == 7);
  CHECK(to_hex(encode(y)) == to_hex(encode(x)));
  // As deep as the input likes, but not deeper than the limit.
  test::bytes deep;
  auto level = from_hex("01 05 67726f7570 01");
  for (auto i = 0; i < 1000; ++i)
    deep.insert(deep.end(), level.begin(), level.end());
  CHECK(decode_code<std::unique_ptr<shape>>(deep) == ec::depth_limit);
}

TEST_CASE("a name that is not in the list is an error that says it") {
  auto bytes = from_hex("01 04 63756265 02");
  std::unique_ptr<shape> x;
  cafwire::deserializer f{bytes};
  CHECK_FALSE(f.apply(x));
  CHECK(f.code() == ec::unknown_derived_type);
  CHECK(f.detail() == "cube");
  using type = std::unique_ptr<shape>;
  CHECK(decode_code<type>(from_hex("01 00 02")) == ec::unknown_derived_type);
  CHECK(decode_code<type>(from_hex("01 03 646f67 000000")) == ec::unknown_derived_type);
  CHECK(decode_code<type>(from_hex("01 ff01 6364")) == ec::length_exceeds_input);
  CHECK(decode_code<type>(from_hex("01 ffffffffffffffffff01")) == ec::length_exceeds_input);
}

TEST_CASE("an object of a type that is not in the list is not cut to one that is") {
  auto x = std::unique_ptr<shape>{std::make_unique<rounded_square>()};
  cafwire::output_buffer out;
  CHECK(cafwire::serialize(out, x) == ec::unknown_derived_type);
  CHECK(out.empty());
}

TEST_CASE("a virtual base finds its objects") {
  auto rex = std::make_shared<dog>();
  rex->age = 3;
  rex->name = "rex";
  rex->tricks = 5;
  auto x = std::shared_ptr<animal>{rex};
  CHECK(to_hex(encode(x)) == to_hex(from_hex("01 03 646f67 03 03726578 05")));
  auto y = decode<std::shared_ptr<animal>>(encode(x));
  auto copy = std::dynamic_pointer_cast<dog>(y);
  REQUIRE(copy != nullptr);
  CHECK(copy->name == "rex");
  CHECK(copy->tricks == 5);
  auto plain = std::make_shared<animal>();
  plain->age = 7;
  auto z = decode<std::shared_ptr<animal>>(encode(plain));
  CHECK(z->age == 7);
  CHECK(std::dynamic_pointer_cast<dog>(z) == nullptr);
}

TEST_CASE("pointers to different bases of one object arrive as pointers to one object") {
  auto rex = std::make_shared<dog>();
  rex->name = "rex";
  using pair = std::pair<std::shared_ptr<animal>, std::shared_ptr<named_thing>>;
  auto x = pair{rex, rex};
  CHECK(to_hex(encode(x)) == to_hex(from_hex("01 03 646f67 00 03726578 00 02")));
  auto y = decode<pair>(encode(x));
  CHECK(std::dynamic_pointer_cast<dog>(y.first) == std::dynamic_pointer_cast<dog>(y.second));
  CHECK(y.second->name == "rex");
  // An object of the first base that is none of the second.
  CHECK(decode_code<pair>(from_hex("01 06 616e696d616c 05 02")) == ec::reference_type_mismatch);
  CHECK(decode_code<pair>(from_hex("01 06 616e696d616c 05 00")) == ec::none);
}
