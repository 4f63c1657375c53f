// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <string>
#include <vector>

namespace cafwire {

/// A type that is known on both sides of a session, but not as the same version.
struct type_difference {
  /// The name of the type here.
  std::string name;
  /// What differs, for humans: see `layout::schema_difference`.
  std::vector<std::string> lines;
  /// Why values cannot be converted; empty if they can.
  std::string problem;
};

} // namespace cafwire
