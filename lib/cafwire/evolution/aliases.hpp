// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/layout/schema.hpp"

#include <caf/type_id.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cafwire {

namespace detail {

/// Thread-safe, as the other functions here.
void add_type_alias(std::string_view name, std::string former_name);

void add_field_alias(const void* struct_key, std::string name, std::string former_name);

/// Returns the current name of a type that had another one, or an empty string.
std::string current_type_name(std::string_view former_name);

/// Returns the names that a field has had.
std::vector<std::string> former_field_names(const void* struct_key, std::string_view name);

} // namespace detail

/// Tells readers that peers may know `T` by another name: messages and fields of the type
/// `former_name` are read as `T`. Call it beside `cafwire::init_global_meta_objects`, before the
/// first session starts. What is written has the current name only.
template <class T>
void alias(std::string former_name) {
  static_assert(caf::has_type_id_v<T>, "cafwire: only types with a type ID have names");
  detail::add_type_alias(compat::to_std(caf::type_name_by_id_v<caf::type_id_v<T>>),
                         std::move(former_name));
}

/// Tells readers that peers may know a field of the struct `T` by another name. `T` needs no type
/// ID. Call it beside `cafwire::init_global_meta_objects`, before the first session starts.
template <class T>
void field_alias(std::string name, std::string former_name) {
  detail::add_field_alias(&layout::struct_key<T>, std::move(name), std::move(former_name));
}

} // namespace cafwire
