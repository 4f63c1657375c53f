// This file is part of cafwire. See the file LICENSE for license terms.

#include "hostile/allocations.hpp"
#include "support/codec.hpp"
#include "support/specimens.hpp"

#include <cstddef>

using cafwire::ec;
using test::encode;
using test::to_hex;

namespace {

/// The promise for untrusted input.
size_t allowance(size_t input_bytes) {
  return 16 * input_bytes + 65536;
}

} // namespace

TEST_CASE("a value that is cut off anywhere is refused, without reading or allocating too much") {
  test::for_each_specimen([](const auto& x) {
    auto bytes = encode(x);
    for (size_t n = 0; n < bytes.size(); ++n) {
      for (auto reuse : {false, true}) {
        test::exact_copy input{std::span{bytes}.first(n)};
        auto y = reuse ? x : std::decay_t<decltype(x)>{};
        auto code = ec::none;
        size_t largest = 0;
        {
          hostile::allocation_watch watch;
          code = cafwire::deserialize(input.get(), y);
          largest = watch.largest();
        }
        INFO("bytes: " << to_hex(bytes) << ", cut at: " << n << ", " << to_string(code));
        CHECK((code == ec::unexpected_end || code == ec::length_exceeds_input));
        CHECK(largest <= allowance(n));
      }
    }
  });
}

TEST_CASE("a value with bytes behind it is refused") {
  test::for_each_specimen([](const auto& x) {
    auto bytes = encode(x);
    for (auto extra : {0x00, 0x01, 0xff}) {
      bytes.push_back(static_cast<std::byte>(extra));
      auto y = std::decay_t<decltype(x)>{};
      CHECK(test::decode_into(y, bytes) == ec::trailing_bytes);
      bytes.pop_back();
    }
  });
}
