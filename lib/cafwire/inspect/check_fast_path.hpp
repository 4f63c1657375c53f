// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

/// Set it to 1 for a whole program to let each value that takes the fast path take the slow one,
/// too, and compare. A difference is `ec::fast_path_mismatch` and a line on stderr: the `inspect`
/// overload of the type does what no proof can see, and the type needs `cafwire::disable_blit`. The
/// CMake option of the same name sets it for all that links cafwire. Costs what it saves otherwise,
/// and more: for tests.
#ifndef CAFWIRE_CHECK_FAST_PATH
#  define CAFWIRE_CHECK_FAST_PATH 0
#endif

#include "cafwire/layout/schema.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cafwire::detail {

/// Shortcuts around the serializer and deserializer, which compare, are off then.
inline constexpr bool checks_fast_path = CAFWIRE_CHECK_FAST_PATH != 0;

#if CAFWIRE_CHECK_FAST_PATH

/// Whether this thread takes the slow path right now, in order to compare.
inline thread_local bool fields_only = false;

inline bool fast_path_enabled() noexcept {
  return !fields_only;
}

/// Sends all values below through the slow path.
class fields_only_guard {
public:
  fields_only_guard() noexcept : old_(std::exchange(fields_only, true)) {
    // nop
  }

  fields_only_guard(const fields_only_guard&) = delete;

  fields_only_guard& operator=(const fields_only_guard&) = delete;

  ~fields_only_guard() {
    fields_only = old_;
  }

private:
  bool old_;
};

/// An object made from bytes.
template <class T>
class image {
public:
  explicit image(const void* bytes) noexcept {
    std::memcpy(storage_, bytes, sizeof(T));
  }

  T& get() noexcept {
    return *std::launder(reinterpret_cast<T*>(storage_));
  }

  std::byte* bytes() noexcept {
    return storage_;
  }

private:
  alignas(T) std::byte storage_[sizeof(T)];
};

inline std::string hex(const std::byte* xs, size_t n) {
  std::string result;
  for (size_t i = 0; i < n; ++i) {
    result += "0123456789abcdef"[static_cast<size_t>(xs[i]) >> 4];
    result += "0123456789abcdef"[static_cast<size_t>(xs[i]) & 15];
  }
  return result;
}

template <class T, class Inspector>
bool report_mismatch(Inspector& f, const char* what, const std::byte* fast, const std::byte* slow,
                     size_t slow_size) {
  auto text = layout::schema_of<T>().text + ": " + what + ": " + hex(fast, sizeof(T)) + " by copy, "
              + hex(slow, slow_size) + " by field";
  std::fprintf(stderr, "cafwire: fast_path_mismatch: %s\n", text.c_str());
  return f.fail(ec::fast_path_mismatch, std::move(text));
}

/// What a row of objects held before it was looked at. Without objects: what new ones hold.
template <class T>
class old_images {
public:
  old_images() noexcept = default;

  old_images(const T* xs, size_t n)
    : bytes_(reinterpret_cast<const std::byte*>(xs), reinterpret_cast<const std::byte*>(xs + n)) {
    // nop
  }

  image<T> operator[](size_t i) const {
    if (!bytes_.empty())
      return image<T>{bytes_.data() + i * sizeof(T)};
    layout::probe_object<T> fresh;
    return image<T>{fresh.bytes()};
  }

private:
  std::vector<std::byte> bytes_;
};

/// Compares the memory of objects, which is about to be written, with what the slow path writes for
/// the objects that they were. Even looking at an object may have changed it.
template <class Serializer, class T>
bool check_written(Serializer& f, const old_images<T>& old, const T* xs, size_t n) {
  fields_only_guard guard;
  for (size_t i = 0; i < n; ++i) {
    auto copy = old[i];
    auto before = copy;
    output_buffer out;
    auto ok = false;
    {
      Serializer g{out};
      ok = g.apply(copy.get());
    }
    auto* bytes = reinterpret_cast<const std::byte*>(xs + i);
    if (!ok || out.size() != sizeof(T) || std::memcmp(out.data(), bytes, sizeof(T)) != 0)
      return report_mismatch<T>(f, "writes other bytes", bytes, out.data(), out.size());
    if (std::memcmp(copy.bytes(), before.bytes(), sizeof(T)) != 0)
      return report_mismatch<T>(f, "changes while it is written", bytes, copy.bytes(), sizeof(T));
  }
  return true;
}

/// Compares objects that were copied from the wire with what the slow path reads.
template <class Deserializer, class T>
bool check_read(Deserializer& f, const std::byte* input, const old_images<T>& old, const T* xs,
                size_t n) {
  fields_only_guard guard;
  for (size_t i = 0; i < n; ++i) {
    auto copy = old[i];
    Deserializer g{std::span{input + i * sizeof(T), sizeof(T)}};
    auto ok = g.apply(copy.get()) && g.remaining() == 0;
    auto* bytes = reinterpret_cast<const std::byte*>(xs + i);
    if (!ok || std::memcmp(copy.bytes(), bytes, sizeof(T)) != 0)
      return report_mismatch<T>(f, ok ? "reads another value" : "cannot be read", bytes,
                                copy.bytes(), sizeof(T));
  }
  return true;
}

#else

constexpr bool fast_path_enabled() noexcept {
  return true;
}

template <class T>
struct old_images {
  constexpr old_images() noexcept = default;

  constexpr old_images(const T*, size_t) noexcept {
    // nop
  }
};

template <class Serializer, class T>
constexpr bool check_written(Serializer&, const old_images<T>&, const T*, size_t) noexcept {
  return true;
}

template <class Deserializer, class T>
constexpr bool
check_read(Deserializer&, const std::byte*, const old_images<T>&, const T*, size_t) noexcept {
  return true;
}

#endif

} // namespace cafwire::detail
