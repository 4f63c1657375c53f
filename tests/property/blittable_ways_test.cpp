// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/blittable.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

using namespace test::cases;

TEMPLATE_TEST_CASE("copying gives the bytes of writing field by field, however inspect lists them",
                   "", byte_span, by_apply, by_hand, derived, two_bases, roomy_base, fills_tail,
                   with_private_members, nothing, with_hidden_nothing, tagged, uninitialized,
                   switched) {
  test::check_equivalence<TestType>();
}
