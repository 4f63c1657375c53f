// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/judged.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

using namespace test::cases;

TEMPLATE_TEST_CASE("copies are judged as reading field by field would", "", flags, flag_array,
                   nested_flags, color, colored, power, powered, with_invariant, checked_at_end,
                   no_nan, no_magic, clamped) {
  test::check_equivalence<TestType>();
}
