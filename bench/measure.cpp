// This file is part of cafwire. See the file LICENSE for license terms.

#include "measure.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cafwire::bench {

double batch_times::p95_ns() const {
  auto count = static_cast<ptrdiff_t>(std::min(count_, samples_.size()));
  std::vector<float> sorted{samples_.begin(), samples_.begin() + count};
  if (sorted.empty())
    return 0;
  // The nearest-rank method: the smallest sample that 95 % of all samples do not exceed.
  auto rank = (sorted.size() * 95 + 99) / 100 - 1;
  auto pos = sorted.begin() + static_cast<ptrdiff_t>(rank);
  std::nth_element(sorted.begin(), pos, sorted.end());
  return static_cast<double>(*pos);
}

} // namespace cafwire::bench
