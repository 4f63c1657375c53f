// This file is part of cafwire. See the file LICENSE for license terms.

#include "workloads.hpp"

namespace cafwire::bench {

namespace {

/// A linear congruential generator with the constants of Numerical Recipes: good enough to keep the
/// compiler and the branch predictor from learning the data, and quick for a gigabyte of it.
class generator {
public:
  explicit generator(uint32_t seed) : state_(seed) {
    // nop
  }

  uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_;
  }

  /// Returns a number from 0 to 1.
  float next_unit() {
    return static_cast<float>(next() >> 8) / static_cast<float>(1u << 24);
  }

private:
  uint32_t state_;
};

} // namespace

struct12 make_struct12() {
  return {0x12345678, -0x23456789, 0x3456789A};
}

mixed make_mixed() {
  return {0x123456789ABCDEF1, 1234.5678, 200, -123456789, {1.25f, -2.5f, 3.75f, 1e6f}, true};
}

byte_vector make_bytes(size_t n) {
  generator random{42};
  byte_vector result(n);
  for (auto& x : result)
    x = static_cast<std::byte>(random.next() >> 24);
  return result;
}

matrix_vector make_matrices(size_t n) {
  generator random{17};
  matrix_vector result(n);
  for (auto& matrix : result)
    for (auto& x : matrix.values)
      x = (random.next_unit() - 0.5f) * 200.0f;
  return result;
}

std::vector<std::string> make_strings(size_t n) {
  generator random{23};
  std::vector<std::string> result(n);
  for (size_t i = 0; i < n; ++i) {
    // The number makes each string another one.
    result[i] = std::to_string(1000 + i);
    for (auto more = (random.next() >> 24) % 24; more > 0; --more)
      result[i] += static_cast<char>('a' + (random.next() >> 24) % 26);
  }
  return result;
}

std::unordered_map<std::string, double> make_string_map(size_t n) {
  generator random{29};
  std::unordered_map<std::string, double> result;
  for (auto& key : make_strings(n))
    result.emplace(key, random.next_unit());
  return result;
}

std::vector<bool> make_bools(size_t n) {
  generator random{31};
  std::vector<bool> result(n);
  for (size_t i = 0; i < n; ++i)
    result[i] = (random.next() >> 31) != 0;
  return result;
}

std::deque<int32_t> make_deque(size_t n) {
  generator random{37};
  std::deque<int32_t> result(n);
  for (auto& x : result)
    x = static_cast<int32_t>(random.next());
  return result;
}

} // namespace cafwire::bench
