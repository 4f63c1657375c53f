// This file is part of cafwire. See the file LICENSE for license terms.

// One of two translation units that include every header. That they link shows that no header
// defines a function twice; that they agree on the bytes shows that both see the same templates.

#include "all_headers.hpp"

#include "shared_type.hpp"

#include <cstddef>
#include <vector>

/// Encodes `x` in the other translation unit.
std::vector<std::byte> encode_elsewhere(const shared_type& x);

int main() {
  const shared_type x{42, "forty-two", {1, 2, 3}};
  cafwire::output_buffer out;
  if (cafwire::serialize(out, x) != cafwire::ec::none)
    return 1;
  const auto bytes = out.bytes();
  return std::vector<std::byte>{bytes.begin(), bytes.end()} == encode_elsewhere(x) ? 0 : 1;
}
