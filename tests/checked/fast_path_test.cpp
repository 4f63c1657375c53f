// This file is part of cafwire. See the file LICENSE for license terms.

// What no proof can see is caught by comparing both paths. All sources of this program turn that
// on.
#undef CAFWIRE_CHECK_FAST_PATH
#define CAFWIRE_CHECK_FAST_PATH 1

#include "cafwire/inspect/check_fast_path.hpp"

#include "cafwire/codec.hpp"

#include "support/cases/all.hpp"
#include "support/codec.hpp"
#include "support/equivalence.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <valarray>
#include <vector>

using cafwire::ec;
using test::decode_code;
using test::from_hex;
using namespace test::cases;

namespace {

/// Changes after it was written, but only for one value.
struct changes_when_written {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, changes_when_written& x) {
  auto ok = f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
  if constexpr (!Inspector::is_loading)
    if (x.a == 77)
      x.b = 0;
  return ok;
}

/// Shows another face to cafwire's serializer than to everybody else.
struct two_faced_writer {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, two_faced_writer& x) {
  if constexpr (std::is_same_v<Inspector, cafwire::serializer>)
    return f.object(x).fields(f.field("b", x.b), f.field("a", x.a));
  else
    return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

/// The same for the deserializer.
struct two_faced_reader {
  int32_t a, b;
};

template <class Inspector>
bool inspect(Inspector& f, two_faced_reader& x) {
  auto ok = f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
  if constexpr (std::is_same_v<Inspector, cafwire::deserializer>)
    x.b += 1;
  return ok;
}

/// Only the real reader refuses.
struct refuses_late {
  int32_t a;
};

template <class Inspector>
bool inspect(Inspector& f, refuses_late& x) {
  auto ok = f.object(x).fields(f.field("a", x.a));
  if constexpr (std::is_same_v<Inspector, cafwire::deserializer>)
    return ok && x.a != 5;
  else
    return ok;
}

template <class T>
ec encode_code(const T& x) {
  cafwire::output_buffer out;
  auto code = cafwire::serialize(out, x);
  CHECK(out.empty() == (code != ec::none));
  return code;
}

} // namespace

TEST_CASE("an overload that changes its object while writing is caught") {
  REQUIRE(cafwire::layout::may_blit_save<changes_when_written>());
  CHECK(encode_code(changes_when_written{1, 2}) == ec::none);
  CHECK(encode_code(changes_when_written{77, 0}) == ec::none);
  CHECK(encode_code(changes_when_written{77, 2}) == ec::fast_path_mismatch);
  using list = std::vector<changes_when_written>;
  CHECK(encode_code(list{{1, 2}, {3, 4}}) == ec::none);
  CHECK(encode_code(list{{1, 2}, {77, 4}}) == ec::fast_path_mismatch);
  using array = std::array<changes_when_written, 2>;
  CHECK(encode_code(array{{{1, 2}, {77, 4}}}) == ec::fast_path_mismatch);
}

TEST_CASE("an overload that writes other bytes than it shows is caught") {
  REQUIRE(cafwire::layout::may_blit_save<two_faced_writer>());
  CHECK(encode_code(two_faced_writer{1, 1}) == ec::none);
  CHECK(encode_code(two_faced_writer{1, 2}) == ec::fast_path_mismatch);
  CHECK(encode_code(std::vector<two_faced_writer>{{1, 2}}) == ec::fast_path_mismatch);
  cafwire::output_buffer out;
  cafwire::serializer f{out};
  CHECK_FALSE(f.apply(two_faced_writer{1, 2}));
  CHECK(f.detail()
        == "{a:i32,b:i32}: writes other bytes: 0100000002000000 by copy, 0200000001000000 by "
           "field");
}

TEST_CASE("an overload that reads other values than it shows is caught") {
  REQUIRE(cafwire::layout::may_blit_load<two_faced_reader>());
  auto hex = std::string_view{"01000000 02000000"};
  CHECK(decode_code<two_faced_reader>(from_hex(hex)) == ec::fast_path_mismatch);
  CHECK(decode_code<std::array<two_faced_reader, 1>>(from_hex(hex)) == ec::fast_path_mismatch);
  CHECK(decode_code<std::vector<two_faced_reader>>(from_hex("01 01000000 02000000"))
        == ec::fast_path_mismatch);
  CHECK(decode_code<std::valarray<two_faced_reader>>(from_hex("01 01000000 02000000"))
        == ec::fast_path_mismatch);
  CHECK(decode_code<refuses_late>(from_hex("04000000")) == ec::none);
  CHECK(decode_code<refuses_late>(from_hex("05000000")) == ec::fast_path_mismatch);
}

TEST_CASE("honest overloads pass") {
  test::check_equivalence<point>();
  test::check_equivalence<numbers>();
  test::check_equivalence<nested_flags>();
  test::check_equivalence<colored>();
  test::check_equivalence<powered>();
  test::check_equivalence<clamped>();
  test::check_equivalence<padded_inside>();
  test::check_equivalence<rare_short_kind>();
}
