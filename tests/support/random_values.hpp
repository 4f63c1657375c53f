// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "support/wire_size.hpp"

#include <caf/load_inspector_base.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

/// A small generator (splitmix64) that gives the same numbers on all platforms, so that a failure
/// can be repeated from its seed.
class random_source {
public:
  explicit random_source(uint64_t seed) noexcept : state_(seed) {
    // nop
  }

  uint64_t next() noexcept {
    auto x = state_ += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  /// Returns a number from 0 to `end - 1`.
  size_t below(size_t end) noexcept {
    return static_cast<size_t>(next() % end);
  }

private:
  uint64_t state_;
};

/// Fills objects with random values by "loading" them. Mixes random bits with small and extreme
/// numbers, because enums and invariants only accept few values and bugs live at the edges.
class randomizer : public caf::load_inspector_base<randomizer> {
public:
  explicit randomizer(random_source& source) noexcept : source_(source) {
    // nop
  }

  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  template <class... Ts>
  void emplace_error(Ts&&...) {
    set_error(caf::sec::runtime_error);
  }

  bool fetch_next_object_type(caf::type_id_t&) noexcept {
    return false;
  }

  bool begin_object(caf::type_id_t, compat::string_view) noexcept {
    return true;
  }

  bool end_object() noexcept {
    return true;
  }

  bool begin_field(compat::string_view) noexcept {
    return true;
  }

  bool begin_field(compat::string_view, bool& is_present) {
    return value(is_present);
  }

  bool begin_field(compat::string_view, caf::span<const caf::type_id_t> types, size_t& index) {
    index = source_.below(types.size());
    return true;
  }

  bool begin_field(compat::string_view, bool& is_present, caf::span<const caf::type_id_t> types,
                   size_t& index) {
    index = source_.below(types.size());
    return value(is_present);
  }

  bool end_field() noexcept {
    return true;
  }

  bool begin_tuple(size_t) noexcept {
    return true;
  }

  bool end_tuple() noexcept {
    return true;
  }

  bool begin_key_value_pair() noexcept {
    return true;
  }

  bool end_key_value_pair() noexcept {
    return true;
  }

  bool begin_sequence(size_t& n) {
    n = source_.below(5);
    return true;
  }

  bool end_sequence() noexcept {
    return true;
  }

  bool begin_associative_array(size_t& n) {
    n = source_.below(4);
    return true;
  }

  bool end_associative_array() noexcept {
    return true;
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  bool value(T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      x = source_.below(2) == 1;
    } else if constexpr (std::is_same_v<T, long double>) {
      // Not all bit patterns are values: let the processor make some.
      x = static_cast<long double>(source_.next()) * (source_.below(2) == 0 ? 1.0L : -1e-4000L);
    } else {
      switch (source_.below(4)) {
        case 0:
          x = static_cast<T>(source_.below(8));
          break;
        case 1:
          x = source_.below(2) == 0 ? std::numeric_limits<T>::max()
                                    : std::numeric_limits<T>::lowest();
          break;
        default: {
          auto bits = source_.next();
          std::memcpy(&x, &bits, sizeof x);
        }
      }
    }
    return true;
  }

  bool value(compat::byte& x) {
    x = static_cast<compat::byte>(source_.below(256));
    return true;
  }

  bool value(caf::span<compat::byte> xs) {
    for (auto& x : xs)
      value(x);
    return true;
  }

  bool value(std::string& x) {
    return characters(x);
  }

  bool value(std::u16string& x) {
    return characters(x);
  }

  bool value(std::u32string& x) {
    return characters(x);
  }

  bool value(std::vector<bool>& xs) {
    xs.clear();
    for (auto n = source_.below(20); n > 0; --n)
      xs.push_back(source_.below(2) == 1);
    return true;
  }

  /// CAF's own loader refuses a key that occurs twice.
  template <class T>
  bool map(T& xs) {
    xs.clear();
    for (auto n = source_.below(5); n > 0; --n) {
      auto key = typename T::key_type{};
      auto x = typename T::mapped_type{};
      if (!apply(key) || !apply(x))
        return false;
      xs.emplace(std::move(key), std::move(x));
    }
    return true;
  }

private:
  template <class String>
  bool characters(String& x) {
    // Now and then a string that is a long run.
    auto n = source_.below(8) == 0 ? source_.below(600) : source_.below(20);
    x.clear();
    for (size_t i = 0; i < n; ++i)
      x.push_back(static_cast<typename String::value_type>(source_.next()));
    return true;
  }

  random_source& source_;
};

/// Fills `x` with random values. Tries again if an enum or invariant refuses one. Returns whether
/// that worked.
template <class T>
bool randomize(random_source& source, T& x) {
  for (auto round = 0; round < 500; ++round) {
    randomizer f{source};
    if (f.apply(x))
      return true;
  }
  return false;
}

} // namespace test
