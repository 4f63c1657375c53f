// This file is part of cafwire. See the file LICENSE for license terms.

#include "messages.hpp"

namespace cafwire::bench {

namespace {

template <class StringView>
bool parse_color(StringView str, color& x) {
  for (auto candidate : {color::red, color::green, color::blue}) {
    if (str == to_string(candidate)) {
      x = candidate;
      return true;
    }
  }
  return false;
}

} // namespace

std::string to_string(color x) {
  switch (x) {
    case color::red:
      return "red";
    case color::green:
      return "green";
    case color::blue:
      return "blue";
  }
  return "invalid";
}

#if __has_include(<caf/anon_mail.hpp>)
bool from_string(std::string_view str, color& x) {
  return parse_color(str, x);
}
#else
bool from_string(caf::string_view str, color& x) {
  return parse_color(std::string_view{str.data(), str.size()}, x);
}
#endif

bool from_integer(uint8_t value, color& x) {
  if (value > static_cast<uint8_t>(color::blue))
    return false;
  x = static_cast<color>(value);
  return true;
}

object_vector make_objects(size_t n) {
  object_vector result(n);
  for (size_t i = 0; i < n; ++i) {
    auto& x = result[i];
    auto number = std::to_string(100000 + i);
    x.id = 0x123456789 * (i + 1);
    x.name = "object-number-" + number;
    x.weight = 3.25 + 0.37 * static_cast<double>(i);
    for (size_t k = 0; k < 8; ++k)
      x.numbers.push_back(static_cast<int32_t>(i * 1000 + k));
    if (i % 2 == 1)
      x.note = "a note about " + number;
    for (auto* key : {"height", "length", "width"})
      x.tags.emplace(key, static_cast<int32_t>(i));
    x.paint = static_cast<color>(i % 3);
  }
  return result;
}

} // namespace cafwire::bench
