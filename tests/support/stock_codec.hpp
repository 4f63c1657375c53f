// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/json_reader.hpp>
#include <caf/json_writer.hpp>

#include <string>

namespace test {

/// Sends a value through CAF's own binary inspectors.
template <class T>
bool stock_round_trip(const T& x, T& y) {
  caf::byte_buffer bytes;
  caf::binary_serializer sink{nullptr, bytes};
  if (!sink.apply(const_cast<T&>(x)))
    return false;
  caf::binary_deserializer source{nullptr, bytes.data(), bytes.size()};
  return source.apply(y) && source.remaining() == 0;
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
