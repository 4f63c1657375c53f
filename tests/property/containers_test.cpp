// This file is part of cafwire. See the file LICENSE for license terms.

#include "support/cases/padded.hpp"
#include "support/equivalence.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace {

using test::cases::padded_middle;
using test::cases::point;

using sorted_map = std::map<int8_t, std::string>;
using sorted_multimap = std::multimap<bool, int32_t>;
using hash_map = std::unordered_map<std::string, bool>;
using tuple = std::tuple<bool, std::string, point>;
using pair = std::pair<int8_t, padded_middle>;
using variant = std::variant<int32_t, std::string, double>;
using rows = std::vector<std::vector<point>>;

} // namespace

TEMPLATE_TEST_CASE("sequences and strings have the bytes of the reference", "", std::string,
                   std::u16string, std::u32string, std::vector<bool>, std::deque<padded_middle>,
                   std::list<std::string>, rows) {
  test::check_equivalence<TestType>();
}

TEMPLATE_TEST_CASE("sets and maps have the bytes of the reference", "", std::set<int32_t>,
                   std::multiset<int8_t>, std::unordered_set<std::string>, sorted_map,
                   sorted_multimap, hash_map) {
  test::check_equivalence<TestType>();
}

TEMPLATE_TEST_CASE("sums and products have the bytes of the reference", "", tuple, pair, variant,
                   std::optional<std::string>, std::optional<point>) {
  test::check_equivalence<TestType>();
}
