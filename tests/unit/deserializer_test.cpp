// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/deserializer.hpp"

#include "support/cases/all.hpp"
#include "support/codec.hpp"

#include <caf/error.hpp>
#include <caf/sec.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <string>
#include <vector>

using cafwire::deserializer;
using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using namespace test::cases;

namespace {

/// Sets an error of its own before it fails.
struct complaining {
  int32_t a = 0;
};

template <class Inspector>
bool inspect(Inspector& f, complaining& x) {
  if (!f.apply(x.a))
    return false;
  if constexpr (Inspector::is_loading) {
    f.emplace_error(caf::sec::invalid_argument);
    return false;
  }
  return true;
}

template <class T>
void check_number(T x) {
  CHECK(decode<T>(encode(x)) == x);
}

template <class T>
void check_integer() {
  using bounds = std::numeric_limits<T>;
  for (auto x : {bounds::min(), bounds::max(), T{0}, T{1}, static_cast<T>(bounds::max() / 3)})
    check_number<T>(x);
  CHECK(decode_code<T>(test::bytes(sizeof(T) - 1)) == ec::unexpected_end);
  CHECK(decode_code<T>(test::bytes(sizeof(T) + 1)) == ec::trailing_bytes);
}

template <class Float, class Bits>
void check_float_bits(Bits bits) {
  auto x = std::bit_cast<Float>(bits);
  auto y = decode<Float>(encode(x));
  CHECK(std::bit_cast<Bits>(y) == bits);
  // The same inside of a run, which is copied.
  auto ys = decode<std::vector<Float>>(encode(std::vector<Float>{x, x}));
  REQUIRE(ys.size() == 2);
  CHECK(std::bit_cast<Bits>(ys[1]) == bits);
}

test::bytes long_double_bytes(long double x) {
  test::bytes result(10);
  std::memcpy(result.data(), &x, 10);
  return result;
}

} // namespace

TEST_CASE("integers survive a round trip") {
  check_integer<int8_t>();
  check_integer<uint8_t>();
  check_integer<int16_t>();
  check_integer<uint16_t>();
  check_integer<int32_t>();
  check_integer<uint32_t>();
  check_integer<int64_t>();
  check_integer<uint64_t>();
  check_integer<char>();
  check_integer<char16_t>();
  check_integer<char32_t>();
  check_integer<wchar_t>();
  for (auto i = 0; i < 256; ++i)
    CHECK(decode<std::byte>(encode(static_cast<std::byte>(i))) == static_cast<std::byte>(i));
}

TEST_CASE("floats keep all of their bits") {
  // Zeros, subnormals, the edges of the normal numbers, infinities.
  for (auto sign : {0u, 0x80000000u})
    for (auto bits : {0u, 1u, 0x7fffffu, 0x800000u, 0x3f800000u, 0x7f7fffffu, 0x7f800000u})
      check_float_bits<float>(sign | bits);
  // Quiet NaNs with and without a payload, signaling NaNs.
  for (auto sign : {0u, 0x80000000u})
    for (auto bits : {0x7fc00000u, 0x7fc00001u, 0x7fffffffu, 0x7f800001u, 0x7fbfffffu})
      check_float_bits<float>(sign | bits);
}

TEST_CASE("doubles keep all of their bits") {
  for (auto sign : {uint64_t{0}, uint64_t{1} << 63})
    for (auto bits :
         {uint64_t{0}, uint64_t{1}, uint64_t{0xfffffffffffff}, uint64_t{1} << 52,
          uint64_t{0x3ff0000000000000}, uint64_t{0x7fefffffffffffff}, uint64_t{0x7ff0000000000000},
          uint64_t{0x7ff8000000000000}, uint64_t{0x7ff8000000000001}, uint64_t{0x7fffffffffffffff},
          uint64_t{0x7ff0000000000001}, uint64_t{0x7ff7ffffffffffff}})
      check_float_bits<double>(sign | bits);
}

TEST_CASE("long doubles keep their value") {
  using bounds = std::numeric_limits<long double>;
  for (auto x : {0.0L, 1.0L, 1.0L / 3, bounds::min(), bounds::max(), bounds::denorm_min(),
                 bounds::min() / 3, bounds::infinity(), bounds::epsilon()}) {
    for (auto y : {x, -x}) {
      auto z = decode<long double>(encode(y));
      CHECK(z == y);
      CHECK(std::signbit(z) == std::signbit(y));
      CHECK(test::to_hex(encode(y)) == test::to_hex(long_double_bytes(y)));
    }
  }
  for (auto x : {bounds::quiet_NaN(), std::nanl("42")}) {
    auto bytes = encode(x);
    auto y = decode<long double>(bytes);
    CHECK(std::isnan(y));
    CHECK(test::to_hex(encode(y)) == test::to_hex(bytes));
  }
}

TEST_CASE("bytes that are no long double are refused") {
  // The leading bit of the significand is set exactly if the exponent is not zero.
  CHECK(decode_code<long double>(from_hex("0000000000000080ff3f")) == ec::none);
  CHECK(decode_code<long double>(from_hex("0000000000000000ff3f")) == ec::invalid_float);
  CHECK(decode_code<long double>(from_hex("ffffffffffffff7fff7f")) == ec::invalid_float);
  CHECK(decode_code<long double>(from_hex("00000000000000800000")) == ec::invalid_float);
  CHECK(decode_code<long double>(from_hex("00000000000000800080")) == ec::invalid_float);
  CHECK(decode_code<long double>(from_hex("ffffffffffffff7f0080")) == ec::none);
  CHECK(decode_code<std::vector<long double>>(from_hex("01 0000000000000000ff3f"))
        == ec::invalid_float);
  CHECK(decode_code<extended>(from_hex("0000000000000000ff3f")) == ec::invalid_float);
}

TEST_CASE("a bool is 0 or 1, wherever it stands") {
  for (auto bad : {2, 3, 0x7f, 0x80, 0xff}) {
    auto byte = static_cast<std::byte>(bad);
    CHECK(decode_code<bool>(test::bytes{byte}) == ec::invalid_bool);
    // In structs that are copied, in arrays of them, and in sequences of them.
    for (size_t i = 4; i < 6; ++i) {
      test::bytes one(8);
      one[i] = byte;
      CHECK(decode_code<flags>(one) == ec::invalid_bool);
      CHECK(decode_code<with_invariant>(one) == ec::none);
    }
    for (size_t i = 0; i < 8; ++i) {
      test::bytes eight(8);
      eight[i] = byte;
      CHECK(decode_code<flag_array>(eight) == ec::invalid_bool);
      auto sequence = from_hex("08");
      sequence.insert(sequence.end(), eight.begin(), eight.end());
      CHECK(decode_code<std::deque<bool>>(sequence) == ec::invalid_bool);
    }
    for (size_t n : {1, 2, 31, 32, 33, 100}) {
      auto many = encode(std::vector<flags>(n, flags{1, true, false, 2}));
      many[many.size() - 3] = byte;
      CHECK(decode_code<std::vector<flags>>(many) == ec::invalid_bool);
    }
    test::bytes nested(24);
    nested[13] = byte;
    CHECK(decode_code<nested_flags>(nested) == ec::invalid_bool);
    nested[13] = std::byte{0};
    nested[23] = byte;
    CHECK(decode_code<nested_flags>(nested) == ec::invalid_bool);
  }
}

TEST_CASE("after a refused copy, no bool is invalid") {
  flags x = {1, true, true, 2};
  CHECK(decode_into(x, from_hex("01000000 01 02 0000")) == ec::invalid_bool);
  uint8_t raw[2];
  std::memcpy(&raw[0], &x.a, 1);
  std::memcpy(&raw[1], &x.b, 1);
  CHECK(raw[0] < 2);
  CHECK(raw[1] < 2);
  std::vector<flags> xs(3, x);
  CHECK(decode_into(xs, from_hex("02 01000000 01 02 0000 01000000 ff ff 0000"))
        == ec::invalid_bool);
  for (auto& y : xs) {
    std::memcpy(&raw[0], &y.a, 1);
    std::memcpy(&raw[1], &y.b, 1);
    CHECK(raw[0] < 2);
    CHECK(raw[1] < 2);
  }
}

TEST_CASE("enums judge their integer") {
  CHECK(decode<color>(from_hex("02000000")) == color::blue);
  CHECK(decode_code<color>(from_hex("03000000")) == ec::invalid_enum);
  CHECK(decode_code<colored>(from_hex("03000000 00000000")) == ec::invalid_enum);
  CHECK(decode_code<std::vector<colored>>(from_hex("01 ffffffff 00000000")) == ec::invalid_enum);
  CHECK(decode<power>(from_hex("07")) == power::on);
  CHECK(decode<powered>(from_hex("0705")).p == power::on);
  CHECK(decode<std::vector<powered>>(from_hex("0107 05")).at(0).p == power::on);
}

TEST_CASE("invariants judge their field") {
  CHECK(decode<with_invariant>(from_hex("01000000 ffffffff")).high == -1);
  CHECK(decode_code<with_invariant>(from_hex("ffffffff 01000000")) == ec::invariant_failed);
  CHECK(decode_code<std::vector<with_invariant>>(from_hex("01 ffffffff 01000000"))
        == ec::invariant_failed);
  CHECK(decode_code<checked_at_end>(from_hex("01000000 01000000")) == ec::inspect_failed);
  CHECK(decode_code<no_magic>(from_hex("8877665544332211")) == ec::inspect_failed);
  CHECK(decode_code<no_nan>(from_hex("000000000000f87f")) == ec::inspect_failed);
}

TEST_CASE("setters judge their value and may say why") {
  CHECK(decode<get_and_set>(from_hex("01000000 02000000")).b == 2);
  CHECK(decode<masking_setter>(from_hex("01000000 02010000")).b == 2);
  CHECK(decode_code<refusing_setter>(from_hex("01000000 0d000000")) == ec::inspect_failed);
  auto bytes = from_hex("01000000 0d000000");
  deserializer f{bytes};
  refusing_setter x;
  CHECK_FALSE(f.apply(x));
  CHECK(f.get_error() == caf::sec::invalid_argument);
}

TEST_CASE("an overload may set an error of its own") {
  auto bytes = from_hex("01000000");
  deserializer f{bytes};
  complaining x;
  CHECK_FALSE(f.apply(x));
  CHECK(f.code() == ec::inspect_failed);
  if (cafwire::compat::core_meta_objects_ready())
    CHECK(f.get_error() == caf::sec::invalid_argument);
}

TEST_CASE("an optional field with a fallback knows three states") {
  CHECK(decode<with_fallback>(from_hex("01000000 00")).b == 3);
  CHECK(decode<with_fallback>(from_hex("01000000 01 00000000")).b == 0);
  CHECK(decode<with_fallback>(from_hex("01000000 01 07000000")).b == 7);
  CHECK(decode_code<with_fallback>(from_hex("01000000 02")) == ec::invalid_bool);
  with_fallback x = {5, 6};
  CHECK(decode_into(x, from_hex("01000000 00")) == ec::none);
  CHECK(x.b == 3);
}

TEST_CASE("a field that is absent is reset") {
  maybe_b x = {1, true, 9};
  CHECK(decode_into(x, from_hex("01000000 00")) == ec::none);
  CHECK_FALSE(x.has_b);
  CHECK(x.b == 0);
  CHECK(decode_into(x, from_hex("01000000 01 04000000")) == ec::none);
  CHECK(x.has_b);
  CHECK(x.b == 4);
}

TEST_CASE("a value that is cut off is an unexpected end, copied or not") {
  for (size_t n = 0; n < sizeof(point); ++n)
    CHECK(decode_code<point>(test::bytes(n)) == ec::unexpected_end);
  for (size_t n = 0; n < 5; ++n)
    CHECK(decode_code<padded_middle>(test::bytes(n)) == ec::unexpected_end);
}

TEST_CASE("the bytes of a number may stand at any address") {
  auto bytes = encode(std::vector<uint64_t>{1, 2, 3}, point{4, 5, 6}, 7.5);
  for (size_t shift = 0; shift < 16; ++shift) {
    test::exact_copy input{bytes, shift};
    std::vector<uint64_t> xs;
    point y;
    double z = 0;
    REQUIRE(cafwire::deserialize(input.get(), xs, y, z) == ec::none);
    CHECK(xs == std::vector<uint64_t>{1, 2, 3});
    CHECK(y.z == 6);
    CHECK(z == 7.5);
  }
}

TEST_CASE("the reader tells where it is") {
  auto bytes = from_hex("0100 02 03");
  deserializer f{bytes};
  int16_t a = 0;
  int8_t b = 0;
  REQUIRE(f.apply(a));
  CHECK(f.offset() == 2);
  REQUIRE(f.apply(b));
  CHECK(f.offset() == 3);
  CHECK(f.remaining() == 1);
}

TEST_CASE("functions behind CAF's DSL can be called by hand") {
  auto bytes = from_hex("02 6869" // a string
                        "01"      // a field that is present
                        "01 05"   // an alternative
                        "00"      // an alternative that is absent
                        "02 0102" // a sequence
                        "01 0304" // a map
                        "ee");    // bytes
  caf::type_id_t ids[] = {caf::type_id_v<int32_t>, caf::type_id_v<std::string>};
  auto types = caf::span<const caf::type_id_t>{ids, 2};
  deserializer f{bytes};
  std::string text;
  auto present = false;
  size_t n = 0;
  int8_t x = 0;
  REQUIRE(f.begin_object(caf::invalid_type_id, "x"));
  REQUIRE((f.begin_field("a") && f.value(text) && f.end_field()));
  CHECK(text == "hi");
  REQUIRE((f.begin_field("b", present) && f.end_field()));
  CHECK(present);
  REQUIRE((f.begin_field("c", types, n) && f.value(x) && f.end_field()));
  CHECK(n == 1);
  CHECK(x == 5);
  REQUIRE((f.begin_field("d", present, types, n) && f.end_field()));
  CHECK_FALSE(present);
  REQUIRE(f.begin_sequence(n));
  CHECK(n == 2);
  REQUIRE((f.value(x) && f.value(x) && f.end_sequence()));
  REQUIRE(f.begin_associative_array(n));
  CHECK(n == 1);
  REQUIRE((f.begin_key_value_pair() && f.value(x) && f.value(x) && f.end_key_value_pair()));
  REQUIRE(f.end_associative_array());
  cafwire::compat::byte raw;
  REQUIRE(f.value(caf::span<cafwire::compat::byte>{&raw, 1}));
  CHECK(static_cast<int>(raw) == 0xee);
  REQUIRE(f.end_object());
  CHECK(f.remaining() == 0);
}

TEST_CASE("an alternative by hand must exist") {
  auto bytes = from_hex("02");
  caf::type_id_t ids[] = {caf::type_id_v<int32_t>, caf::type_id_v<std::string>};
  deserializer f{bytes};
  size_t index = 0;
  CHECK_FALSE(f.begin_field("c", caf::span<const caf::type_id_t>{ids, 2}, index));
  CHECK(f.code() == ec::invalid_variant_index);
}

TEST_CASE("a type that only the inspector could know is not supported") {
  auto bytes = from_hex("02");
  deserializer f{bytes};
  auto type = caf::type_id_t{1};
  CHECK_FALSE(f.fetch_next_object_type(type));
  CHECK(f.code() == ec::unsupported_type);
}
