// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/little_endian.hpp"
#include "cafwire/wire/output_buffer.hpp"
#include "cafwire/wire/varint.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cafwire {

// What definitions, heads of records and files are made of, for code off the hot path. Serializers
// have faster ways.

/// Appends a varint.
/// @returns `false` if there is not enough memory.
[[nodiscard]] inline bool append_varint(output_buffer& out, uint64_t x) noexcept {
  std::byte bytes[max_varint_size];
  auto* end = write_varint(bytes, x);
  return out.append(bytes, static_cast<size_t>(end - bytes));
}

/// Appends a varint.
inline void append_varint(std::string& out, uint64_t x) {
  std::byte bytes[max_varint_size];
  auto* end = write_varint(bytes, x);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
}

/// Appends a string behind its length, without the alignment of long runs.
inline void append_string(std::string& out, std::string_view x) {
  append_varint(out, x.size());
  out += x;
}

/// Appends eight bytes, the lowest first.
inline void append_u64(std::string& out, uint64_t x) {
  std::byte bytes[sizeof x];
  store_little_endian(bytes, x);
  out.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

} // namespace cafwire
