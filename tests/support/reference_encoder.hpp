// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "support/bytes.hpp"
#include "support/wire_size.hpp"

#include <caf/save_inspector_base.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

/// Writes the canonical encoding one number at a time, on top of CAF's own inspector base. Slow and
/// simple on purpose: the truth that `cafwire::serializer` is compared with.
class reference_encoder : public caf::save_inspector_base<reference_encoder> {
public:
  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  const bytes& result() const noexcept {
    return out_;
  }

  template <class... Ts>
  void emplace_error(Ts&&...) {
    set_error(caf::sec::runtime_error);
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

  bool begin_field(compat::string_view, bool is_present) {
    return value(is_present);
  }

  bool begin_field(compat::string_view, caf::span<const caf::type_id_t>, size_t index) {
    return varint(index);
  }

  bool begin_field(compat::string_view, bool is_present, caf::span<const caf::type_id_t>,
                   size_t index) {
    return value(is_present) && (!is_present || varint(index));
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

  bool begin_sequence(size_t n) {
    return varint(n);
  }

  bool end_sequence() noexcept {
    return true;
  }

  bool begin_associative_array(size_t n) {
    return varint(n);
  }

  bool end_associative_array() noexcept {
    return true;
  }

  /// Sequences and sets; only sequences have long runs.
  template <class T>
  bool list(const T& xs) {
    if constexpr (std::is_same_v<T, std::vector<bool>>)
      return value(xs);
    else
      return elements(xs);
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  bool value(T x) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.push_back(x ? std::byte{1} : std::byte{0});
    } else if constexpr (std::is_floating_point_v<T>) {
      raw(&x, number_size_v<T>); // the tests run on little-endian machines only
    } else {
      for (size_t i = 0; i < sizeof(T); ++i)
        out_.push_back(static_cast<std::byte>(static_cast<uint64_t>(x) >> (8 * i)));
    }
    return true;
  }

  bool value(compat::byte x) {
    return raw(&x, 1);
  }

  bool value(caf::span<const compat::byte> xs) {
    return raw(xs.data(), xs.size());
  }

  bool value(compat::string_view x) {
    return characters(x.data(), x.size());
  }

  bool value(const std::u16string& x) {
    return characters(x.data(), x.size());
  }

  bool value(const std::u32string& x) {
    return characters(x.data(), x.size());
  }

  bool value(const std::vector<bool>& xs) {
    varint(xs.size());
    auto first = out_.size();
    out_.resize(first + (xs.size() + 7) / 8);
    for (size_t i = 0; i < xs.size(); ++i)
      if (xs[i])
        out_[first + i / 8] |= std::byte{1} << (i % 8);
    return true;
  }

private:
  template <class T>
  bool elements(const T& xs) {
    auto n = static_cast<size_t>(std::distance(xs.begin(), xs.end()));
    varint(n);
    if constexpr (!requires { typename T::key_type; })
      align(n * fixed_wire_size<typename T::value_type>());
    for (auto& x : xs)
      if (!apply(x))
        return false;
    return true;
  }

  bool varint(uint64_t x) {
    for (; x > 127; x /= 128)
      out_.push_back(static_cast<std::byte>(x % 128 + 128));
    out_.push_back(static_cast<std::byte>(x));
    return true;
  }

  void align(size_t run_bytes) {
    if (run_bytes >= 256)
      while (out_.size() % 16 != 0)
        out_.push_back(std::byte{0});
  }

  template <class Char>
  bool characters(const Char* xs, size_t n) {
    varint(n);
    align(n * sizeof(Char));
    return raw(xs, n * sizeof(Char));
  }

  bool raw(const void* xs, size_t n) {
    auto* first = static_cast<const std::byte*>(xs);
    out_.insert(out_.end(), first, first + n);
    return true;
  }

  bytes out_;
};

/// Writes some values as one message. Values must be savable: throws otherwise. Not inlined: GCC 12
/// then reports an overflow that is none.
template <class... Ts>
[[gnu::noinline]] bytes reference_encode(const Ts&... xs) {
  reference_encoder f;
  if (!(f.apply(xs) && ...))
    throw std::logic_error{"the reference encoder cannot write this value"};
  return f.result();
}

} // namespace test
