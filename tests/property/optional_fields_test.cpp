// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/computed.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

using namespace test::cases;

TEMPLATE_TEST_CASE("fields that may be absent give the bytes of the reference", "", with_fallback,
                   with_computed_fallback, maybe_b, with_optional, with_variant, with_containers) {
  test::check_equivalence<TestType>();
}
