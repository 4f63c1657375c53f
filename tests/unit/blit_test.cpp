// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/blit.hpp"

#include "cafwire/codec.hpp"

#include "support/cases/all.hpp"
#include "support/catch.hpp"

#include <array>
#include <string>
#include <type_traits>
#include <vector>

using namespace cafwire::layout;
using namespace test::cases;

namespace {

/// What stands in the way of copying, in both directions.
struct expected {
  uint32_t save;
  uint32_t load;
};

template <class T>
void check_verdict(expected want) {
  static_assert(blit_candidate<T>);
  auto verdict = blit_verdict_of<T>();
  INFO("size: " << sizeof(T));
  CHECK(verdict.save_obstacles == want.save);
  CHECK(verdict.load_obstacles == want.load);
  CHECK(may_blit_save<T>() == (want.save == 0));
  CHECK(may_blit_load<T>() == (want.load == 0));
}

template <class... Ts>
void check_all(expected want) {
  (check_verdict<Ts>(want), ...);
}

/// A type that opts out.
struct opted_out {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, opted_out& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

struct holds_opted_out {
  opted_out x;
  int32_t y;
};

template <class Inspector>
bool inspect(Inspector& f, holds_opted_out& v) {
  return f.object(v).fields(f.field("x", v.x), f.field("y", v.y));
}

/// An enum without `inspect` whose integer is a bool: two valid bytes only.
enum class toggle : bool {
  off,
  on,
};

struct with_toggle {
  toggle t;
  int8_t a;
};

template <class Inspector>
bool inspect(Inspector& f, with_toggle& x) {
  return f.object(x).fields(f.field("t", x.t), f.field("a", x.a));
}

/// An enum without `inspect`: all integers are valid.
enum class level : int16_t {
  low,
  high,
};

struct with_level {
  level l;
  int16_t a;
};

template <class Inspector>
bool inspect(Inspector& f, with_level& x) {
  return f.object(x).fields(f.field("l", x.l), f.field("a", x.a));
}

} // namespace

template <>
inline constexpr bool cafwire::disable_blit<opted_out> = true;

TEST_CASE("types whose memory is their encoding may be copied both ways") {
  check_all<point, matrix, std_arrays, c_arrays, path, numbers, moments, some_bytes, byte_span,
            by_apply, by_hand, derived, two_bases, deep_arrays, cache_line, fills_tail,
            with_private_members, with_hidden_nothing, simd, packed, tagged, no_default,
            uninitialized, switched, with_level>({0, 0});
  check_all<std::array<float, 4>, std::array<point, 2>, std::array<std::array<char, 3>, 5>>({0, 0});
}

TEST_CASE("types that judge their values may be copied, because the copy is judged") {
  check_all<flags, flag_array, nested_flags, colored, powered, with_invariant, no_magic, clamped,
            with_toggle>({0, 0});
  check_all<std::array<bool, 4>>({0, 0});
  // Accepts what a new object holds.
  check_all<checked_at_end, no_nan>({0, 0});
}

TEST_CASE("types with padding or unwritten members are not copied") {
  check_all<padded_middle, padded_tail, padded_inside, padded_grid, simd3, extended,
            extended_duration, roomy_base, with_nothing, with_pointer, omits_middle, omits_last,
            with_cache>({out_of_place, out_of_place});
  check_all<std::array<padded_tail, 2>, std::array<long double, 2>>({out_of_place, out_of_place});
}

TEST_CASE("types whose fields are out of order or elsewhere are not copied") {
  check_all<out_of_order, base_behind, one_field_twice, twice_that_fits, halved, bit_field,
            follows_pointer, looks_back>({out_of_place, out_of_place});
}

TEST_CASE("one direction may copy although the other may not") {
  check_verdict<reads_backwards>({0, out_of_place});
  check_verdict<masking_setter>({0, computed_value | out_of_place});
  check_verdict<with_save_callback>({has_callback, 0});
  check_verdict<with_load_callback>({0, has_callback});
  check_verdict<counted>({changed_object, 0});
}

TEST_CASE("the verdict knows an object that changes while it is written") {
  auto verdict = blit_verdict_of<checksummed>();
  CHECK(verdict.save_obstacles == changed_object);
  CHECK(verdict.load_obstacles == 0);
}

TEST_CASE("computed fields are not copied") {
  for (auto verdict : {blit_verdict_of<get_and_set>(), blit_verdict_of<refusing_setter>(),
                       blit_verdict_of<opaque_number>(), blit_verdict_of<bit_word>(),
                       blit_verdict_of<packed_number>(), blit_verdict_of<with_narrow>()}) {
    CHECK((verdict.save_obstacles & computed_value) != 0);
    CHECK((verdict.load_obstacles & computed_value) != 0);
  }
}

TEST_CASE("fields that may be absent are not copied") {
  for (auto verdict : {blit_verdict_of<with_fallback>(), blit_verdict_of<with_computed_fallback>(),
                       blit_verdict_of<maybe_b>(), blit_verdict_of<with_optional>(),
                       blit_verdict_of<with_variant>()}) {
    CHECK((verdict.save_obstacles & dynamic_size) != 0);
    CHECK((verdict.load_obstacles & dynamic_size) != 0);
  }
}

TEST_CASE("types that may differ in size are copied only as long as they do not") {
  check_all<short_kind, rare_short_kind>({0, 0});
  auto usual = rare_short_kind{2, 3};
  auto rare = rare_short_kind{rare_short_kind::rare, 3};
  CHECK(image_is_encoding(usual));
  CHECK_FALSE(image_is_encoding(rare));
  CHECK(accept_image(usual));
  CHECK_FALSE(accept_image(rare));
  rare_short_kind row[] = {usual, rare, usual};
  CHECK(images_are_encoding(row, 1));
  CHECK_FALSE(images_are_encoding(row, 3));
  CHECK_FALSE(accept_images(row, 3));
  check_verdict<hidden_switch>({out_of_place, out_of_place});
}

TEST_CASE("some types are no candidates at all") {
  STATIC_CHECK_FALSE(blit_candidate<int32_t>);         // needs no proof
  STATIC_CHECK_FALSE(blit_candidate<nothing>);         // no bytes
  STATIC_CHECK_FALSE(blit_candidate<number_or_real>);  // a union has no fixed member
  STATIC_CHECK_FALSE(blit_candidate<with_reference>);  // not assignable
  STATIC_CHECK_FALSE(blit_candidate<with_containers>); // not trivially copyable
  STATIC_CHECK_FALSE(blit_candidate<std::string>);
  STATIC_CHECK_FALSE(blit_candidate<std::vector<point>>);
  STATIC_CHECK_FALSE(blit_candidate<color>); // enums are judged on their own
}

TEST_CASE("a type can opt out, and takes those that hold it along") {
  STATIC_CHECK_FALSE(blit_candidate<opted_out>);
  CHECK(blit_verdict_of<holds_opted_out>().save_obstacles != 0);
  CHECK(blit_verdict_of<holds_opted_out>().load_obstacles != 0);
}

TEST_CASE("the verdict never runs callbacks and setters") {
  auto old_calls = with_save_callback::calls + with_load_callback::calls;
  blit_verdict_of<with_save_callback>();
  blit_verdict_of<with_load_callback>();
  CHECK(with_save_callback::calls + with_load_callback::calls == old_calls);
}

TEST_CASE("the replay notices a switch that was turned after the verdict") {
  auto x = switched{1, 2};
  REQUIRE(may_blit_save<switched>());
  CHECK(image_is_encoding(x));
  CHECK(accept_image(x));
  switched::reversed = true;
  CHECK_FALSE(image_is_encoding(x));
  CHECK_FALSE(images_are_encoding(&x, 1));
  CHECK_FALSE(accept_image(x));
  cafwire::output_buffer out;
  CHECK(cafwire::serialize(out, x) == cafwire::ec::none);
  switched::reversed = false;
  REQUIRE(out.size() == 8);
  CHECK(out.data()[0] == std::byte{2});
  CHECK(out.data()[4] == std::byte{1});
}

TEST_CASE("copies with bytes that are no bool are not accepted") {
  for (auto bad : {2, 3, 0x80, 0xff}) {
    for (size_t i = 4; i < 6; ++i) {
      std::byte bytes[sizeof(flags)] = {};
      bytes[i] = static_cast<std::byte>(bad);
      flags x;
      std::memcpy(static_cast<void*>(&x), bytes, sizeof x);
      CHECK_FALSE(accept_image(x));
      CHECK_FALSE(accept_images(&x, 1));
    }
    with_toggle y;
    std::byte bytes[sizeof(with_toggle)] = {static_cast<std::byte>(bad)};
    std::memcpy(static_cast<void*>(&y), bytes, sizeof y);
    CHECK_FALSE(accept_image(y));
  }
}

TEST_CASE("an enum may map integers while a copy is judged") {
  std::byte bytes[] = {std::byte{7}, std::byte{5}};
  powered x;
  std::memcpy(static_cast<void*>(&x), bytes, sizeof x);
  CHECK(accept_image(x));
  CHECK(x.p == power::on);
  CHECK(x.number == 5);
}

TEST_CASE("an empty row is always accepted") {
  CHECK(images_are_encoding(static_cast<point*>(nullptr), 0));
  CHECK(accept_images(static_cast<point*>(nullptr), 0));
}
