// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

namespace cafwire {

namespace detail {

/// `std::filesystem::path`, known by what only paths have: its header is too large to be included
/// for programs that send none.
// clang-format off
template <class T>
concept filesystem_path = std::is_class_v<T> && !self_inspecting<T> && requires(const T& x) {
  typename T::string_type;
  T::preferred_separator;
  x.native();
  x.generic_u8string();
  x.lexically_normal();
};
// clang-format on

} // namespace detail

/// Paths: the text in the generic format, as UTF-8, with `/` between the parts. On systems whose
/// paths are bytes, these bytes as they are, whether they are UTF-8 or not.
template <detail::filesystem_path T>
struct formatter<T> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const T& x) {
    if constexpr (is_generic) {
      return f.string(x.native().data(), x.native().size());
    } else {
      auto text = x.generic_u8string();
      return f.string(reinterpret_cast<const char*>(text.data()), text.size());
    }
  }

  static bool load(deserializer& f, T& x) {
    std::string text;
    if (!f.apply(text))
      return false;
    // A path of more than one part keeps a list of its parts.
    auto separators = static_cast<size_t>(std::count(text.begin(), text.end(), '/'));
    if (separators > 0 && !f.charge(separators + 1, sizeof(T)))
      return false;
    if constexpr (is_generic)
      x = std::move(text);
    else
      x = std::u8string{text.begin(), text.end()};
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<char>("seq", 1);
  }

private:
  /// Whether paths are bytes with `/` between the parts, as they are on the wire.
  static constexpr bool is_generic
    = std::is_same_v<typename T::value_type, char> && T::preferred_separator == '/';
};

} // namespace cafwire
