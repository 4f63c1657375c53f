// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/all.hpp"

#include <caf/type_id.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace view_test {

struct matrix {
  std::array<float, 16> values = {};

  friend bool operator==(const matrix&, const matrix&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, matrix& x) {
  return f.object(x).fields(f.field("values", x.values));
}

/// Not all bytes are valid.
struct flags {
  uint16_t level = 0;
  bool on = false;
  bool hot = false;

  friend bool operator==(const flags&, const flags&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, flags& x) {
  return f.object(x).fields(f.field("level", x.level), f.field("on", x.on), f.field("hot", x.hot));
}

/// Changes what it loads.
struct clamped {
  int32_t value = 0;

  friend bool operator==(const clamped&, const clamped&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, clamped& x) {
  if (!f.object(x).fields(f.field("value", x.value)))
    return false;
  if constexpr (Inspector::is_loading)
    if (x.value > 100)
      x.value = 100;
  return true;
}

/// Has padding.
struct padded {
  uint8_t kind = 0;
  int32_t count = 0;

  friend bool operator==(const padded&, const padded&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, padded& x) {
  return f.object(x).fields(f.field("kind", x.kind), f.field("count", x.count));
}

/// Wants more alignment than long runs have.
struct alignas(64) wide {
  std::array<double, 8> values = {};

  friend bool operator==(const wide&, const wide&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, wide& x) {
  return f.object(x).fields(f.field("values", x.values));
}

using matrix_view = cafwire::array_view<matrix>;

/// A view as a member.
struct scene {
  std::string name;
  matrix_view bodies;

  friend bool operator==(const scene&, const scene&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, scene& x) {
  return f.object(x).fields(f.field("name", x.name), f.field("bodies", x.bodies));
}

inline std::vector<matrix> make_matrices(size_t n) {
  std::vector<matrix> result(n);
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < 16; ++k)
      result[i].values[k] = static_cast<float>(16 * i + k) * 0.5f;
  return result;
}

} // namespace view_test

CAF_BEGIN_TYPE_ID_BLOCK(view_test, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(view_test, (view_test::matrix))
  CAF_ADD_TYPE_ID(view_test, (view_test::matrix_view))
  CAF_ADD_TYPE_ID(view_test, (view_test::scene))

CAF_END_TYPE_ID_BLOCK(view_test)
