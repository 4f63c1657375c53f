// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/session/serializer_session.hpp"

#include "cafwire/message/raw_message_codec.hpp"
#include "cafwire/wire/append.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace cafwire {

namespace {

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

/// Returns whether at most `room` different types of a list meet a condition.
template <class Predicate>
bool have_room_for(caf::type_id_list ids, size_t room, Predicate is_wanted) {
  // Good enough most of the time, and without memory: types that occur twice count twice.
  if (static_cast<size_t>(std::count_if(ids.begin(), ids.end(), is_wanted)) <= room)
    return true;
  std::vector<caf::type_id_t> wanted;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(wanted), is_wanted);
  std::sort(wanted.begin(), wanted.end());
  return static_cast<size_t>(std::unique(wanted.begin(), wanted.end()) - wanted.begin()) <= room;
}

/// Returns what a message passes on, or `nullptr` if it is an ordinary one.
const raw_message* raw_content(const known_types& types, const caf::message& msg) {
  return msg.match_elements<raw_message>() && types.find(caf::type_id_v<raw_message>) == nullptr
           ? &msg.get_as<raw_message>(0)
           : nullptr;
}

/// Returns how many bytes define a type that may be unknown here, without its slot.
size_t definition_size(const raw_type& type) noexcept {
  return varint_size(type.name.size()) + type.name.size() + sizeof type.fingerprint
         + varint_size(type.schema.size()) + type.schema.size();
}

size_t size_of_record(size_t body_size) noexcept {
  return 2 + varint_size(body_size) + body_size;
}

/// Returns how many bytes of definitions a message takes that is the first one of its session.
/// @param slot_at returns the slots of its types in the session at hand.
/// @param definition_size_at returns how many bytes define them, without their slots.
template <class SlotAt, class DefinitionSizeAt>
uint32_t
definition_bytes_of_first(size_t num_types, SlotAt slot_at, DefinitionSizeAt definition_size_at) {
  // There, types count up from the first slot, so their numbers take the same two bytes.
  constexpr auto slot_size = varint_size(max_core_slot + 1);
  static_assert(varint_size(max_core_slot + max_definition_size) == slot_size);
  size_t types = 0;
  auto list = varint_size(1) + varint_size(num_types);
  for (size_t i = 0; i < num_types; ++i) {
    auto slot = slot_at(i);
    if (slot <= max_core_slot) {
      list += varint_size(slot);
      continue;
    }
    list += slot_size;
    // Lists are short, so it takes no memory to find out whether a type was there before.
    auto is_new = true;
    for (size_t k = 0; k < i && is_new; ++k)
      is_new = slot_at(k) != slot;
    if (is_new)
      types += size_of_record(slot_size + definition_size_at(i));
  }
  constexpr size_t max = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(std::min(types + size_of_record(list), max));
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
  auto ids = msg.types();
  auto slot = find_short(out, ids);
  if (slot == 0) [[unlikely]]
    return write_long_message(out, msg);
  return append_short(out, slot, [&](size_t& end) CAFWIRE_INLINE_LAMBDA {
    return save(out, end, [&](serializer& f) CAFWIRE_INLINE_LAMBDA {
      auto* first = signature_types_.data() + signatures_[slot - 1].first_type;
      return save_elements(f, {first, ids.size()}, msg);
    });
  });
}

ec serializer_session::write_long_message(output_buffer& out, const caf::message& msg) noexcept {
  auto ids = msg.types();
  auto code = append(out, ids, [&](const signature& sig, size_t& end) {
    auto types = std::span{signature_types_.data() + sig.first_type, ids.size()};
    return save(out, end, [&](serializer& f) { return save_elements(f, types, msg); });
  });
  // No registry has raw messages, so they end here, and others pay one comparison.
  if (code == ec::unregistered_type)
    if (auto* raw = raw_content(*types_, msg))
      return write_raw(out, *raw);
  return code;
}

ec serializer_session::write_raw(output_buffer& out, const raw_message& msg) noexcept {
  auto start = out.size();
  auto code = detail::without_exceptions([&] {
    auto slot = find_or_define_raw(out, msg);
    if (slot == 0)
      return failed_code_;
    auto& sig = signatures_[slot - 1];
    open_record record;
    if (!begin_record(out, sig, record))
      return ec::out_of_memory;
    auto end = record.payload;
    auto result = save(out, end, [&](serializer& f) { return detail::save_raw(f, msg); });
    return result == ec::none ? end_record(out, sig, record, end) : result;
  });
  if (code != ec::none)
    roll_back(out, start, code);
  else
    commit();
  return code;
}

ec serializer_session::encode_payload(output_buffer& payload, const caf::message& msg,
                                      handle_codec* handles, caf::error& reason) const noexcept {
  auto code = detail::without_exceptions([&] {
    auto* raw = raw_content(*types_, msg);
    std::vector<const message_type*> types;
    for (auto id : msg.types()) {
      types.push_back(types_->find(id));
      if (types.back() == nullptr && raw == nullptr) {
        reason = make_error_with_text(ec::unregistered_type, describe(id));
        return ec::unregistered_type;
      }
    }
    serializer f{payload, handles, types_.get()};
    auto saved = raw != nullptr ? detail::save_raw(f, *raw) : save_elements(f, types, msg);
    if (saved && !f.failed())
      return ec::none;
    auto failure = f.take_failure();
    auto result = failure.code != ec::none ? failure.code : ec::inspect_failed;
    reason = failure.release();
    return result;
  });
  if (code != ec::none && reason.empty())
    reason = caf::error{code};
  return code;
}

ec serializer_session::write_head(output_buffer& out, const caf::message& msg,
                                  size_t payload_size) noexcept {
  auto start = out.size();
  auto ids = msg.types();
  auto slot = index_.find(ids.data());
  auto is_new = slot == 0;
  auto code = detail::without_exceptions([&] {
    if (is_new) {
      auto* raw = raw_content(*types_, msg);
      slot = raw != nullptr ? find_or_define_raw(out, *raw) : find_or_define(out, ids);
    }
    if (slot == 0)
      return failed_code_;
    auto& sig = signatures_[slot - 1];
    sig.expect(payload_size);
    open_record record;
    if (!begin_record(out, sig, record))
      return ec::out_of_memory;
    out.set_size(record.payload);
    return ec::none;
  });
  if (code != ec::none)
    roll_back(out, start, code);
  else if (is_new)
    commit();
  return code;
}

void serializer_session::reset() noexcept {
  forget();
  reset_pending_ = true;
}

ec serializer_session::move_payload(output_buffer& out, open_record record, size_t size) noexcept {
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

uint32_t serializer_session::find_or_define(output_buffer& out, caf::type_id_list ids) {
  // The same list may exist at several addresses.
  for (auto& sig : signatures_) {
    if (!sig.is_raw && same_content(sig.ids, ids)) {
      index_.insert(ids.data(), sig.slot);
      return sig.slot;
    }
  }
  return define(out, ids);
}

uint32_t serializer_session::define(output_buffer& out, caf::type_id_list ids) {
  for (auto id : ids)
    if (types_->find(id) == nullptr)
      return fail(ec::unregistered_type, describe(id));
  auto& bounds = options_.bounds;
  auto needs_slot = [this](caf::type_id_t id) { return slot_of(*types_->find(id)) == 0; };
  if (!have_room_for(ids, bounds.max_type_slots - defined_.size(), needs_slot)
      || signatures_.size() >= bounds.max_signature_slots) {
    auto takes_slot = [this](caf::type_id_t id) {
      return types_->find(id)->core_slot == 0 && !static_slots_;
    };
    if (!have_room_for(ids, bounds.max_type_slots, takes_slot))
      return fail(ec::table_full);
    reset();
  }
  auto start = out.size();
  if (!write_reset(out))
    return fail(ec::out_of_memory);
  for (auto id : ids)
    if (auto& type = *types_->find(id); slot_of(type) == 0 && !define_type(out, type))
      return fail(ec::out_of_memory);
  auto type_at = [&](size_t i) -> const message_type& { return *types_->find(ids[i]); };
  auto slot = define_signature(
    out, signature{ids}, ids.size(), [&](size_t i) { return slot_of(type_at(i)); },
    [&](size_t i) { return types_->definition_of(type_at(i)).size(); });
  if (slot == 0)
    return 0;
  note_definitions(out.size() - start);
  for (auto id : ids)
    signature_types_.push_back(types_->find(id));
  index_.insert(ids.data(), slot);
  return slot;
}

template <class SlotAt, class DefinitionSizeAt>
uint32_t serializer_session::define_signature(output_buffer& out, signature entry, size_t num_types,
                                              SlotAt slot_at, DefinitionSizeAt definition_size_at) {
  entry.slot = static_cast<uint32_t>(signatures_.size() + 1);
  entry.first_type = static_cast<uint32_t>(signature_types_.size());
  entry.expect(0);
  auto body_size = varint_size(entry.slot) + varint_size(num_types);
  for (size_t i = 0; i < num_types; ++i)
    body_size += varint_size(slot_at(i));
  if (body_size > max_definition_size || num_types > UINT16_MAX)
    return fail(ec::invalid_definition,
                "no room for a list of " + std::to_string(num_types) + " types");
  auto ok = append_control(out, record_kind::signature_definition) && append_varint(out, body_size)
            && append_varint(out, entry.slot) && append_varint(out, num_types);
  for (size_t i = 0; ok && i < num_types; ++i)
    ok = append_varint(out, slot_at(i));
  if (!ok)
    return fail(ec::out_of_memory);
  entry.bytes_alone = definition_bytes_of_first(num_types, slot_at, definition_size_at);
  signatures_.push_back(entry);
  ++uncommitted_signatures_;
  ++definitions_;
  return entry.slot;
}

uint32_t serializer_session::slot_of(const message_type& type) const noexcept {
  if (type.core_slot != 0)
    return type.core_slot;
  auto rank = types_->rank_of(type);
  if (static_slots_)
    return max_core_slot + 1 + static_cast<uint32_t>(rank);
  return rank < slot_by_rank_.size() ? slot_by_rank_[rank] : 0;
}

bool serializer_session::write_reset(output_buffer& out) {
  if (!reset_pending_)
    return true;
  if (!append_control(out, record_kind::reset))
    return false;
  reset_pending_ = false;
  reset_written_ = true;
  return true;
}

bool serializer_session::define_type(output_buffer& out, const message_type& type) {
  auto rank = types_->rank_of(type);
  if (rank >= slot_by_rank_.size())
    slot_by_rank_.resize(rank + 1);
  return define_type(out, static_cast<uint32_t>(rank), types_->definition_of(type));
}

bool serializer_session::define_type(output_buffer& out, uint32_t entry,
                                     std::string_view definition) {
  // In this order, so that nothing has changed if there is no memory.
  defined_.push_back(entry);
  auto num_static = static_slots_ ? types_->ranked().size() : 0;
  auto slot = max_core_slot + static_cast<uint32_t>(num_static + defined_.size());
  slot_of_entry(entry) = slot;
  ++uncommitted_types_;
  ++definitions_;
  return append_control(out, record_kind::type_definition)
         && append_varint(out, varint_size(slot) + definition.size()) && append_varint(out, slot)
         && out.append(definition.data(), definition.size());
}

// -- raw messages ---------------------------------------------------------------------------------

const message_type* serializer_session::find_equal(const raw_type& type) const noexcept {
  auto* result = types_->find(std::string_view{type.name});
  return result != nullptr && result->schema().fingerprint == type.fingerprint ? result : nullptr;
}

uint32_t& serializer_session::slot_of_entry(uint32_t entry) noexcept {
  return (entry & foreign_flag) != 0 ? foreign_types_[entry & ~foreign_flag].slot
                                     : slot_by_rank_[entry];
}

uint32_t serializer_session::slot_of(const raw_type& type) const noexcept {
  if (type.core_slot != 0)
    return type.core_slot;
  if (auto* known = find_equal(type))
    return slot_of(*known);
  for (auto& x : foreign_types_)
    if (x.fingerprint == type.fingerprint && x.name == type.name)
      return x.slot;
  return 0;
}

bool serializer_session::define_type(output_buffer& out, const raw_type& type) {
  if (auto* known = find_equal(type))
    return define_type(out, *known);
  output_buffer definition;
  serializer f{definition};
  // Schemas are shorter than a long run has to be only by chance: write bytes, not a string.
  auto ok = f.varint(type.name.size()) && f.raw(type.name.data(), type.name.size())
            && f.apply(type.fingerprint) && f.varint(type.schema.size())
            && f.raw(type.schema.data(), type.schema.size());
  f.flush();
  if (!ok)
    return false;
  foreign_types_.push_back({type.name, type.fingerprint, 0});
  auto entry = static_cast<uint32_t>(foreign_types_.size() - 1) | foreign_flag;
  return define_type(out, entry,
                     {reinterpret_cast<const char*>(definition.data()), definition.size()});
}

uint32_t serializer_session::find_or_define_raw(output_buffer& out, const raw_message& msg) {
  static const std::vector<raw_type> no_types;
  auto& types = msg.types != nullptr ? *msg.types : no_types;
  std::vector<uint32_t> slots;
  size_t missing = 0;
  for (auto& type : types) {
    if (type.core_slot > max_core_slot || (type.core_slot == 0 && type.name.empty())
        || type.name.size() + type.schema.size() > max_definition_size - 32)
      return fail(ec::invalid_definition, "a raw message with a type that cannot be defined");
    slots.push_back(slot_of(type));
    missing += slots.back() == 0 ? 1 : 0;
  }
  if (missing == 0)
    for (auto& x : raw_signatures_)
      if (x.types == slots)
        return last_raw_slot_ = x.slot;
  auto& bounds = options_.bounds;
  if (missing > bounds.max_type_slots - defined_.size()
      || signatures_.size() >= bounds.max_signature_slots) {
    if (types.size() > bounds.max_type_slots)
      return fail(ec::table_full);
    reset();
  }
  auto start = out.size();
  if (!write_reset(out))
    return fail(ec::out_of_memory);
  for (size_t i = 0; i < types.size(); ++i) {
    if (slot_of(types[i]) == 0 && !define_type(out, types[i]))
      return fail(ec::out_of_memory);
    slots[i] = slot_of(types[i]);
  }
  auto slot = define_signature(
    out, signature{.is_raw = true}, slots.size(), [&](size_t i) { return slots[i]; },
    [&](size_t i) { return definition_size(types[i]); });
  if (slot == 0)
    return 0;
  note_definitions(out.size() - start);
  raw_signatures_.push_back({std::move(slots), slot});
  return last_raw_slot_ = slot;
}

// -- results --------------------------------------------------------------------------------------

uint32_t serializer_session::fail(ec code, std::string text) {
  failed_code_ = code;
  last_error_ = make_error_with_text(code, std::move(text));
  error_is_set_ = true;
  return 0;
}

ec serializer_session::fail_with(detail::failure x) {
  auto code = x.code != ec::none ? x.code : ec::inspect_failed;
  last_error_ = x.release();
  error_is_set_ = true;
  return code;
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
  definitions_ -= uncommitted_types_ + uncommitted_signatures_;
  definition_bytes_ -= std::exchange(uncommitted_bytes_, 0);
  for (; uncommitted_types_ > 0; --uncommitted_types_) {
    auto entry = defined_.back();
    slot_of_entry(entry) = 0;
    defined_.pop_back();
    if ((entry & foreign_flag) != 0)
      foreign_types_.pop_back();
  }
  for (; uncommitted_signatures_ > 0; --uncommitted_signatures_) {
    auto& sig = signatures_.back();
    index_.erase(sig.slot);
    signature_types_.resize(sig.first_type);
    signatures_.pop_back();
  }
  while (!raw_signatures_.empty() && raw_signatures_.back().slot > signatures_.size())
    raw_signatures_.pop_back();
}

void serializer_session::forget() noexcept {
  index_.clear();
  signatures_.clear();
  signature_types_.clear();
  for (auto entry : defined_)
    slot_of_entry(entry) = 0;
  defined_.clear();
  foreign_types_.clear();
  raw_signatures_.clear();
}

} // namespace cafwire
