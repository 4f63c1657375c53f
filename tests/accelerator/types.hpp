// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Each type exists twice: with the accelerator, and without as a yardstick.

#include "cafwire/message/accelerator.hpp"

#include <caf/default_enum_inspect.hpp>
#include <caf/type_id.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace accelerator_test {

struct fast;

struct stock;

/// Plain numbers: the object is its encoding.
template <class Kind>
struct matrix {
  std::array<float, 16> values = {};

  friend bool operator==(const matrix&, const matrix&) = default;
};

template <class Inspector, class Kind>
bool inspect(Inspector& f, matrix<Kind>& x) {
  return f.object(x).fields(f.field("values", x.values));
}

enum class shade : uint8_t { light, dark };

inline std::string to_string(shade x) {
  return x == shade::light ? "light" : "dark";
}

inline bool from_string(cafwire::compat::string_view name, shade& x) {
  auto str = cafwire::compat::to_std(name);
  if (str != "light" && str != "dark")
    return false;
  x = str == "light" ? shade::light : shade::dark;
  return true;
}

inline bool from_integer(uint8_t value, shade& x) {
  if (value > 1)
    return false;
  x = static_cast<shade>(value);
  return true;
}

template <class Inspector>
bool inspect(Inspector& f, shade& x) {
  return caf::default_enum_inspect(f, x);
}

/// Bytes that not all of their values may have.
template <class Kind>
struct lamp {
  uint16_t level = 0;
  bool on = false;
  shade color = shade::light;

  friend bool operator==(const lamp&, const lamp&) = default;
};

template <class Inspector, class Kind>
bool inspect(Inspector& f, lamp<Kind>& x) {
  auto valid = [](uint16_t level) { return level <= 1000; };
  return f.object(x).fields(f.field("level", x.level).invariant(valid), f.field("on", x.on),
                            f.field("color", x.color));
}

/// Padding inside: never one copy.
template <class Kind>
struct padded {
  uint8_t kind = 0;
  int32_t count = 0;
  bool last = false;

  friend bool operator==(const padded&, const padded&) = default;
};

template <class Inspector, class Kind>
bool inspect(Inspector& f, padded<Kind>& x) {
  return f.object(x).fields(f.field("kind", x.kind), f.field("count", x.count),
                            f.field("last", x.last));
}

/// One copy for most values, but not for all: the second half of large values is left out.
template <class Kind>
struct brief {
  int32_t value = 0;
  int32_t rest = 0;

  friend bool operator==(const brief&, const brief&) = default;
};

template <class Inspector, class Kind>
bool inspect(Inspector& f, brief<Kind>& x) {
  if (!f.apply(x.value))
    return false;
  if (x.value >= 1000) {
    x.rest = -1;
    return true;
  }
  return f.apply(x.rest);
}

/// Encodings of different sizes.
template <class Kind>
struct patch {
  uint32_t id = 0;
  std::optional<double> weight;

  friend bool operator==(const patch&, const patch&) = default;
};

template <class Inspector, class Kind>
bool inspect(Inspector& f, patch<Kind>& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("weight", x.weight));
}

/// Takes no bytes at all.
template <class Kind>
struct silent {
  int64_t unseen = 0;

  friend bool operator==(const silent&, const silent&) = default;
};

template <class Inspector, class Kind>
bool inspect(Inspector& f, silent<Kind>& x) {
  return f.object(x).fields();
}

/// Accelerated types inside of others. Not accelerated itself.
template <class Kind>
struct scene {
  std::string name;
  matrix<Kind> camera;
  std::vector<matrix<Kind>> bodies;
  std::map<std::string, std::vector<matrix<Kind>>> groups;
  std::optional<lamp<Kind>> sun;
  std::deque<lamp<Kind>> lamps;
  std::array<padded<Kind>, 2> pair;
  std::vector<std::vector<patch<Kind>>> patches;
  uint32_t last = 0;

  friend bool operator==(const scene&, const scene&) = default;
};

template <class Inspector, class Kind>
bool inspect(Inspector& f, scene<Kind>& x) {
  return f.object(x).fields(f.field("name", x.name), f.field("camera", x.camera),
                            f.field("bodies", x.bodies), f.field("groups", x.groups),
                            f.field("sun", x.sun), f.field("lamps", x.lamps),
                            f.field("pair", x.pair), f.field("patches", x.patches),
                            f.field("last", x.last));
}

template <class Kind>
matrix<Kind> make_matrix(size_t seed) {
  matrix<Kind> result;
  for (auto& x : result.values)
    x = static_cast<float>(seed++) * 0.25f - 3.0f;
  return result;
}

template <class Kind>
std::vector<matrix<Kind>> make_matrices(size_t n) {
  std::vector<matrix<Kind>> result;
  for (size_t i = 0; i < n; ++i)
    result.push_back(make_matrix<Kind>(i));
  return result;
}

template <class Kind>
scene<Kind> make_scene() {
  scene<Kind> result;
  result.name = "a scene";
  result.camera = make_matrix<Kind>(100);
  result.bodies = make_matrices<Kind>(40);
  result.groups.emplace("none", make_matrices<Kind>(0));
  result.groups.emplace("some", make_matrices<Kind>(3));
  result.sun = lamp<Kind>{1000, true, shade::dark};
  result.lamps = {{1, false, shade::light}, {2, true, shade::light}};
  result.pair = {padded<Kind>{1, -2, true}, padded<Kind>{3, 4, false}};
  result.patches = {{}, {{1, 2.5}, {2, std::nullopt}}};
  result.last = 0x12345678;
  return result;
}

} // namespace accelerator_test

CAFWIRE_ACCELERATE(accelerator_test::matrix<accelerator_test::fast>)

CAFWIRE_ACCELERATE_ALL(accelerator_test_types, (accelerator_test::lamp<accelerator_test::fast>),
                       (accelerator_test::padded<accelerator_test::fast>),
                       (accelerator_test::brief<accelerator_test::fast>),
                       (accelerator_test::patch<accelerator_test::fast>),
                       (accelerator_test::silent<accelerator_test::fast>) )

CAF_BEGIN_TYPE_ID_BLOCK(accelerator_test, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(accelerator_test, (accelerator_test::matrix<accelerator_test::fast>) )
  CAF_ADD_TYPE_ID(accelerator_test,
                  (std::vector<accelerator_test::matrix<accelerator_test::fast>>) )
  CAF_ADD_TYPE_ID(accelerator_test, (accelerator_test::lamp<accelerator_test::fast>) )
  CAF_ADD_TYPE_ID(accelerator_test, (accelerator_test::scene<accelerator_test::fast>) )
  CAF_ADD_TYPE_ID(accelerator_test, (accelerator_test::matrix<accelerator_test::stock>) )
  CAF_ADD_TYPE_ID(accelerator_test, (accelerator_test::lamp<accelerator_test::stock>) )
  CAF_ADD_TYPE_ID(accelerator_test, (accelerator_test::scene<accelerator_test::stock>) )

CAF_END_TYPE_ID_BLOCK(accelerator_test)
