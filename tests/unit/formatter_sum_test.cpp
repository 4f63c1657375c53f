// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/sum.hpp"

#include "support/cases/padded.hpp"
#include "support/codec.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

/// Has no CAF type ID.
struct unnamed {
  int8_t a = 0;

  friend bool operator==(const unnamed&, const unnamed&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, unnamed& x) {
  return f.object(x).fields(f.field("a", x.a));
}

/// Optional fields with fallbacks: absent, empty and a value are three different things.
struct with_defaults {
  std::optional<int8_t> empty_by_default;
  std::optional<int8_t> five_by_default;
};

template <class Inspector>
bool inspect(Inspector& f, with_defaults& x) {
  return f.object(x).fields(f.field("empty_by_default", x.empty_by_default).fallback(std::nullopt),
                            f.field("five_by_default", x.five_by_default).fallback(int8_t{5}));
}

/// Throws when it is copied, which leaves a variant without a value.
struct throws_on_copy {
  throws_on_copy() = default;

  throws_on_copy(const throws_on_copy&) {
    throw std::runtime_error{"no"};
  }

  throws_on_copy& operator=(const throws_on_copy&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, throws_on_copy& x) {
  return f.object(x).fields();
}

} // namespace

TEST_CASE("an optional is a byte and perhaps a value") {
  using type = std::optional<int16_t>;
  CHECK(to_hex(encode(type{})) == "00");
  CHECK(to_hex(encode(type{0})) == "010000");
  CHECK(to_hex(encode(type{-2})) == "01feff");
  CHECK_FALSE(decode<type>(from_hex("00")));
  CHECK(decode<type>(from_hex("01 feff")) == type{-2});
  CHECK(decode_code<type>(from_hex("02 feff")) == ec::invalid_bool);
  CHECK(decode_code<type>(from_hex("01 fe")) == ec::unexpected_end);
}

TEST_CASE("an optional replaces what was there") {
  auto x = std::optional<std::vector<std::string>>{{"old", "older"}};
  CHECK(decode_into(x, from_hex("01 01 01 61")) == ec::none);
  CHECK(x == std::vector<std::string>{"a"});
  CHECK(decode_into(x, from_hex("00")) == ec::none);
  CHECK_FALSE(x);
  // A member that is not on the wire does not survive either.
  auto y = std::optional<test::cases::omits_last>{{7, 8, 9}};
  CHECK(decode_into(y, from_hex("01 01000000 02000000")) == ec::none);
  REQUIRE(y);
  CHECK(y->c == 0);
}

TEST_CASE("optionals may be nested") {
  using type = std::optional<std::optional<int8_t>>;
  CHECK(to_hex(encode(type{})) == "00");
  CHECK(to_hex(encode(type{std::optional<int8_t>{}})) == "0100");
  CHECK(to_hex(encode(type{std::optional<int8_t>{3}})) == "010103");
  auto x = decode<type>(from_hex("0100"));
  REQUIRE(x);
  CHECK_FALSE(*x);
}

TEST_CASE("an optional field with a fallback is absent, empty or a value") {
  auto check = [](const with_defaults& x, std::string_view hex) {
    CHECK(to_hex(encode(x)) == to_hex(from_hex(hex)));
    auto y = with_defaults{int8_t{9}, int8_t{9}};
    CHECK(decode_into(y, from_hex(hex)) == ec::none);
    CHECK(y.empty_by_default == x.empty_by_default);
    CHECK(y.five_by_default == x.five_by_default);
  };
  check({std::nullopt, int8_t{5}}, "00 00");
  check({std::nullopt, std::nullopt}, "00 0100");
  check({int8_t{5}, int8_t{7}}, "010105 010107");
  // Redundant, and yet valid: other programs may have another fallback.
  auto x = decode<with_defaults>(from_hex("0100 010105"));
  CHECK_FALSE(x.empty_by_default);
  CHECK(x.five_by_default == int8_t{5});
}

TEST_CASE("a variant is an index and a value") {
  using type = std::variant<std::monostate, std::string, int32_t>;
  CHECK(to_hex(encode(type{})) == "00");
  CHECK(to_hex(encode(type{std::string{"a"}})) == "010161");
  CHECK(to_hex(encode(type{7})) == "0207000000");
  for (auto& x : {type{}, type{std::string{"a"}}, type{7}}) {
    auto y = type{std::string{"old"}};
    CHECK(decode_into(y, encode(x)) == ec::none);
    CHECK((y == x));
  }
}

TEST_CASE("alternatives need no type ID and may occur twice") {
  using type = std::variant<unnamed, int8_t, int8_t, unnamed>;
  auto x = type{std::in_place_index<2>, int8_t{5}};
  auto y = decode<type>(encode(x));
  CHECK(y.index() == 2);
  CHECK(std::get<2>(y) == 5);
  x.emplace<3>(unnamed{6});
  CHECK(to_hex(encode(x)) == "0306");
  y = decode<type>(encode(x));
  CHECK(y.index() == 3);
  CHECK(std::get<3>(y) == unnamed{6});
}

TEST_CASE("an index without an alternative is refused") {
  using type = std::variant<int8_t, int16_t>;
  CHECK(decode_code<type>(from_hex("02 0000")) == ec::invalid_variant_index);
  CHECK(decode_code<type>(from_hex("ff01 0000")) == ec::invalid_variant_index);
  CHECK(decode_code<type>(from_hex("ffffffffffffffffff01")) == ec::invalid_variant_index);
  CHECK(decode_code<type>(from_hex("8000 00")) == ec::invalid_varint);
  CHECK(decode_code<type>(from_hex("01 00")) == ec::unexpected_end);
}

TEST_CASE("a variant without a value cannot be written") {
  std::variant<int8_t, throws_on_copy> x;
  try {
    throws_on_copy y;
    x.emplace<1>(y);
  } catch (const std::runtime_error&) {
    // What remains is a variant without a value.
  }
  REQUIRE(x.valueless_by_exception());
  cafwire::output_buffer out;
  CHECK(cafwire::serialize(out, x) == ec::valueless_variant);
  CHECK(out.empty());
}

#if !CAFWIRE_CAF_1
TEST_CASE("CAF's own sum types have the encoding of those of the standard library") {
  CHECK(to_hex(encode(caf::optional<int16_t>{})) == "00");
  CHECK(to_hex(encode(caf::optional<int16_t>{7})) == "010700");
  CHECK(decode<caf::optional<int16_t>>(from_hex("010700")) == caf::optional<int16_t>{7});
  using type = caf::variant<int32_t, std::string>;
  CHECK(to_hex(encode(type{std::string{"a"}})) == "010161");
  CHECK(decode<type>(from_hex("010161")) == type{std::string{"a"}});
  CHECK(decode_code<type>(from_hex("02")) == ec::invalid_variant_index);
}
#endif
