// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "support/bytes.hpp"
#include "support/wire_size.hpp"

#include <caf/load_inspector_base.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test {

/// Reads the canonical encoding one number at a time, on top of CAF's own inspector base, and
/// refuses everything that is not canonical. Tells yes or no, but not why: the truth that
/// `cafwire::deserializer` is compared with.
class reference_decoder : public caf::load_inspector_base<reference_decoder> {
public:
  explicit reference_decoder(std::span<const std::byte> in) noexcept : in_(in) {
    // nop
  }

  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  size_t remaining() const noexcept {
    return in_.size() - pos_;
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
    return varint(index) && index < types.size();
  }

  bool begin_field(compat::string_view, bool& is_present, caf::span<const caf::type_id_t> types,
                   size_t& index) {
    return value(is_present) && (!is_present || (varint(index) && index < types.size()));
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
    return varint(n);
  }

  bool end_sequence() noexcept {
    return true;
  }

  bool begin_associative_array(size_t& n) {
    return varint(n);
  }

  bool end_associative_array() noexcept {
    return true;
  }

  /// Sequences and sets; only sequences have long runs, only sets have rules for their elements.
  template <class T>
  bool list(T& xs) {
    if constexpr (std::is_same_v<T, std::vector<bool>>)
      return value(xs);
    else
      return elements(xs);
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  bool value(T& x) {
    std::byte xs[number_size_v<T>];
    if (!raw(xs, sizeof xs))
      return false;
    if constexpr (std::is_same_v<T, bool>) {
      if (xs[0] > std::byte{1})
        return false;
      x = xs[0] == std::byte{1};
    } else if constexpr (std::is_same_v<T, long double>) {
      auto exponent = (static_cast<unsigned>(xs[9]) << 8 | static_cast<unsigned>(xs[8])) & 0x7fff;
      if ((exponent != 0) != (xs[7] >= std::byte{0x80}))
        return false;
      std::memset(static_cast<void*>(&x), 0, sizeof x);
      std::memcpy(&x, xs, sizeof xs);
    } else {
      std::memcpy(&x, xs, sizeof xs); // the tests run on little-endian machines only
    }
    return true;
  }

  bool value(compat::byte& x) {
    return raw(&x, 1);
  }

  bool value(caf::span<compat::byte> xs) {
    return raw(xs.data(), xs.size());
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
    size_t n = 0;
    if (!varint(n) || n > 8 * remaining())
      return false;
    bytes packed((n + 7) / 8);
    if (!raw(packed.data(), packed.size()))
      return false;
    xs.clear();
    for (size_t i = 0; i < packed.size() * 8; ++i) {
      auto bit = (packed[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0};
      if (i < n)
        xs.push_back(bit);
      else if (bit)
        return false;
    }
    return true;
  }

  /// Maps. Keys of sorted ones ascend, and only multimaps hold a key twice.
  template <class T>
  bool map(T& xs) {
    size_t n = 0;
    if (!varint(n))
      return false;
    xs.clear();
    for (size_t i = 0; i < n; ++i) {
      auto key = typename T::key_type{};
      auto value = typename T::mapped_type{};
      if (!apply(key) || !apply(value))
        return false;
      if constexpr (requires { typename T::key_compare; })
        if (!xs.empty() && xs.key_comp()(key, xs.rbegin()->first))
          return false;
      xs.emplace(std::move(key), std::move(value));
      if (xs.size() != i + 1)
        return false;
    }
    return true;
  }

private:
  template <class T>
  bool elements(T& xs) {
    constexpr auto is_set = requires {
      typename T::key_type;
    };
    constexpr auto is_sorted = requires {
      typename T::key_compare;
    };
    size_t n = 0;
    if (!varint(n))
      return false;
    if constexpr (!is_set)
      if (auto size = fixed_wire_size<typename T::value_type>();
          size > 0 && (n > remaining() || !align(n * size)))
        return false;
    xs.clear();
    for (size_t i = 0; i < n; ++i) {
      auto x = typename T::value_type{};
      if (!apply(x))
        return false;
      if constexpr (is_sorted)
        if (!xs.empty() && xs.key_comp()(x, *xs.rbegin()))
          return false;
      xs.insert(xs.end(), std::move(x));
      if (xs.size() != i + 1)
        return false;
    }
    return true;
  }

  bool varint(size_t& x) {
    uint64_t result = 0;
    for (unsigned i = 0; i < 10; ++i) {
      auto next = std::byte{0};
      if (!raw(&next, 1))
        return false;
      auto bits = static_cast<uint64_t>(next & std::byte{0x7f});
      if (i == 9 && bits > 1)
        return false;
      result += bits << (7 * i);
      if (next < std::byte{0x80}) {
        x = result;
        return next != std::byte{0} || i == 0;
      }
    }
    return false;
  }

  bool align(size_t run_bytes) {
    if (run_bytes >= 256) {
      while (pos_ % 16 != 0) {
        auto next = std::byte{0};
        if (!raw(&next, 1) || next != std::byte{0})
          return false;
      }
    }
    return true;
  }

  template <class String>
  bool characters(String& x) {
    constexpr auto size = sizeof(typename String::value_type);
    size_t n = 0;
    if (!varint(n) || n > remaining() / size || !align(n * size) || n > remaining() / size)
      return false;
    x.resize(n);
    return raw(x.data(), n * size);
  }

  bool raw(void* xs, size_t n) {
    if (n > remaining())
      return false;
    if (n > 0)
      std::memcpy(xs, in_.data() + pos_, n);
    pos_ += n;
    return true;
  }

  std::span<const std::byte> in_;
  size_t pos_ = 0;
};

/// Reads values from a message that holds nothing else. Returns whether that worked.
template <class... Ts>
bool reference_decode(std::span<const std::byte> in, Ts&... xs) {
  reference_decoder f{in};
  return (f.apply(xs) && ...) && f.remaining() == 0;
}

} // namespace test
