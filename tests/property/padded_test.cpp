// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/padded.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

using namespace test::cases;

TEMPLATE_TEST_CASE("types with padding or unwritten members give the bytes of their fields", "",
                   padded_middle, padded_tail, padded_inside, padded_grid, simd3, extended,
                   extended_duration, with_nothing, with_pointer, omits_middle, omits_last,
                   with_cache) {
  test::check_equivalence<TestType>();
}
