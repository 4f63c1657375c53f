// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/error.hpp"

#include <caf/message.hpp>

#include <array>

namespace cafwire {

namespace {

// In the order of the enumerators.
constexpr auto names = std::array<std::string_view, 57>{
  "none",
  "unexpected_end",
  "length_exceeds_input",
  "invalid_varint",
  "invalid_bool",
  "invalid_enum",
  "invalid_float",
  "invalid_variant_index",
  "nonzero_padding",
  "duplicate_key",
  "unordered_keys",
  "invalid_tag",
  "trailing_bytes",
  "depth_limit",
  "unbacked_items_limit",
  "memory_limit",
  "frame_too_large",
  "out_of_memory",
  "unknown_type",
  "unregistered_type",
  "schema_mismatch",
  "unexpected_type",
  "unsupported_type",
  "foreign_error",
  "inspect_failed",
  "invariant_failed",
  "callback_failed",
  "valueless_variant",
  "no_actor_context",
  "unreachable_actor",
  "unknown_slot",
  "invalid_definition",
  "table_full",
  "invalid_frame",
  "wrong_epoch",
  "sequence_gap",
  "sequence_repeat",
  "wrong_peer",
  "incompatible_version",
  "handshake_timeout",
  "closed_during_handshake",
  "connection_closed",
  "io_module_missing",
  "unknown_error_category",
  "unknown_derived_type",
  "reference_cycle",
  "unknown_reference",
  "reference_type_mismatch",
  "fast_path_mismatch",
  "buffer_full",
  "cancelled",
  "value_not_representable",
  "authentication_required",
  "unauthenticated_peer",
  "authentication_failed",
  "weak_key",
  "too_many_actors",
};

static_assert(names.size() == static_cast<size_t>(ec::too_many_actors) + 1);

} // namespace

std::string to_string(ec code) {
  auto index = static_cast<size_t>(code);
  return index < names.size() ? std::string{names[index]} : "invalid";
}

bool from_string(compat::string_view name, ec& code) {
  for (size_t index = 0; index < names.size(); ++index) {
    if (names[index] == compat::to_std(name)) {
      code = static_cast<ec>(index);
      return true;
    }
  }
  return false;
}

bool from_integer(uint8_t value, ec& code) {
  if (value >= names.size())
    return false;
  code = static_cast<ec>(value);
  return true;
}

caf::error make_error_with_text(ec code, std::string text) {
  if (text.empty() || !compat::core_meta_objects_ready())
    return caf::error{code};
  return caf::make_error(code, std::move(text));
}

} // namespace cafwire
