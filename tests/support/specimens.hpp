// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "support/cases/all.hpp"

#include <array>
#include <bitset>
#include <complex>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

namespace test {

/// A type that holds others of its kind.
struct tree {
  int32_t value = 0;
  std::vector<tree> children;
};

template <class Inspector>
bool inspect(Inspector& f, tree& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("children", x.children));
}

/// Calls `fn` with values of the kinds that a stranger could try to break. Each begins with a
/// length that is not 0, and no other length in its place gives a value.
template <class Fn>
void for_each_container(Fn fn) {
  using namespace cases;
  using strings = std::vector<std::string>;
  fn(std::string{"text"});
  fn(std::string(300, 'x'));
  fn(std::u16string{u"text"});
  fn(std::u32string(100, U'x'));
  fn(std::vector<bool>(16, true));
  fn(std::vector<uint8_t>(40, 7));
  fn(std::vector<int32_t>{1, 2, 3});
  fn(std::vector<double>(40, 1.5));
  fn(std::vector<long double>{1.0L, -2.0L});
  fn(std::vector<point>{{1, 2, 3}, {4, 5, 6}});
  fn(std::vector<point>(30, {7, 8, 9}));
  fn(std::vector<flags>(40, {1, true, false, 2}));
  fn(std::vector<padded_tail>{{1.0, 2}, {3.0, 4}});
  fn(std::vector<padded_middle>(60, {1, 2}));
  fn(std::vector<with_optional>{{1, 2}, {3, std::nullopt}});
  fn(std::vector<with_variant>{{1}, {2.5}});
  fn(std::vector<std::pair<int8_t, std::string>>{{1, "a"}, {2, "b"}});
  fn(std::vector<std::array<point, 2>>(3, {{{1, 2, 3}, {4, 5, 6}}}));
  fn(strings{"", "a", std::string(300, 'b')});
  fn(std::vector<strings>{{"a"}, {}, {"b", "c"}});
  fn(std::deque<std::vector<int16_t>>{{1}, {2, 3}});
  fn(std::list<point>{{1, 2, 3}});
  fn(std::set<int32_t>{1, 2, 3});
  fn(std::multiset<std::string>{"a", "a", "b"});
  fn(std::map<std::string, std::vector<int32_t>>{{"a", {1}}, {"b", {}}});
  fn(std::unordered_map<int8_t, std::string>{{1, "a"}});
  fn(std::vector<tree>{{1, {{2, {}}, {3, {{4, {}}}}}}, {5, {}}});
  fn(std::forward_list<int16_t>{1, 2, 3});
  fn(std::forward_list<std::string>{"a", "bc"});
  fn(std::valarray<double>{1.5, -2.5});
  fn(std::valarray<std::string>{"a", "bc"});
  fn(std::valarray<point>(point{1, 2, 3}, 2));
  fn(std::stack<std::string>{{"a", "bc"}});
  fn(std::queue<int32_t>{{1, 2}});
  fn(std::vector<std::complex<float>>(40, {1.5f, -2.5f}));
  fn(std::vector<std::bitset<12>>{0x801, 0x7ff});
  fn(std::filesystem::path{"/a/b/c.txt"});
  fn(std::error_code{5, std::generic_category()});
  auto object = std::make_shared<std::string>("abc");
  fn(std::vector<std::shared_ptr<std::string>>{object, nullptr, object});
}

/// The same, and values that do not begin with a length.
template <class Fn>
void for_each_specimen(Fn fn) {
  using namespace cases;
  for_each_container(fn);
  fn(uint64_t{1});
  fn(1.0L);
  fn(path{});
  fn(nested_flags{});
  fn(padded_inside{});
  fn(std::optional<std::string>{"abc"});
  fn(std::optional<std::optional<point>>{point{1, 2, 3}});
  fn(std::variant<int8_t, std::string, std::vector<point>>{std::vector<point>(2)});
  fn(std::tuple<bool, std::string, std::optional<double>>{true, "abc", 1.0});
  fn(std::array<std::string, 3>{"a", "", "b"});
  fn(with_containers{"abc", {1, 2}, {true, false, true}, u"xyz"});
  fn(tree{1, {{2, {{3, {}}}}, {4, {}}}});
  fn(std::bitset<12>{0x801});
  fn(std::complex<long double>{1.0L, -2.0L});
  auto object = std::make_shared<point>(point{1, 2, 3});
  fn(std::array<std::shared_ptr<point>, 3>{object, nullptr, object});
}

} // namespace test
