// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/copy.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

TEST_CASE("copies of any size take exactly their bytes") {
  for (size_t n = 0; n <= 200; ++n) {
    // Blocks of their own size, so that sanitizers see each byte too many.
    std::vector<std::byte> source(n);
    for (size_t i = 0; i < n; ++i)
      source[i] = static_cast<std::byte>(i * 7 + 1);
    std::vector<std::byte> target(n);
    cafwire::copy_bytes(target.data(), source.data(), n);
    CHECK(target == source);
    // Whatever lies around the target stays as it is.
    std::vector<std::byte> frame(n + 64, std::byte{0xee});
    cafwire::copy_bytes(frame.data() + 32, source.data(), n);
    auto untouched = [](std::byte x) { return x == std::byte{0xee}; };
    CHECK(std::all_of(frame.begin(), frame.begin() + 32, untouched));
    CHECK(std::all_of(frame.end() - 32, frame.end(), untouched));
    CHECK(std::equal(source.begin(), source.end(), frame.begin() + 32));
  }
}
