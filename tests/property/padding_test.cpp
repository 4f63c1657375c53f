// This file is part of cafwire. See the file LICENSE for license terms.

// Nothing that no field owns reaches the wire. Memory is left as it comes, so that valgrind, which
// runs this file too if it is there, knows each byte that was never written.

#include "support/cases/padded.hpp"
#include "support/codec.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

using namespace test::cases;

namespace {

/// Decides on each byte of an encoding: valgrind reports decisions on bytes that nobody wrote.
template <class T>
void look_at_all_bytes(const T& x) {
  auto odd = size_t{0};
  auto bytes = test::encode(x);
  for (auto byte : bytes)
    if ((byte & std::byte{1}) != std::byte{0})
      ++odd;
  CHECK(odd <= bytes.size());
  // The same object again: whatever is in its padding, the bytes are the same.
  CHECK(test::to_hex(test::encode(x)) == test::to_hex(bytes));
}

/// An object whose padding was never written.
template <class T, class Set>
void check(Set set) {
  auto x = std::unique_ptr<T>{new T}; // NOLINT: make_unique would write all bytes
  set(*x);
  look_at_all_bytes(*x);
  auto xs = std::vector<T>(3, *x);
  look_at_all_bytes(xs);
  look_at_all_bytes(std::vector<T>(100, *x));
  look_at_all_bytes(std::array<T, 2>{*x, *x});
  look_at_all_bytes(std::optional<T>{*x});
  look_at_all_bytes(std::variant<bool, T>{*x});
  look_at_all_bytes(std::pair<int8_t, T>{int8_t{1}, *x});
  look_at_all_bytes(std::tuple<T, bool>{*x, true});
  look_at_all_bytes(std::map<int8_t, T>{{int8_t{1}, *x}});
  look_at_all_bytes(std::make_shared<T>(*x));
}

} // namespace

TEST_CASE("padding inside of structs does not reach the wire") {
  check<padded_middle>([](padded_middle& x) {
    x.a = 1;
    x.b = 2;
  });
  check<padded_tail>([](padded_tail& x) {
    x.a = 1;
    x.b = 2;
  });
  check<simd3>([](simd3& v) { v.x = v.y = v.z = 1; });
  check<padded_inside>([](padded_inside& x) {
    x.start = {1, 2, 3};
    for (auto& element : x.elements) {
      element.a = 1;
      element.b = 2;
    }
    for (auto& cell : x.rest.cells)
      cell = 1;
  });
}

TEST_CASE("members that no field visits do not reach the wire") {
  check<omits_middle>([](omits_middle& x) {
    x.a = 1;
    x.c = 2;
  });
  check<omits_last>([](omits_last& x) {
    x.a = 1;
    x.b = 2;
  });
  check<with_pointer>([](with_pointer& x) { x.a = 1; });
}

TEST_CASE("padding inside of long doubles does not reach the wire") {
  check<extended>([](extended& x) { x.value = 1.0L; });
  check<long double>([](long double& x) { x = -2.0L; });
  check<std::complex<long double>>([](auto& x) { x = {1.0L, 2.0L}; });
}

TEST_CASE("padding inside of pairs and tuples does not reach the wire") {
  check<std::pair<int8_t, int32_t>>([](auto& x) {
    x.first = 1;
    x.second = 2;
  });
  check<std::tuple<int8_t, double, bool>>([](auto& x) { x = {int8_t{1}, 2.0, true}; });
}
