// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/reordered.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

using namespace test::cases;

TEMPLATE_TEST_CASE("members in another order give the bytes of their fields", "", out_of_order,
                   one_field_twice, twice_that_fits, base_behind, reads_backwards, halved,
                   bit_field, follows_pointer, number_or_real, looks_back, counted, checksummed) {
  test::check_equivalence<TestType>();
}
