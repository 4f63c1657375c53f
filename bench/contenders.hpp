// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "caf_api.hpp"
#include "elements_codec.hpp"
#include "hand_codec.hpp"
#include "hand_objects.hpp"
#include "placement.hpp"
#include "workloads.hpp"

#include <cafwire/codec.hpp>

#include <caf/byte_buffer.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cafwire::bench {

// Each contender has the same interface: a kind of buffer, `make_buffer` for one that has room for
// `num_bytes` bytes, `save`, which replaces the content of a buffer, `bytes`, `load` and, where
// new values are not of the type itself, `fresh_type`.

/// Types whose objects are their content: one block of memory.
template <class T>
inline constexpr bool is_flat = std::is_trivially_copyable_v<T>;

template <class T>
inline constexpr bool
  is_flat<std::vector<T>> = std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>;

/// Returns how many bytes a copy of the value as it is on the wire has. Lengths do not count where
/// the value is one block.
template <class T>
size_t payload_bytes(const T& x) {
  if constexpr (std::is_same_v<T, mixed>) {
    return hand_codec::mixed_bytes;
  } else if constexpr (is_flat<T>) {
    return sizeof(T);
  } else {
    output_buffer out;
    return serialize(out, x) == ec::none ? out.size() : 0;
  }
}

template <class T>
requires(is_flat<std::vector<T>>) size_t payload_bytes(const std::vector<T>& xs) {
  return xs.size() * sizeof(T);
}

/// Returns where these bytes are in memory.
template <class T>
T* content_of(T& x) {
  return &x;
}

template <class T>
requires(is_flat<std::vector<T>>) T* content_of(std::vector<T>& xs) {
  return xs.data();
}

template <class T>
requires(is_flat<std::vector<T>>) const T* content_of(const std::vector<T>& xs) {
  return xs.data();
}

/// The library under test.
struct cafwire_contender {
  static constexpr std::string_view name = "cafwire";

  using buffer = output_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return make_output_buffer(num_bytes);
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    out.clear();
    return serialize(out, x) == ec::none;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    return deserialize(in, x) == ec::none;
  }
};

/// Code for exactly these types, see `hand_codec`.
struct hand_contender {
  static constexpr std::string_view name = "hand";

  using buffer = output_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return make_output_buffer(num_bytes);
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    out.clear();
    if constexpr (is_flat<T>)
      return hand_codec::save(out, x);
    else
      return hand_containers::save(out, x);
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    if constexpr (is_flat<T>)
      return hand_codec::load(in, x);
    else
      return hand_containers::load(in, x);
  }
};

/// CAF's own serializer.
struct caf_contender {
  static constexpr std::string_view name = "caf";

  using buffer = caf::byte_buffer;

  static buffer make_buffer(size_t num_bytes) {
    buffer result;
    result.reserve(num_bytes);
    return result;
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    out.clear();
    return stock_save(out, x);
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return {reinterpret_cast<const std::byte*>(out.data()), out.size()};
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    return stock_load(in, x);
  }
};

/// A loop over elements, see `elements_codec`.
struct elements_contender {
  static constexpr std::string_view name = "elements";

  using buffer = elements_codec::buffer;

  static buffer make_buffer(size_t num_bytes) {
    buffer result;
    result.reserve(num_bytes);
    return result;
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    out.clear();
    return elements_codec::save(out, x);
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out;
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    return elements_codec::load(in, x);
  }
};

/// One copy of as many bytes, without any check. Nothing that reads or writes the value can be
/// faster; it is a yardstick, not a codec.
struct memcpy_contender {
  static constexpr std::string_view name = "memcpy";

  static constexpr bool is_yardstick = true;

  struct raw_block {
    std::unique_ptr<std::byte[]> bytes;
  };

  template <class T>
  struct fresh {
    using type = T;
  };

  template <class T>
  struct fresh<std::vector<T>> {
    using type = raw_block;
  };

  using buffer = output_buffer;

  static buffer make_buffer(size_t num_bytes) {
    auto result = make_output_buffer(num_bytes);
    if (result.capacity() < num_bytes)
      throw std::bad_alloc{};
    return result;
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    auto n = payload_bytes(x);
    std::memcpy(out.data(), content_of(x), n);
    out.set_size(n);
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    std::memcpy(content_of(x), in.data(), payload_bytes(x));
    return true;
  }

  /// Where new values go: for vectors a block of memory that nobody filled with zeros.
  template <class T>
  using fresh_type = typename fresh<T>::type;

  static bool load(std::span<const std::byte> in, raw_block& x) {
    x.bytes = std::make_unique_for_overwrite<std::byte[]>(in.size());
    std::memcpy(x.bytes.get(), in.data(), in.size());
    return true;
  }
};

} // namespace cafwire::bench
