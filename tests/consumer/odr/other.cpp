// This file is part of cafwire. See the file LICENSE for license terms.

#include "all_headers.hpp"

#include "shared_type.hpp"

#include <cstddef>
#include <vector>

std::vector<std::byte> encode_elsewhere(const shared_type& x);

std::vector<std::byte> encode_elsewhere(const shared_type& x) {
  cafwire::output_buffer out;
  if (cafwire::serialize(out, x) != cafwire::ec::none)
    return {};
  const auto bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}
