// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/session/deserializer_session.hpp"

#include "cafwire/evolution/aliases.hpp"
#include "cafwire/message/raw_message_codec.hpp"
#include "cafwire/session/type_converter.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace cafwire {

namespace {

raw_type to_raw_type(const message_type& type) {
  auto result = raw_type{type.core_slot, {}, 0, {}};
  if (type.core_slot == 0) {
    result.name = std::string{type.name};
    result.fingerprint = type.schema().fingerprint;
    result.schema = type.schema().text;
  }
  return result;
}

} // namespace

struct deserializer_session::kept_type {
  raw_type type;
  layout::schema_tree schema;
};

struct deserializer_session::kept_types {
  std::shared_ptr<const std::vector<raw_type>> types;
  /// Keeps the schemas alive.
  std::vector<std::shared_ptr<const kept_type>> owners;
  std::vector<const layout::schema_node*> schemas;
};

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
      return !sig.plans.empty()    ? load_converted(sig, payload, msg)
             : sig.kept != nullptr ? keep(sig, payload, msg)
                                   : refuse(sig);
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
  if (sig.problem != ec::none && sig.plans.empty())
    return refuse(sig);
  auto& types = sig.layout.types;
  auto same = [](const message_type* type, caf::type_id_t id) { return type->id == id; };
  if (!std::equal(types.begin(), types.end(), wanted.begin(), wanted.end(), same))
    return ec::unexpected_type;
  if (sig.plans.empty())
    sig.accepted = wanted.data();
  return ec::none;
}

template <class Fn>
ec deserializer_session::load_converted_by(signature& sig, std::span<const std::byte> payload,
                                           Fn&& load_all) {
  std::string detail;
  auto code = converter_->convert(sig.plans, payload, options_.bounds, detail);
  if (code == ec::none) {
    // Without an owner of the input: views copy, because the buffer is used again.
    deserializer f{converter_->result(), options_.bounds, options_.handles, types_.get()};
    f.limit_memory(options_.bounds.memory_budget(payload.size()));
    if (load_all(f) && f.remaining() != 0)
      f.fail(ec::trailing_bytes);
    if (f.failed())
      code = fail_with(f.take_failure());
  } else {
    set_last_error(code, std::move(detail));
    error_is_set_ = true;
  }
  converter_->release_memory();
  return code;
}

ec deserializer_session::load_converted(signature& sig, std::span<const std::byte> payload,
                                        void* const* targets) {
  return load_converted_by(sig, payload, [&](deserializer& f) {
    return std::all_of(sig.layout.types.begin(), sig.layout.types.end(),
                       [&](auto* type) { return type->load(f, *targets++); });
  });
}

ec deserializer_session::load_converted(signature& sig, std::span<const std::byte> payload,
                                        caf::message& msg) {
  caf::message result;
  auto code = load_converted_by(sig, payload, [&](deserializer& f) {
    return f.charge(sig.layout.storage_size) && load_elements(f, sig.layout, result);
  });
  if (code == ec::none)
    msg = std::move(result);
  return code;
}

ec deserializer_session::keep(signature& sig, std::span<const std::byte> payload,
                              caf::message& msg) {
  // The walk also makes sure that nobody is sent what this session would have refused.
  auto& types = *sig.kept;
  layout::value_walker walker{input_cursor{payload}, options_.bounds, &converter_->schemas()};
  deserializer f{payload, options_.bounds, options_.handles, types_.get()};
  f.limit_memory(options_.bounds.memory_budget(payload.size()));
  detail::raw_piece_finder finder{payload, f};
  for (auto* schema : types.schemas)
    if (!walker.visit(*schema, finder))
      break;
  auto code = walker.code();
  if (code == ec::none && !walker.cursor().at_end())
    code = ec::trailing_bytes;
  if (code != ec::none) {
    set_last_error(code, walker.detail());
    error_is_set_ = true;
    return code;
  }
  // Whoever gets the message may not know the link where it came from.
  if (f.failed() || !detail::load_actors(f, finder.pieces))
    return fail_with(f.take_failure());
  auto* first = reinterpret_cast<const uint8_t*>(payload.data());
  msg = caf::make_message(
    raw_message{types.types, {first, first + payload.size()}, std::move(finder.pieces)});
  return ec::none;
}

void deserializer_session::keep_type(type_slot& entry, raw_type type) {
  if (converter_ == nullptr)
    converter_ = std::make_unique<detail::type_converter>(types_);
  auto result = std::make_shared<kept_type>();
  std::string problem;
  if (layout::schema_tree::parse(type.schema, result->schema, problem) != ec::none
      || !converter_->take_parts(result->schema.size()))
    return;
  result->type = std::move(type);
  entry.kept = std::move(result);
}

bool deserializer_session::skip(ec code) noexcept {
  status_ = code == ec::unexpected_type ? read_status::other_types : read_status::skipped;
  report(code);
  return status_ == read_status::skipped;
}

std::vector<type_difference> deserializer_session::differing_types() const {
  return converter_ != nullptr ? converter_->differences() : std::vector<type_difference>{};
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
    type_slots_.resize(num_known_slots_);
    signatures_.clear();
    if (converter_ != nullptr)
      converter_->clear();
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

ec deserializer_session::read_known_types(std::span<const std::byte> definitions) noexcept {
  if (broken_code_ != ec::none)
    return broken_code_;
  auto code = detail::without_exceptions([&] {
    auto result = type_slots_.empty() && signatures_.empty() && !static_slots_
                    ? ec::none
                    : ec::invalid_definition;
    for (input_cursor in{definitions}; result == ec::none && !in.at_end();)
      result = read_known_type(in);
    return result;
  });
  if (code != ec::none)
    return broken(code);
  num_known_slots_ = type_slots_.size();
  if (converter_ != nullptr)
    converter_->keep();
  return ec::none;
}

ec deserializer_session::read_known_type(input_cursor& in) {
  // Whoever records is not bound by the size that definitions of streams may have.
  uint8_t begin[2] = {};
  for (auto& x : begin)
    if (auto code = in.read_integer(x); code != ec::none)
      return code;
  if (begin[0] != 0 || begin[1] != static_cast<uint8_t>(record_kind::type_definition))
    return ec::invalid_definition;
  std::string_view content;
  if (auto code = in.read_string(content); code != ec::none)
    return code;
  input_cursor body{std::as_bytes(std::span{content})};
  auto code = define_type(body);
  return code == ec::none && !body.at_end() ? ec::invalid_definition : code;
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
  // Slots count up behind those that both sides know.
  if (slot != max_core_slot + 1 + num_static_slots() + type_slots_.size() || name.empty())
    return ec::invalid_definition;
  if (type_slots_.size() >= options_.bounds.max_type_slots)
    return ec::table_full;
  auto entry = type_slot{};
  entry.type = find_type(name);
  // Most peers say what we would say ourselves.
  auto body = std::string_view{reinterpret_cast<const char*>(start), in.offset() - before};
  if (entry.type == nullptr || types_->definition_of(*entry.type) != body) {
    if (!schema.empty() && layout::fingerprint_of(schema) != fingerprint)
      return ec::invalid_definition;
    if (entry.type == nullptr)
      entry.problem = ec::unknown_type;
    else if (entry.type->schema().fingerprint != fingerprint)
      define_other_version(entry, schema);
    if (entry.problem != ec::none && options_.keep_unknown_messages)
      keep_type(entry, raw_type{0, std::string{name}, fingerprint, std::string{schema}});
    if (entry.problem != ec::none && entry.detail.empty())
      entry.detail = std::string{name};
  }
  type_slots_.push_back(std::move(entry));
  return ec::none;
}

const message_type* deserializer_session::find_type(std::string_view name) const {
  auto* result = types_->find(name);
  if (result == nullptr)
    if (auto current = detail::current_type_name(name); !current.empty())
      result = types_->find(std::string_view{current});
  return result;
}

void deserializer_session::define_other_version(type_slot& entry, std::string_view schema) {
  if (converter_ == nullptr)
    converter_ = std::make_unique<detail::type_converter>(types_);
  entry.plan = converter_->make_plan(*entry.type, schema, entry.detail);
  if (entry.plan == nullptr)
    entry.problem = ec::schema_mismatch;
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
  std::vector<evolution::plan*> plans;
  std::vector<std::shared_ptr<const kept_type>> kept;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t index = 0;
    if (in.read_varint(index) != ec::none || index == 0)
      return ec::invalid_definition;
    const message_type* type = nullptr;
    auto problem = ec::none;
    std::string detail;
    kept.emplace_back();
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
      if (index < num_static_slots()) {
        type = types_->ranked()[static_cast<size_t>(index)];
      } else {
        index -= num_static_slots();
        if (index >= type_slots_.size())
          return ec::unknown_slot;
        auto& entry = type_slots_[static_cast<size_t>(index)];
        type = entry.type;
        problem = entry.problem;
        detail = entry.detail;
        kept.back() = entry.kept;
        if (entry.plan != nullptr) {
          plans.resize(types.size());
          plans.push_back(entry.plan);
        }
      }
    }
    if (problem != ec::none && result.problem == ec::none) {
      result.problem = problem;
      result.detail = std::move(detail);
    }
    // What is not known here and cannot be kept has no type at all.
    types.push_back(problem == ec::none ? type : nullptr);
  }
  if (result.problem == ec::none) {
    result.layout = make_message_layout(std::move(types));
    if (!plans.empty())
      add_plans(result, std::move(plans));
  } else if (options_.keep_unknown_messages) {
    keep_signature(result, types, std::move(kept));
  }
  signatures_.push_back(std::move(result));
  update_short_slots();
  return ec::none;
}

void deserializer_session::keep_signature(signature& sig,
                                          std::span<const message_type* const> types,
                                          std::vector<std::shared_ptr<const kept_type>> kept) {
  auto result = std::make_shared<kept_types>();
  std::vector<raw_type> raw_types;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != nullptr) {
      auto* tree = converter_ != nullptr ? converter_->schemas().tree_of(*types[i]) : nullptr;
      if (tree == nullptr)
        return;
      raw_types.push_back(to_raw_type(*types[i]));
      result->schemas.push_back(&tree->root());
    } else if (kept[i] != nullptr) {
      raw_types.push_back(kept[i]->type);
      result->schemas.push_back(&kept[i]->schema.root());
    } else {
      return;
    }
  }
  result->types = std::make_shared<const std::vector<raw_type>>(std::move(raw_types));
  result->owners = std::move(kept);
  sig.kept = std::move(result);
}

size_t deserializer_session::num_static_slots() const noexcept {
  return static_slots_ ? types_->ranked().size() : 0;
}

void deserializer_session::add_plans(signature& sig, std::vector<evolution::plan*> plans) {
  auto& types = sig.layout.types;
  plans.resize(types.size());
  sig.problem = ec::schema_mismatch;
  for (size_t i = 0; i < types.size(); ++i) {
    if (plans[i] == nullptr)
      plans[i] = converter_->equal_plan(*types[i], sig.detail);
    if (plans[i] == nullptr)
      return;
  }
  sig.plans = std::move(plans);
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
