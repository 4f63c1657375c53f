// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/session/serializer_session.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace cafwire {

namespace {

bool append_varint(output_buffer& out, uint64_t x) noexcept {
  std::byte bytes[max_varint_size];
  auto* end = write_varint(bytes, x);
  return out.append(bytes, static_cast<size_t>(end - bytes));
}

bool append_control(output_buffer& out, record_kind kind) noexcept {
  const std::byte bytes[] = {std::byte{0}, static_cast<std::byte>(kind)};
  return out.append(bytes, sizeof bytes);
}

/// Names a type that is not known here.
std::string describe(caf::type_id_t id) {
  auto name = compat::type_name(id);
  return name.empty() ? "type ID " + std::to_string(id) : std::string{name};
}

bool same_content(caf::type_id_list x, caf::type_id_list y) noexcept {
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
}

} // namespace

serializer_session::serializer_session(known_types_ptr types, session_options options)
  : types_(std::move(types)),
    options_(std::move(options)),
    static_slots_(options_.peer_registry_hash == types_->hash()) {
  // nop
}

serializer_session::~serializer_session() = default;

ec serializer_session::write_message(output_buffer& out, const caf::message& msg) noexcept {
  return append(out, msg.types(), [&msg](serializer& f, const signature& sig) {
    return save_elements(f, sig.types, msg);
  });
}

void serializer_session::reset() noexcept {
  forget();
  reset_pending_ = true;
}

ec serializer_session::move_payload(output_buffer& out, const open_record& record,
                                    size_t size) noexcept {
  auto after_length = record.length_offset + varint_size(size);
  auto payload = payload_offset(after_length, size);
  if (payload != record.payload) {
    if (payload > record.payload && !out.reserve_more(payload - record.payload))
      return ec::out_of_memory;
    std::memmove(out.data() + payload, out.data() + record.payload, size);
    out.set_size(payload + size);
  }
  auto* pos = write_varint(out.data() + record.length_offset, size);
  std::memset(pos, 0, payload - after_length);
  return ec::none;
}

serializer_session::signature* serializer_session::find_or_define(output_buffer& out,
                                                                  caf::type_id_list ids) {
  auto i = by_address_.find(ids.data());
  auto* sig = i != by_address_.end() ? i->second : define(out, ids);
  if (sig != nullptr) {
    last_ids_ = ids.data();
    last_signature_ = sig;
  }
  return sig;
}

serializer_session::signature* serializer_session::define(output_buffer& out,
                                                          caf::type_id_list ids) {
  // The same list may exist at several addresses.
  for (auto& sig : signatures_) {
    if (same_content(sig.ids, ids)) {
      by_address_.emplace(ids.data(), &sig);
      return &sig;
    }
  }
  std::vector<const message_type*> types;
  types.reserve(ids.size());
  // The types that take a slot, each once.
  std::vector<caf::type_id_t> own_types;
  for (auto id : ids) {
    auto* type = types_->find(id);
    if (type == nullptr)
      return fail(ec::unregistered_type, describe(id));
    types.push_back(type);
    if (type->core_slot == 0 && !static_slots_)
      own_types.push_back(id);
  }
  std::sort(own_types.begin(), own_types.end());
  own_types.erase(std::unique(own_types.begin(), own_types.end()), own_types.end());
  auto new_types = std::count_if(own_types.begin(), own_types.end(), [this](caf::type_id_t id) {
    return id >= slot_by_id_.size() || slot_by_id_[id] == 0;
  });
  auto& bounds = options_.bounds;
  if (own_types.size() > bounds.max_type_slots)
    return fail(ec::table_full);
  if (signatures_.size() >= bounds.max_signature_slots
      || defined_types_.size() + static_cast<size_t>(new_types) > bounds.max_type_slots)
    reset();
  if (reset_pending_) {
    if (!append_control(out, record_kind::reset))
      return fail(ec::out_of_memory);
    reset_pending_ = false;
    reset_written_ = true;
  }
  std::vector<uint32_t> slots;
  slots.reserve(types.size());
  for (auto* type : types) {
    auto slot = slot_of(out, *type);
    if (slot == 0)
      return nullptr;
    slots.push_back(slot);
  }
  auto slot = static_cast<uint32_t>(signatures_.size() + 1);
  auto body_size = varint_size(slot) + varint_size(slots.size());
  for (auto x : slots)
    body_size += varint_size(x);
  if (body_size > max_definition_size)
    return fail(ec::invalid_definition,
                "no room for a list of " + std::to_string(slots.size()) + " types");
  auto ok = append_control(out, record_kind::signature_definition) && append_varint(out, body_size)
            && append_varint(out, slot) && append_varint(out, slots.size());
  for (auto x : slots)
    ok = ok && append_varint(out, x);
  if (!ok)
    return fail(ec::out_of_memory);
  auto& sig = signatures_.emplace_back(signature{ids, std::move(types), slot, 0});
  ++uncommitted_signatures_;
  ++definitions_;
  by_address_.emplace(ids.data(), &sig);
  return &sig;
}

uint32_t serializer_session::slot_of(output_buffer& out, const message_type& type) {
  if (type.core_slot != 0)
    return type.core_slot;
  if (static_slots_)
    return max_core_slot + 1 + static_cast<uint32_t>(types_->rank_of(type));
  if (type.id >= slot_by_id_.size())
    slot_by_id_.resize(size_t{type.id} + 1);
  auto& slot = slot_by_id_[type.id];
  if (slot != 0)
    return slot;
  // In this order, so that nothing has changed if there is no memory.
  defined_types_.push_back(type.id);
  slot = max_core_slot + static_cast<uint32_t>(defined_types_.size());
  ++uncommitted_types_;
  ++definitions_;
  auto definition = types_->definition_of(type);
  if (!append_control(out, record_kind::type_definition)
      || !append_varint(out, varint_size(slot) + definition.size()) || !append_varint(out, slot)
      || !out.append(definition.data(), definition.size())) {
    fail(ec::out_of_memory);
    return 0;
  }
  return slot;
}

serializer_session::signature* serializer_session::fail(ec code, std::string text) {
  failed_code_ = code;
  last_error_ = make_error_with_text(code, std::move(text));
  error_is_set_ = true;
  return nullptr;
}

ec serializer_session::fail_with(const serializer& f) {
  last_error_ = f.get_error();
  error_is_set_ = true;
  return f.failed() ? f.code() : ec::inspect_failed;
}

void serializer_session::roll_back(output_buffer& out, size_t start, ec code) noexcept {
  out.truncate(start);
  if (!error_is_set_) {
    last_error_.reset();
    // Without memory for an error, the returned code must do.
    std::ignore = detail::without_exceptions([this, code] {
      last_error_ = caf::error{code};
      return ec::none;
    });
  }
  error_is_set_ = false;
  // The reset went away with the bytes, but the tables are empty: say it again next time.
  if (reset_written_)
    reset_pending_ = true;
  reset_written_ = false;
  if (uncommitted_signatures_ > 0 || uncommitted_types_ > 0) {
    last_ids_ = nullptr;
    last_signature_ = nullptr;
  }
  definitions_ -= uncommitted_types_ + uncommitted_signatures_;
  for (; uncommitted_types_ > 0; --uncommitted_types_) {
    slot_by_id_[defined_types_.back()] = 0;
    defined_types_.pop_back();
  }
  for (; uncommitted_signatures_ > 0; --uncommitted_signatures_) {
    auto* sig = &signatures_.back();
    std::erase_if(by_address_, [sig](auto& entry) { return entry.second == sig; });
    signatures_.pop_back();
  }
}

void serializer_session::forget() noexcept {
  slot_by_id_.clear();
  defined_types_.clear();
  by_address_.clear();
  signatures_.clear();
  last_ids_ = nullptr;
  last_signature_ = nullptr;
}

} // namespace cafwire
