// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Converts values between versions of a type, without sessions.

#include <cafwire/codec.hpp>
#include <cafwire/evolution/plan.hpp>
#include <cafwire/evolution/transcode.hpp>
#include <cafwire/message/schema_source.hpp>

#include "support/session_bytes.hpp"

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace evolution_test {

using namespace cafwire;
using session_test::byte_vector;
using session_test::exact_copy;
using session_test::from_hex;
using session_test::to_hex;
using session_test::to_vector;

inline layout::schema_tree parse(std::string_view text) {
  layout::schema_tree result;
  std::string problem;
  if (layout::schema_tree::parse(text, result, problem) != ec::none)
    throw std::invalid_argument{std::string{text} + ": " + problem};
  return result;
}

/// Turns values of one schema into values of another one.
class converter {
public:
  converter(std::string_view from, std::string_view to,
            std::span<const layout::struct_info> structs = {})
    : types_(known_types::global()), to_(parse(to)), plan_(parse(from), to_, structs, &types_) {
    // nop
  }

  const evolution::plan& plan() const {
    return plan_;
  }

  /// Returns the bytes in hexadecimal, or the error in brackets.
  std::string run(std::span<const std::byte> payload, const limits& bounds = limits::untrusted()) {
    output_buffer out;
    exact_copy input{payload};
    evolution::transcoder f{input.get(), bounds, &types_, out};
    evolution::plan* plans[] = {&plan_};
    if (f.run(plans)) {
      bytes = to_vector(out.bytes());
      return to_hex(bytes);
    }
    detail = f.detail();
    return '[' + to_string(f.code()) + ']';
  }

  std::string operator()(std::string_view hex) {
    return plan_.root() == nullptr ? "no plan: " + plan_.problem() : run(from_hex(hex));
  }

  byte_vector bytes;
  std::string detail;

private:
  schema_source types_;
  layout::schema_tree to_;
  evolution::plan plan_;
};

/// Returns the bytes in hexadecimal, the error in brackets, or why there is no plan.
inline std::string convert(std::string_view from, std::string_view to, std::string_view hex) {
  return converter{from, to}(hex);
}

/// Replaces a name in a schema by another one.
inline std::string renamed(std::string text, std::string_view name, std::string_view other) {
  std::string escaped;
  std::string escaped_other;
  layout::append_schema_name(escaped, name);
  layout::append_schema_name(escaped_other, other);
  for (auto pos = text.find(escaped); pos != std::string::npos;
       pos = text.find(escaped, pos + escaped_other.size()))
    text.replace(pos, escaped.size(), escaped_other);
  return text;
}

/// Takes the versions out of the names in a schema.
inline std::string without_versions(const std::string& text) {
  return renamed(renamed(text, "::v1::", "::"), "::v2::", "::");
}

/// Writes `x` as its writer does and reads it as a `To`.
/// @returns why that does not work, or an empty string.
template <class To, class From>
std::string convert_value(const From& x, To& result) {
  output_buffer out;
  if (auto code = serialize(out, x); code != ec::none)
    return "cannot write: " + to_string(code);
  auto& schema = layout::schema_of<To>();
  converter f{without_versions(layout::schema_of<From>().text), without_versions(schema.text),
              schema.structs};
  if (f.plan().root() == nullptr)
    return "no plan: " + f.plan().problem();
  if (auto text = f.run(out.bytes()); text.front() == '[')
    return text + ' ' + f.detail;
  exact_copy converted{f.bytes};
  if (auto code = deserialize(converted.get(), result); code != ec::none)
    return "cannot read: " + to_string(code);
  return {};
}

} // namespace evolution_test
