// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/error.hpp>
#include <caf/json_reader.hpp>
#include <caf/json_writer.hpp>
#include <caf/sec.hpp>

#include <string>

namespace test {

/// Writes a value with CAF's own binary inspector.
template <class T>
bool stock_save(caf::byte_buffer& bytes, const T& x) {
#if CAFWIRE_CAF_1
  caf::binary_serializer sink{bytes};
#else
  caf::binary_serializer sink{nullptr, bytes};
#endif
  return sink.apply(const_cast<T&>(x));
}

/// Reads a value with CAF's own binary inspector.
template <class T>
caf::error stock_load(const caf::byte_buffer& bytes, T& x) {
#if CAFWIRE_CAF_1
  caf::binary_deserializer source{bytes};
#else
  caf::binary_deserializer source{nullptr, bytes};
#endif
  if (!source.apply(x))
    return source.get_error();
  return source.remaining() == 0 ? caf::error{} : caf::error{caf::sec::runtime_error};
}

/// Sends a value through CAF's own binary inspectors.
template <class T>
bool stock_round_trip(const T& x, T& y) {
  caf::byte_buffer bytes;
  return stock_save(bytes, x) && stock_load(bytes, y).empty();
}

/// Writes a value as JSON with CAF's own inspector, on one line.
template <class T>
std::string to_json(const T& x) {
  caf::json_writer writer;
  writer.indentation(0);
  if (!writer.apply(const_cast<T&>(x)))
    return "failed";
  return std::string{cafwire::compat::to_std(writer.str())};
}

/// Reads a value from JSON with CAF's own inspector.
template <class T>
bool from_json(const std::string& text, T& x) {
  caf::json_reader reader;
  return reader.load(cafwire::compat::from_std(text)) && reader.apply(x);
}

} // namespace test
