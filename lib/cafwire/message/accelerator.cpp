// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/message/accelerator.hpp"

#include <caf/config_value.hpp>
#include <caf/sec.hpp>
#include <caf/settings.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace cafwire::detail {

namespace {

// Arrays, because CAF takes no other strings from clang.
constexpr char option_name[] = "caf.middleman.app-identifiers";

/// What CAF uses if nothing is configured.
constexpr char default_identifier[] = "generic-caf-app";

caf::sec stock_code(ec code) noexcept {
  switch (code) {
    case ec::unexpected_end:
    case ec::length_exceeds_input:
      return caf::sec::end_of_stream;
    case ec::invariant_failed:
      return caf::sec::field_invariant_check_failed;
    default:
      return caf::sec::runtime_error;
  }
}

template <class Inspector>
void report(Inspector& f, ec code) {
  // An error with a text is a message, which needs CAF's table of types.
  if (compat::core_meta_objects_ready())
    f.emplace_error(stock_code(code), "cafwire: " + to_string(code));
  else
    f.emplace_error(stock_code(code));
}

std::string to_hex(uint64_t x) {
  constexpr auto digits = std::string_view{"0123456789abcdef"};
  std::string result;
  for (auto shift = 60; shift >= 0; shift -= 4)
    result += digits[static_cast<size_t>(x >> shift) & 15];
  return result;
}

} // namespace

void report_to(caf::binary_serializer& f, ec code) {
  report(f, code);
}

void report_to(caf::binary_deserializer& f, ec code) {
  report(f, code);
}

void separate_peers(caf::actor_system_config& cfg, std::vector<std::string_view> schemas) {
  std::sort(schemas.begin(), schemas.end());
  schemas.erase(std::unique(schemas.begin(), schemas.end()), schemas.end());
  std::string all;
  for (auto schema : schemas) {
    all += schema;
    all += '\n';
  }
  auto suffix = "+cafwire-accelerator-1-" + to_hex(layout::fingerprint_of(all));
  std::vector<std::string> identifiers;
  if (auto configured = caf::get_as<std::vector<std::string>>(cfg, option_name))
    identifiers = std::move(*configured);
  if (identifiers.empty())
    identifiers.emplace_back(default_identifier);
  for (auto& identifier : identifiers)
    identifier += suffix;
  caf::put(cfg.content, option_name, identifiers);
}

} // namespace cafwire::detail
