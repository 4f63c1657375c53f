// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/reflect.hpp"

#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

struct plain {
  int32_t a;
  float b[3];
  std::array<int16_t, 4> c;
};

struct judged {
  bool a;
  int8_t b;
  bool c[2];
};

struct padded {
  int8_t a;
  int64_t b;
  plain c[2];
  bool d;
};

struct owning {
  std::string a;
  std::vector<plain> b;
  std::optional<int32_t> c;
  judged d;
};

} // namespace

template <>
inline constexpr bool cafwire::reflect_members<plain> = true;
template <>
inline constexpr bool cafwire::reflect_members<judged> = true;
template <>
inline constexpr bool cafwire::reflect_members<padded> = true;
template <>
inline constexpr bool cafwire::reflect_members<owning> = true;

TEMPLATE_TEST_CASE("reflected members give the bytes of writing them one by one", "", plain, judged,
                   padded, owning) {
  test::check_equivalence<TestType>();
}
