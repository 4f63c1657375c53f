// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/save_inspector_base.hpp>
#include <caf/sec.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

namespace compat = cafwire::compat;

/// Bytes of a number on the wire.
template <class T>
inline constexpr size_t number_size_v = std::is_same_v<T, long double> ? 10 : sizeof(T);

/// Measures an encoding by walking over a default object with CAF's own inspector base: a second
/// opinion on what `cafwire::layout::schema_of` says about sizes.
class size_inspector : public caf::save_inspector_base<size_inspector> {
public:
  static constexpr bool has_human_readable_format() noexcept {
    return false;
  }

  /// Returns the size, unless values of the type differ in size.
  std::optional<size_t> result() const noexcept {
    return fixed_ ? std::optional{size_} : std::nullopt;
  }

  // CAF's own function needs the meta objects of CAF as soon as an error has arguments.
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

  template <class... Ts>
  bool begin_field(compat::string_view, Ts&&...) noexcept {
    return varies();
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

  bool begin_sequence(size_t) noexcept {
    return varies();
  }

  bool end_sequence() noexcept {
    return true;
  }

  bool begin_associative_array(size_t) noexcept {
    return varies();
  }

  bool end_associative_array() noexcept {
    return true;
  }

  template <class T>
  bool list(const T&) noexcept {
    return varies();
  }

  template <class T>
  bool map(const T&) noexcept {
    return varies();
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  bool value(T) noexcept {
    size_ += number_size_v<T>;
    return true;
  }

  bool value(compat::byte) noexcept {
    ++size_;
    return true;
  }

  bool value(caf::span<const compat::byte> xs) noexcept {
    size_ += xs.size();
    return true;
  }

  bool value(compat::string_view) noexcept {
    return varies();
  }

  bool value(const std::u16string&) noexcept {
    return varies();
  }

  bool value(const std::u32string&) noexcept {
    return varies();
  }

  bool value(const std::vector<bool>&) noexcept {
    return varies();
  }

private:
  bool varies() noexcept {
    fixed_ = false;
    return true;
  }

  size_t size_ = 0;
  bool fixed_ = true;
};

/// Returns the bytes that each `T` takes on the wire, or 0 if that depends on the value.
template <class T>
size_t fixed_wire_size() {
  static const auto result = [] {
    auto x = T{};
    size_inspector f;
    return f.apply(x) ? f.result().value_or(0) : 0;
  }();
  return result;
}

} // namespace test
