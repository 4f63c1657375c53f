// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/blittable.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

using namespace test::cases;

TEMPLATE_TEST_CASE("copying plain numbers gives the bytes of writing field by field", "", point,
                   matrix, std_arrays, c_arrays, path, numbers, moments, some_bytes, simd, packed,
                   cache_line, deep_arrays) {
  test::check_equivalence<TestType>();
}
