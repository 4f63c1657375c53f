// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/path.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

namespace cafwire {

namespace {

using std::filesystem::path;

/// Whether paths are bytes with `/` between the parts, as they are on the wire.
constexpr auto is_generic
  = std::is_same_v<path::value_type, char> && path::preferred_separator == '/';

} // namespace

bool formatter<path>::save(serializer& f, const path& x) {
  if constexpr (is_generic) {
    return f.string(x.native().data(), x.native().size());
  } else {
    auto text = x.generic_u8string();
    return f.string(reinterpret_cast<const char*>(text.data()), text.size());
  }
}

bool formatter<path>::load(deserializer& f, path& x) {
  std::string text;
  if (!f.string(text))
    return false;
  // A path of more than one part keeps a list of its parts.
  auto separators = static_cast<size_t>(std::count(text.begin(), text.end(), '/'));
  if (separators > 0 && !f.charge(separators + 1, sizeof(path)))
    return false;
  if constexpr (is_generic)
    x = std::move(text);
  else
    x = std::u8string{text.begin(), text.end()};
  return true;
}

} // namespace cafwire
