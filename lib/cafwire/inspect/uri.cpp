// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/uri.hpp"

#include <caf/uri.hpp>

#include <string>

namespace cafwire {

bool formatter<caf::uri>::save(serializer& f, const caf::uri& x) {
  auto text = x.str();
  return f.string(text.data(), text.size());
}

bool formatter<caf::uri>::load(deserializer& f, caf::uri& x) {
  std::string text;
  if (!f.apply(text))
    return false;
  auto result = caf::uri{};
  // The empty URI has an empty text, which is not the text of any other one.
  if (!text.empty()) {
    // CAF's error is a message inside, which needs CAF's meta objects, even to be destroyed.
    if (!compat::core_meta_objects_ready() && !caf::uri::can_parse(text))
      return f.fail(ec::inspect_failed);
    if (auto err = caf::parse(text, result); !err.empty()) {
      f.set_error(std::move(err));
      return false;
    }
  }
  x = std::move(result);
  return true;
}

} // namespace cafwire
