// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// CAF's own serializers, for CAF 0.18 and 1.x.

#include "cafwire/caf_compat.hpp"

#include "support/bytes.hpp"
#include "support/catch.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>

#include <span>

namespace accelerator_test {

/// Encodes values into what CAF's own networking would send.
template <class... Ts>
test::bytes stock_encode(const Ts&... xs) {
  caf::byte_buffer out;
#if CAFWIRE_CAF_1
  caf::binary_serializer f{out};
#else
  caf::binary_serializer f{nullptr, out};
#endif
  REQUIRE((f.apply(xs) && ...));
  auto* first = reinterpret_cast<const std::byte*>(out.data());
  return {first, first + out.size()};
}

/// The result of reading values with CAF's own deserializer.
struct stock_result {
  bool ok;
  caf::error error;
  size_t remaining;
};

template <class... Ts>
stock_result stock_decode(std::span<const std::byte> input, Ts&... xs) {
  test::exact_copy copy{input, 3};
  auto bytes = copy.get();
#if CAFWIRE_CAF_1
  caf::binary_deserializer f{bytes.data(), bytes.size()};
#else
  caf::binary_deserializer f{nullptr, bytes.data(), bytes.size()};
#endif
  auto ok = (f.apply(xs) && ...);
  return {ok, f.get_error(), f.remaining()};
}

} // namespace accelerator_test
