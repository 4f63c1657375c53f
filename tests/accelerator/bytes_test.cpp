// This file is part of cafwire. See the file LICENSE for license terms.

// What accelerated types look like in CAF's binary format.

#include "accelerator/stock.hpp"
#include "accelerator/types.hpp"
#include "support/cases/all.hpp"
#include "support/codec.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace accelerator_test;

using test::encode;
using test::to_hex;

namespace {

template <class T>
void check_round_trip(const T& x) {
  auto wire = stock_encode(x);
  T copy{};
  auto result = stock_decode(wire, copy);
  CHECK(result.ok);
  CHECK(result.error.empty());
  CHECK(result.remaining == 0);
  CHECK(copy == x);
}

/// Accelerated objects have the canonical encoding.
template <class T>
void check_canonical(const T& x) {
  CHECK(to_hex(stock_encode(x)) == to_hex(encode(x)));
  check_round_trip(x);
}

} // namespace

TEST_CASE("an accelerated object is written in its canonical encoding") {
  check_canonical(make_matrix<fast>(1));
  check_canonical(lamp<fast>{999, true, shade::dark});
  check_canonical(padded<fast>{1, -2, true});
  check_canonical(brief<fast>{1, 2});
  check_canonical(brief<fast>{1000, -1});
  check_canonical(patch<fast>{1, std::nullopt});
  check_canonical(patch<fast>{1, 2.5});
  CHECK(to_hex(stock_encode(lamp<fast>{0x0102, true, shade::dark})) == "02010101");
  CHECK(to_hex(stock_encode(padded<fast>{1, 2, true})) == "010200000001");
}

TEST_CASE("an accelerated vector is written in its canonical encoding") {
  for (size_t n : {0, 1, 3, 4, 5, 127, 128, 1000})
    check_canonical(make_matrices<fast>(n));
  for (size_t n : {0, 1, 41, 42, 43, 1000}) {
    check_canonical(std::vector<padded<fast>>(n, {1, -2, true}));
    check_canonical(std::vector<patch<fast>>(n, {1, 2.5}));
    check_canonical(std::vector<lamp<fast>>(n, {1, true, shade::dark}));
    check_canonical(std::vector<silent<fast>>(n));
    auto xs = std::vector<brief<fast>>(n, {1, 2});
    check_canonical(xs);
    if (n > 0)
      xs.back() = {1000, -1};
    check_canonical(xs);
  }
}

TEST_CASE("the bytes of an accelerated value do not depend on what stands around it") {
  auto x = make_matrix<fast>(7);
  auto xs = make_matrices<fast>(9);
  for (size_t n = 0; n < 20; ++n) {
    auto prefix = std::string(n, 'x');
    auto want = stock_encode(prefix);
    for (auto& part : {encode(x), encode(xs), encode(x)})
      want.insert(want.end(), part.begin(), part.end());
    auto wire = stock_encode(prefix, x, xs, x);
    CHECK(to_hex(wire) == to_hex(want));
    std::string other_prefix;
    matrix<fast> first;
    auto ys = make_matrices<fast>(2);
    matrix<fast> last;
    CHECK(stock_decode(wire, other_prefix, first, ys, last).ok);
    CHECK(other_prefix == prefix);
    CHECK(first == x);
    CHECK(ys == xs);
    CHECK(last == x);
  }
}

TEST_CASE("accelerated types are found inside of other types") {
  auto x = make_scene<fast>();
  check_round_trip(x);
  auto wire = to_hex(stock_encode(x));
  CHECK(wire.find(to_hex(encode(x.camera))) != std::string::npos);
  CHECK(wire.find(to_hex(encode(x.bodies))) != std::string::npos);
  CHECK(wire.find(to_hex(encode(x.groups["some"]))) != std::string::npos);
  CHECK(wire.find(to_hex(encode(*x.sun))) != std::string::npos);
  CHECK(wire.find(to_hex(encode(x.pair[1]))) != std::string::npos);
  CHECK(wire.find(to_hex(encode(x.patches[1]))) != std::string::npos);
  // The rest is CAF's format, big endian.
  CHECK(wire.ends_with("12345678"));
}

TEST_CASE("values inside of messages are accelerated") {
  auto msg = caf::make_message(make_scene<fast>(), make_matrices<fast>(5), lamp<fast>{});
  auto wire = to_hex(stock_encode(msg));
  CHECK(wire.find(to_hex(encode(make_matrices<fast>(5)))) != std::string::npos);
  caf::message copy;
  CHECK(stock_decode(stock_encode(msg), copy).ok);
  REQUIRE(copy.types() == msg.types());
  CHECK(copy.get_as<scene<fast>>(0) == make_scene<fast>());
  CHECK(copy.get_as<std::vector<matrix<fast>>>(1) == make_matrices<fast>(5));
}

TEST_CASE("all bits of numbers arrive") {
  // CAF's own format changes subnormal numbers and the payloads of NaNs.
  matrix<fast> x;
  x.values = {1e-40f, -0.0f, std::numeric_limits<float>::infinity(), std::nanf("77")};
  auto wire = stock_encode(x);
  matrix<fast> copy;
  CHECK(stock_decode(wire, copy).ok);
  CHECK(to_hex(std::as_bytes(std::span{copy.values}))
        == to_hex(std::as_bytes(std::span{x.values})));
}

TEST_CASE("types that are not accelerated keep the format of CAF") {
  CHECK(to_hex(stock_encode(lamp<stock>{0x0102, true, shade::dark})) == "01020101");
  check_round_trip(make_scene<stock>());
  CHECK(to_hex(stock_encode(std::vector<uint16_t>{1, 2})) == "0200010002");
}

TEST_CASE("the accelerator makes no difference to the inspectors of cafwire") {
  CHECK(to_hex(encode(make_scene<fast>())) == to_hex(encode(make_scene<stock>())));
  CHECK(test::decode<scene<fast>>(encode(make_scene<stock>())) == make_scene<fast>());
  STATIC_CHECK(cafwire::layout::blit_candidate<matrix<fast>>);
  CHECK(cafwire::layout::may_blit_save<matrix<fast>>());
  CHECK(cafwire::layout::may_blit_load<matrix<fast>>());
}

// -- all kinds of structs -------------------------------------------------------------------------

using namespace test::cases;

TEMPLATE_TEST_CASE("accelerated structs of all kinds have their canonical encoding", "",
                   test::cases::point, test::cases::matrix, std_arrays, c_arrays, path, numbers,
                   moments, some_bytes, simd, packed, flags, flag_array, nested_flags, colored,
                   powered, padded_middle, padded_tail, padded_inside, simd3, with_nothing,
                   with_pointer, omits_middle, omits_last, out_of_order, one_field_twice,
                   get_and_set, masking_setter, bit_field, with_fallback, with_optional, short_kind,
                   rare_short_kind) {
  STATIC_REQUIRE(cafwire::accelerable<TestType>);
  test::random_source source{17};
  for (size_t n : {1, 2, 3, 20, 21, 64, 257}) {
    for (auto round = 0; round < 8; ++round) {
      std::vector<TestType> xs(n);
      for (auto& x : xs)
        REQUIRE(test::randomize(source, x));
      caf::byte_buffer out;
#if CAFWIRE_CAF_1
      caf::binary_serializer f{out};
#else
      caf::binary_serializer f{nullptr, out};
#endif
      auto want = encode(xs[0]);
      auto more = encode(xs);
      want.insert(want.end(), more.begin(), more.end());
      REQUIRE(cafwire::detail::accelerated_apply(f, xs[0]));
      REQUIRE(cafwire::detail::accelerated_apply(f, xs));
      CHECK(to_hex(std::as_bytes(std::span{out})) == to_hex(want));
#if CAFWIRE_CAF_1
      caf::binary_deserializer g{out};
#else
      caf::binary_deserializer g{nullptr, out};
#endif
      TestType y{};
      std::vector<TestType> ys;
      CHECK(cafwire::detail::accelerated_apply(g, y));
      CHECK(cafwire::detail::accelerated_apply(g, ys));
      CHECK(g.remaining() == 0);
      CHECK(to_hex(encode(y)) == to_hex(encode(xs[0])));
      CHECK(to_hex(encode(ys)) == to_hex(encode(xs)));
    }
  }
}
