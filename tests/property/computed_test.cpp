// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/computed.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

using namespace test::cases;

TEMPLATE_TEST_CASE("getters, setters and callbacks give the bytes of their fields", "", get_and_set,
                   masking_setter, refusing_setter, opaque_number, bit_word, packed_number,
                   with_narrow, with_save_callback, with_load_callback, short_kind, rare_short_kind,
                   hidden_switch) {
  test::check_equivalence<TestType>();
}
