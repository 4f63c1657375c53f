// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// A type that both translation units of this program encode.
struct shared_type {
  int32_t number;
  std::string name;
  std::vector<int16_t> values;
};

template <class Inspector>
bool inspect(Inspector& f, shared_type& x) {
  return f.object(x).fields(f.field("number", x.number), f.field("name", x.name),
                            f.field("values", x.values));
}
