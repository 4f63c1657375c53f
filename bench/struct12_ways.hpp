// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "workloads.hpp"

namespace cafwire::bench {

/// Adds the ways to read one `struct12` with cafwire:
/// - `struct12/read/generic`: `deserialize` with the type known to the compiler.
/// - `struct12/read/erased`: through the pointer to a function that messages use, where the
/// compiler
///   sees neither the type nor the function.
/// - `struct12/read/view`: opens a view of 64 of them in shared bytes and reads one in place.
void add_struct12_ways(const struct12& value);

} // namespace cafwire::bench
