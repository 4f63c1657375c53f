// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <filesystem>

namespace cafwire {

/// Paths: the text in the generic format, as UTF-8, with `/` between the parts. On systems whose
/// paths are bytes, these bytes as they are, whether they are UTF-8 or not.
template <>
struct formatter<std::filesystem::path> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const std::filesystem::path& x);

  static bool load(deserializer& f, std::filesystem::path& x);

  static void schema(layout::schema_builder& f) {
    f.varying_of<char>("seq", 1);
  }
};

} // namespace cafwire
