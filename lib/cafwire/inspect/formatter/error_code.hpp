// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <system_error>

namespace cafwire {

/// Makes a category of error codes known to this process, so that `std::error_code` and
/// `std::error_condition` of it can be written and read. Those of the standard library are known
/// from the start. Thread-safe. Lasts until the process ends, and so must `category`.
/// @returns false if another category has the same name.
bool add_error_category(const std::error_category& category);

namespace detail {

bool save_error_code(serializer& f, const std::error_category& category, int value);

const std::error_category* load_error_code(deserializer& f, int& value);

template <class T>
concept std_error = std::is_same_v<T, std::error_code> || std::is_same_v<T, std::error_condition>;

} // namespace detail

/// Error codes and conditions of the standard library: the name of the category, the value.
template <detail::std_error T>
struct formatter<T> {
  static constexpr size_t min_size = 5;

  static bool save(serializer& f, const T& x) {
    return detail::save_error_code(f, x.category(), x.value());
  }

  static bool load(deserializer& f, T& x) {
    auto value = 0;
    auto* category = detail::load_error_code(f, value);
    if (category == nullptr)
      return false;
    x.assign(value, *category);
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.group_of<std::string, int32_t>();
  }
};

} // namespace cafwire
