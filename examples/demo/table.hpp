// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "wire_bytes.hpp"

#include <string>
#include <vector>

namespace demo {

/// What was measured for one kind of traffic over one transport.
struct measurement {
  wire_bytes bytes;
  std::vector<double> seconds; ///< Of each timed pass.
};

/// One kind of traffic over both transports.
struct table_entry {
  std::string name;
  size_t messages = 0; ///< Of each timed pass.
  double record_bytes = 0;
  measurement cafwire;
  measurement stock;

  [[nodiscard]] measurement& of(transport x) {
    return x == transport::cafwire ? cafwire : stock;
  }
};

/// Renders the results as a Markdown table with aligned columns: for each entry
/// a row of cafwire, one of stock CAF and their ratio. Speeds are medians over
/// the passes.
std::string render(const std::vector<table_entry>& entries);

} // namespace demo
