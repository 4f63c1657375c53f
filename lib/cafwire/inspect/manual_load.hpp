// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/layout/inspection_dsl.hpp"
#include "cafwire/wire/error.hpp"

#include <caf/span.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>

namespace cafwire::detail {

/// The part of CAF's interface for load inspectors that `inspect` overloads call by hand, instead
/// of listing fields: a mixin for `deserializer`, which provides the reading functions.
template <class Subtype>
class manual_load {
public:
  CAFWIRE_INLINE bool begin_field(compat::string_view) noexcept {
    return true;
  }

  bool begin_field(compat::string_view, bool& is_present) {
    return self().flag(is_present);
  }

  bool begin_field(compat::string_view, caf::span<const caf::type_id_t> types, size_t& index) {
    return alternative(types.size(), index);
  }

  bool begin_field(compat::string_view, bool& is_present, caf::span<const caf::type_id_t> types,
                   size_t& index) {
    return self().flag(is_present) && (!is_present || alternative(types.size(), index));
  }

  CAFWIRE_INLINE bool end_field() noexcept {
    return true;
  }

  bool begin_sequence(size_t& size) {
    return self().count(size, 0) && self().enter();
  }

  bool end_sequence() noexcept {
    return self().leave();
  }

  bool begin_associative_array(size_t& size) {
    return begin_sequence(size);
  }

  bool end_associative_array() noexcept {
    return self().leave();
  }

  bool fetch_next_object_type(caf::type_id_t& id) {
    id = caf::invalid_type_id;
    return self().fail(ec::unsupported_type);
  }

  bool value(caf::span<compat::byte> xs) {
    return self().raw(xs.data(), xs.size());
  }

  template <class T>
  bool value(T& x) {
    return self().apply(x);
  }

  template <class T>
  bool builtin_inspect(T& x) {
    return self().apply(x);
  }

  template <class T>
  bool list(T& xs) {
    return self().apply(xs);
  }

  template <class T>
  bool map(T& xs) {
    return self().apply(xs);
  }

  template <class T>
  bool tuple(T& xs) {
    return self().apply(xs);
  }

private:
  Subtype& self() noexcept {
    return *static_cast<Subtype*>(this);
  }

  bool alternative(size_t num_types, size_t& index) {
    uint64_t value = 0;
    if (!self().varint(value))
      return false;
    if (value >= num_types)
      return self().fail(ec::invalid_variant_index);
    index = static_cast<size_t>(value);
    return true;
  }
};

} // namespace cafwire::detail
