// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace cafwire {

/// `std::vector<bool>`: the number of bits, then eight bits per byte, the first one lowest. The
/// unused bits of the last byte are zero.
template <class Allocator>
struct formatter<std::vector<bool, Allocator>> {
  using type = std::vector<bool, Allocator>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const type& xs) {
    if (!f.varint(xs.size()))
      return false;
    if constexpr (has_words)
      return save_words(f, xs);
    auto i = xs.begin();
    for (auto left = xs.size(); left > 0;) {
      auto n = left < 8 ? left : size_t{8};
      auto bits = 0u;
      for (size_t bit = 0; bit < n; ++bit)
        bits |= static_cast<unsigned>(*i++) << bit;
      if (!f.byte(static_cast<uint8_t>(bits)))
        return false;
      left -= n;
    }
    return true;
  }

  static bool load(deserializer& f, type& xs) {
    uint64_t size = 0;
    if (!f.varint(size))
      return false;
    if (size / 8 > f.remaining() || (size + 7) / 8 > f.remaining())
      return f.fail(ec::length_exceeds_input);
    auto num_bytes = static_cast<size_t>((size + 7) / 8);
    const auto* bytes = f.view(num_bytes);
    auto unused = num_bytes * 8 - static_cast<size_t>(size);
    if (unused > 0 && (static_cast<unsigned>(bytes[num_bytes - 1]) >> (8 - unused)) != 0)
      return f.fail(ec::nonzero_padding);
    xs.resize(static_cast<size_t>(size));
    if constexpr (has_words) {
      if (num_bytes > 0)
        std::memcpy(xs.begin()._M_p, bytes, num_bytes);
      return true;
    }
    auto i = xs.begin();
    for (size_t index = 0; index < size; ++index)
      *i++ = (static_cast<unsigned>(bytes[index / 8]) >> (index % 8) & 1) != 0;
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.varying("bits", 1);
  }

private:
  /// Whether the standard library lets us see the words that hold the bits: libstdc++ does. On
  /// little-endian hosts their bytes are those of the wire.
  static constexpr bool has_words = std::endian::native == std::endian::little
                                    && requires(type & xs, const type& cxs) {
    *xs.begin()._M_p = 0;
    *cxs.begin()._M_p;
    cxs.begin()._M_offset;
  };

  static bool save_words(serializer& f, const type& xs) {
    auto full_bytes = xs.size() / 8;
    auto bits_left = xs.size() % 8;
    if (xs.empty())
      return true;
    auto* words = reinterpret_cast<const std::byte*>(xs.begin()._M_p);
    if (!f.raw(words, full_bytes))
      return false;
    // Whatever stands behind the last bit stays here.
    return bits_left == 0
           || f.byte(static_cast<uint8_t>(words[full_bytes])
                     & static_cast<uint8_t>((1u << bits_left) - 1));
  }
};

/// `std::bitset<N>`: as many bytes as `N` bits need, without a length, the first bit lowest. The
/// unused bits of the last byte are zero.
template <size_t N>
struct formatter<std::bitset<N>> {
  static constexpr size_t min_size = (N + 7) / 8;

  static bool save(serializer& f, const std::bitset<N>& xs) {
    for (size_t first = 0; first < N; first += 8) {
      auto bits = 0u;
      for (auto i = first; i < std::min(first + 8, N); ++i)
        bits |= static_cast<unsigned>(xs[i]) << (i - first);
      if (!f.byte(static_cast<uint8_t>(bits)))
        return false;
    }
    return true;
  }

  static bool load(deserializer& f, std::bitset<N>& xs) {
    const auto* bytes = f.view(min_size);
    if (bytes == nullptr)
      return false;
    if constexpr (N % 8 != 0)
      if ((static_cast<unsigned>(bytes[min_size - 1]) >> (N % 8)) != 0)
        return f.fail(ec::nonzero_padding);
    for (size_t i = 0; i < N; ++i)
      xs[i] = (static_cast<unsigned>(bytes[i / 8]) >> (i % 8) & 1) != 0;
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.fixed("bits(" + std::to_string(N) + ')', min_size);
  }
};

} // namespace cafwire
