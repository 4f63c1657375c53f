// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "workloads.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace cafwire::bench {

// The contender `elements`: what a programmer writes who loops over fields and elements and appends
// each to a vector of bytes. Lengths are 32-bit integers; reading checks the bounds once per
// element.

struct elements_codec {
  using buffer = std::vector<std::byte>;

  static bool save(buffer& out, const struct12& x) {
    append(out, x.a);
    append(out, x.b);
    append(out, x.c);
    return true;
  }

  static bool load(std::span<const std::byte> in, struct12& x) {
    return take(in, x.a) && take(in, x.b) && take(in, x.c) && in.empty();
  }

  static bool save(buffer& out, const mixed& x) {
    append(out, x.id);
    append(out, x.weight);
    append(out, x.kind);
    append(out, x.count);
    for (auto value : x.position)
      append(out, value);
    append(out, x.active);
    return true;
  }

  static bool load(std::span<const std::byte> in, mixed& x) {
    if (!take(in, x.id) || !take(in, x.weight) || !take(in, x.kind) || !take(in, x.count))
      return false;
    for (auto& value : x.position)
      if (!take(in, value))
        return false;
    uint8_t active = 0;
    if (!take(in, active) || active > 1)
      return false;
    x.active = active == 1;
    return in.empty();
  }

  template <class T>
  static bool save(buffer& out, const std::vector<T>& xs) {
    append(out, static_cast<uint32_t>(xs.size()));
    for (auto& x : xs)
      append(out, x);
    return true;
  }

  template <class T>
  static bool load(std::span<const std::byte> in, std::vector<T>& xs) {
    uint32_t n = 0;
    if (!take(in, n))
      return false;
    xs.clear();
    // A hostile length must not allocate more than the input can fill.
    xs.reserve(std::min<size_t>(n, in.size() / sizeof(T)));
    for (uint32_t i = 0; i < n; ++i) {
      T x;
      if (!take(in, x))
        return false;
      xs.push_back(x);
    }
    return in.empty();
  }

private:
  template <class T>
  static void append(buffer& out, const T& x) {
    auto pos = out.size();
    out.resize(pos + sizeof(T));
    std::memcpy(out.data() + pos, &x, sizeof(T));
  }

  template <class T>
  static bool take(std::span<const std::byte>& in, T& x) {
    if (in.size() < sizeof(T))
      return false;
    std::memcpy(&x, in.data(), sizeof(T));
    in = in.subspan(sizeof(T));
    return true;
  }
};

} // namespace cafwire::bench
