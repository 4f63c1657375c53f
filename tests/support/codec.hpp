// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"

#include "support/bytes.hpp"
#include "support/catch.hpp"

#include <span>

namespace test {

/// Encodes values into fresh memory and requires that this works.
template <class... Ts>
bytes encode(const Ts&... xs) {
  cafwire::output_buffer out;
  REQUIRE(cafwire::serialize(out, xs...) == cafwire::ec::none);
  return to_bytes(out.bytes());
}

/// Decodes a value from memory that ends where the input ends.
template <class T>
cafwire::ec decode_into(T& x, std::span<const std::byte> input,
                        const cafwire::limits& bounds = cafwire::limits::untrusted()) {
  exact_copy copy{input};
  return cafwire::deserialize(copy.get(), bounds, x);
}

/// Returns what decoding a new `T` says.
template <class T>
cafwire::ec decode_code(std::span<const std::byte> input,
                        const cafwire::limits& bounds = cafwire::limits::untrusted()) {
  auto x = T{};
  return decode_into(x, input, bounds);
}

/// Decodes a new value and requires that this works.
template <class T>
T decode(std::span<const std::byte> input) {
  auto x = T{};
  REQUIRE(decode_into(x, input) == cafwire::ec::none);
  return x;
}

} // namespace test
