// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/schema_tree.hpp"

#include <string>
#include <vector>

namespace cafwire::layout {

/// The most lines that `schema_difference` returns.
inline constexpr size_t max_difference_lines = 64;

/// Lists for humans in what two versions of a type differ, one line for each field, element or
/// alternative, such as `shop::order.price: f32 there, f64 here` or `shop::order.note: only here`.
/// Returns nothing if the types are equal. Takes time linear in the number of pairs of types that
/// have the same place on both sides; safe against any schema.
std::vector<std::string> schema_difference(const schema_node& there, const schema_node& here);

} // namespace cafwire::layout
