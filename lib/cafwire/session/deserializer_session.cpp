// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/session/deserializer_session.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cafwire {

deserializer_session::deserializer_session(known_types_ptr types, session_options options)
  : types_(std::move(types)),
    options_(std::move(options)),
    static_slots_(options_.peer_registry_hash == types_->hash()),
    short_size_(std::min(size_t{0x7f}, options_.bounds.max_frame_bytes)) {
  // nop
}

deserializer_session::~deserializer_session() = default;

ec deserializer_session::read_message(input_cursor& in, caf::message& msg) noexcept {
  return next(in, [&](signature& sig, std::span<const std::byte> payload) {
    if (sig.problem != ec::none)
      return refuse(sig);
    caf::message result;
    auto code = load(payload, [&](deserializer& f) {
      return f.charge(sig.layout.storage_size) && load_elements(f, sig.layout, result);
    });
    if (code == ec::none)
      msg = std::move(result);
    return code;
  });
}

ec deserializer_session::match(signature& sig, caf::type_id_list wanted) {
  if (sig.problem != ec::none)
    return refuse(sig);
  auto& types = sig.layout.types;
  auto same = [](const message_type* type, caf::type_id_t id) { return type->id == id; };
  if (!std::equal(types.begin(), types.end(), wanted.begin(), wanted.end(), same))
    return ec::unexpected_type;
  sig.accepted = wanted.data();
  return ec::none;
}

bool deserializer_session::skip(ec code) noexcept {
  status_ = code == ec::unexpected_type ? read_status::other_types : read_status::skipped;
  report(code);
  return status_ == read_status::skipped;
}

// -- finding messages -----------------------------------------------------------------------------

ec deserializer_session::locate(input_cursor& in, located& msg) noexcept {
  if (broken_code_ != ec::none) {
    status_ = read_status::broken;
    return broken_code_;
  }
  auto result = ec::none;
  auto code = detail::without_exceptions([&] {
    result = locate_slow(in, msg);
    return ec::none;
  });
  return code == ec::none ? result : broken(code);
}

ec deserializer_session::locate_slow(input_cursor& in, located& msg) {
  for (;;) {
    auto cursor = in;
    uint64_t slot = 0;
    if (auto code = cursor.read_varint(slot); code != ec::none)
      return code == ec::unexpected_end ? incomplete() : broken(code);
    if (slot == 0) {
      if (auto code = read_control(cursor); code != ec::none)
        return code;
      in = cursor;
      continue;
    }
    uint64_t size = 0;
    if (auto code = cursor.read_varint(size); code != ec::none)
      return code == ec::unexpected_end ? incomplete() : broken(code);
    if (slot > signatures_.size())
      return broken(ec::unknown_slot, "signature slot " + std::to_string(slot));
    if (size > options_.bounds.max_frame_bytes)
      return broken(ec::frame_too_large);
    if (size >= layout::long_run_bytes) {
      auto code = cursor.skip_alignment();
      if (code != ec::none)
        return code == ec::unexpected_end ? incomplete() : broken(code);
    }
    if (size > cursor.remaining())
      return incomplete();
    msg.sig = &signatures_[static_cast<size_t>(slot) - 1];
    msg.payload = {cursor.position(), static_cast<size_t>(size)};
    return ec::none;
  }
}

// -- definitions ----------------------------------------------------------------------------------

ec deserializer_session::read_control(input_cursor& in) {
  auto kind = uint8_t{0};
  if (in.read_integer(kind) != ec::none)
    return incomplete();
  if (kind == static_cast<uint8_t>(record_kind::reset)) {
    type_slots_.clear();
    signatures_.clear();
    update_short_slots();
    return ec::none;
  }
  uint64_t size = 0;
  if (auto code = in.read_varint(size); code != ec::none)
    return code == ec::unexpected_end ? incomplete() : broken(code);
  if (size > options_.bounds.max_definition_bytes)
    return broken(ec::invalid_definition, "a definition takes " + std::to_string(size) + " bytes");
  if (size > in.remaining())
    return incomplete();
  input_cursor body{{in.position(), static_cast<size_t>(size)}};
  in.advance(static_cast<size_t>(size));
  auto code = ec::invalid_definition;
  if (kind == static_cast<uint8_t>(record_kind::type_definition))
    code = define_type(body);
  else if (kind == static_cast<uint8_t>(record_kind::signature_definition))
    code = define_signature(body);
  if (code == ec::none && !body.at_end())
    code = ec::invalid_definition;
  if (code != ec::none)
    return broken(code);
  ++definitions_;
  return ec::none;
}

ec deserializer_session::define_type(input_cursor& in) {
  uint64_t slot = 0;
  std::string_view name;
  uint64_t fingerprint = 0;
  std::string_view schema;
  if (in.read_varint(slot) != ec::none)
    return ec::invalid_definition;
  auto* start = in.position();
  auto before = in.offset();
  if (in.read_string(name) != ec::none || in.read_integer(fingerprint) != ec::none
      || in.read_string(schema) != ec::none)
    return ec::invalid_definition;
  // Slots count up, and nobody defines what both sides know.
  if (static_slots_ || slot != max_core_slot + 1 + type_slots_.size() || name.empty())
    return ec::invalid_definition;
  if (type_slots_.size() >= options_.bounds.max_type_slots)
    return ec::table_full;
  auto entry = type_slot{};
  entry.type = types_->find(name);
  // Most peers say what we would say ourselves.
  auto body = std::string_view{reinterpret_cast<const char*>(start), in.offset() - before};
  if (entry.type == nullptr || types_->definition_of(*entry.type) != body) {
    if (!schema.empty() && layout::fingerprint_of(schema) != fingerprint)
      return ec::invalid_definition;
    if (entry.type == nullptr)
      entry.problem = ec::unknown_type;
    else if (entry.type->schema().fingerprint != fingerprint)
      entry.problem = ec::schema_mismatch;
    if (entry.problem != ec::none)
      entry.name = std::string{name};
  }
  type_slots_.push_back(std::move(entry));
  return ec::none;
}

ec deserializer_session::define_signature(input_cursor& in) {
  uint64_t slot = 0;
  uint64_t count = 0;
  if (in.read_varint(slot) != ec::none || in.read_varint(count) != ec::none
      || slot != signatures_.size() + 1 || count > in.remaining() || count > UINT16_MAX)
    return ec::invalid_definition;
  if (signatures_.size() >= options_.bounds.max_signature_slots)
    return ec::table_full;
  auto result = signature{};
  std::vector<const message_type*> types;
  types.reserve(static_cast<size_t>(count));
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t index = 0;
    if (in.read_varint(index) != ec::none || index == 0)
      return ec::invalid_definition;
    const message_type* type = nullptr;
    auto problem = ec::none;
    std::string detail;
    if (index <= max_core_slot) {
      auto core = detail::core_types();
      if (index < core.size()) {
        type = core[static_cast<size_t>(index)];
      } else {
        // A later version of the format knows more types than we do.
        problem = ec::unknown_type;
        detail = "slot " + std::to_string(index);
      }
    } else {
      index -= max_core_slot + 1;
      if (static_slots_) {
        if (index >= types_->ranked().size())
          return ec::unknown_slot;
        type = types_->ranked()[static_cast<size_t>(index)];
      } else {
        if (index >= type_slots_.size())
          return ec::unknown_slot;
        auto& entry = type_slots_[static_cast<size_t>(index)];
        type = entry.type;
        problem = entry.problem;
        detail = entry.name;
      }
    }
    if (problem != ec::none && result.problem == ec::none) {
      result.problem = problem;
      result.detail = std::move(detail);
    }
    types.push_back(type);
  }
  if (result.problem == ec::none)
    result.layout = make_message_layout(std::move(types));
  signatures_.push_back(std::move(result));
  update_short_slots();
  return ec::none;
}

void deserializer_session::update_short_slots() noexcept {
  short_slots_ = broken_code_ == ec::none ? std::min(size_t{0x7f}, signatures_.size()) : 0;
}

// -- results --------------------------------------------------------------------------------------

ec deserializer_session::fail_with(detail::failure x) {
  auto code = x.code;
  last_error_ = x.release();
  error_is_set_ = true;
  return code;
}

ec deserializer_session::refuse(const signature& sig) {
  last_error_ = make_error_with_text(sig.problem, sig.detail);
  error_is_set_ = true;
  return sig.problem;
}

ec deserializer_session::incomplete() noexcept {
  status_ = read_status::need_more;
  return report(ec::unexpected_end);
}

ec deserializer_session::broken(ec code, std::string text) noexcept {
  broken_code_ = code;
  update_short_slots();
  status_ = read_status::broken;
  set_last_error(code, std::move(text));
  return code;
}

ec deserializer_session::report(ec code) noexcept {
  if (!error_is_set_)
    set_last_error(code);
  error_is_set_ = false;
  return code;
}

void deserializer_session::set_last_error(ec code, std::string text) noexcept {
  last_error_.reset();
  // Without memory for an error, the returned code must do.
  std::ignore = detail::without_exceptions([&] {
    last_error_ = make_error_with_text(code, std::move(text));
    return ec::none;
  });
}

} // namespace cafwire
