// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/value_walker.hpp"

#include "cafwire/layout/type_traits.hpp"

#include <algorithm>

namespace cafwire::layout {

type_source::~type_source() = default;

value_visitor::~value_visitor() = default;

void value_visitor::scalar(const schema_node&, std::span<const std::byte>) {
  // nop
}

void value_visitor::run(const schema_node&, uint64_t, std::span<const std::byte>) {
  // nop
}

void value_visitor::bits(const schema_node&, uint64_t, std::span<const std::byte>) {
  // nop
}

void value_visitor::begin(const schema_node&, uint64_t) {
  // nop
}

void value_visitor::end(const schema_node&) {
  // nop
}

void value_visitor::part(const schema_node&, const schema_field&, bool) {
  // nop
}

void value_visitor::object(const schema_node&, uint64_t, const std::byte*) {
  // nop
}

void value_visitor::reference(const schema_node&, uint64_t) {
  // nop
}

void value_visitor::null(const schema_node&) {
  // nop
}

void value_visitor::handle(const handle_parts&) {
  // nop
}

void value_visitor::padding(std::span<const std::byte>) {
  // nop
}

void value_visitor::element(std::string_view, uint8_t) {
  // nop
}

namespace {

/// Returns whether unused bits of the last byte are zero.
bool is_padded_with_zeros(std::span<const std::byte> bytes, uint64_t num_bits) {
  return num_bits % 8 == 0 || (std::to_integer<unsigned>(bytes.back()) >> (num_bits % 8)) == 0;
}

bool is_canonical_f80(std::span<const std::byte> bytes) {
  auto exponent = std::to_integer<unsigned>(bytes[8]) | std::to_integer<unsigned>(bytes[9]) << 8;
  auto leading_bit = std::to_integer<unsigned>(bytes[7]) >> 7;
  return ((exponent & 0x7fff) != 0) == (leading_bit != 0);
}

} // namespace

bool value_walker::visit(const schema_node& type, value_visitor& visitor) {
  visitor_ = &visitor;
  auto ok = walk(type);
  visitor_ = nullptr;
  return ok;
}

bool value_walker::skip(const schema_node& type) {
  return walk(type);
}

// -- building blocks ------------------------------------------------------------------------------

bool value_walker::flag(bool& x) {
  auto bits = uint8_t{0};
  if (!byte(bits))
    return false;
  x = bits != 0;
  return bits <= 1 || fail(ec::invalid_bool);
}

bool value_walker::view(size_t num_bytes, std::span<const std::byte>& bytes) {
  if (num_bytes > in_.remaining())
    return fail(ec::unexpected_end);
  bytes = {in_.position(), num_bytes};
  in_.advance(num_bytes);
  return true;
}

bool value_walker::count(const schema_node& container, uint64_t& n) {
  if (!varint(n))
    return false;
  size_t min_size = 0;
  for (auto& field : container.fields)
    min_size += field.type->min_size;
  if (min_size > 0) {
    if (n > in_.remaining() / min_size)
      return fail(ec::length_exceeds_input);
  } else if (n > in_.remaining() && n - in_.remaining() > unbacked_left_) {
    return fail(ec::unbacked_items_limit);
  }
  if (container.kind != schema_kind::sequence || !container.child().fixed_size
      || n * container.child().min_size < long_run_bytes)
    return true;
  if (!skip_alignment())
    return false;
  return n <= in_.remaining() / min_size || fail(ec::length_exceeds_input);
}

bool value_walker::skip_alignment() {
  auto* start = in_.position();
  if (auto code = in_.skip_alignment(); code != ec::none)
    return fail(code);
  if (visitor_ != nullptr)
    visitor_->padding({start, in_.position()});
  return true;
}

bool value_walker::alternative(const schema_node& variant, size_t& index) {
  uint64_t value = 0;
  if (!varint(value))
    return false;
  index = static_cast<size_t>(value);
  return value < variant.fields.size() || fail(ec::invalid_variant_index);
}

bool value_walker::choice(const schema_node& any, size_t& index, std::string_view& name) {
  if (!string(name))
    return false;
  auto i = std::find_if(any.fields.begin(), any.fields.end(),
                        [name](auto& field) { return field.name == name; });
  index = static_cast<size_t>(i - any.fields.begin());
  return true;
}

bool value_walker::string(std::string_view& text) {
  uint64_t n = 0;
  if (!varint(n))
    return false;
  if (n > in_.remaining())
    return fail(ec::length_exceeds_input);
  if (n >= long_run_bytes && !skip_alignment())
    return false;
  std::span<const std::byte> bytes;
  if (!view(static_cast<size_t>(n), bytes))
    return false;
  text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return true;
}

bool value_walker::element_type(const schema_node*& type, std::string& name) {
  uint64_t slot = 0;
  type = nullptr;
  if (!varint(slot))
    return false;
  if (slot != 0) {
    name = "slot " + std::to_string(slot);
    type = types_ != nullptr ? types_->core_type(slot) : nullptr;
    return true;
  }
  std::string_view text;
  uint64_t fingerprint = 0;
  if (!string(text))
    return false;
  if (auto code = in_.read_integer(fingerprint); code != ec::none)
    return fail(code);
  name = std::string{text};
  if (types_ == nullptr)
    return true;
  type = types_->named_type(text, fingerprint);
  return type != nullptr || !types_->has_other_version(text, fingerprint)
         || fail(ec::schema_mismatch, std::move(name));
}

bool value_walker::progress(size_t old_remaining) {
  if (old_remaining != in_.remaining())
    return true;
  if (unbacked_left_ == 0)
    return fail(ec::unbacked_items_limit);
  --unbacked_left_;
  return true;
}

// -- values ---------------------------------------------------------------------------------------

bool value_walker::walk(const schema_node& type) {
  if (visitor_ == nullptr && type.any_bytes) {
    std::span<const std::byte> ignored;
    return view(type.min_size, ignored);
  }
  if (type.is_scalar())
    return scalar(type);
  switch (type.kind) {
    case schema_kind::array:
      return enclosed(type, type.count, [&] { return elements(type, type.count); });
    case schema_kind::tuple:
    case schema_kind::structure:
      return parts(type);
    case schema_kind::optional: {
      auto present = false;
      return enter() && flag(present) && only_part(type, type.fields[0], present ? 1 : 0, present)
             && leave();
    }
    case schema_kind::variant: {
      size_t index = 0;
      return enter() && alternative(type, index) && only_part(type, type.fields[index], index, true)
             && leave();
    }
    case schema_kind::sequence:
    case schema_kind::set:
    case schema_kind::unordered_set:
    case schema_kind::map:
    case schema_kind::unordered_map: {
      uint64_t n = 0;
      return enter() && count(type, n) && enclosed(type, n, [&] { return elements(type, n); })
             && leave();
    }
    case schema_kind::bit_sequence:
    case schema_kind::bit_array: {
      auto n = type.count;
      std::span<const std::byte> bytes;
      if (type.kind == schema_kind::bit_sequence) {
        if (!varint(n))
          return false;
        if (n / 8 + (n % 8 != 0 ? 1 : 0) > in_.remaining())
          return fail(ec::length_exceeds_input);
      }
      if (!view(static_cast<size_t>(n / 8 + (n % 8 != 0 ? 1 : 0)), bytes))
        return false;
      if (!is_padded_with_zeros(bytes, n))
        return fail(ec::nonzero_padding);
      if (visitor_ != nullptr)
        visitor_->bits(type, n, bytes);
      return true;
    }
    case schema_kind::shared:
    case schema_kind::weak:
      return pointer(type);
    case schema_kind::any: {
      size_t index = 0;
      std::string_view name;
      if (!choice(type, index, name))
        return false;
      if (index == type.fields.size())
        return fail(ec::unknown_derived_type, std::string{name});
      return only_part(type, type.fields[index], index, true);
    }
    case schema_kind::actor:
      return handle();
    case schema_kind::message:
      return message(type);
    case schema_kind::error:
      return error(type);
    case schema_kind::core_type:
      if (!type.fields.empty())
        return walk(type.child());
      [[fallthrough]];
    default:
      return fail(ec::unsupported_type, short_name(type));
  }
}

bool value_walker::only_part(const schema_node& type, const schema_field& part, uint64_t n,
                             bool is_present) {
  return enclosed(type, n, [&] {
    if (visitor_ != nullptr)
      visitor_->part(type, part, is_present);
    return !is_present || walk(*part.type);
  });
}

bool value_walker::scalar(const schema_node& type) {
  std::span<const std::byte> bytes;
  if (!view(type.min_size, bytes))
    return false;
  auto number = type.is_number() ? type.kind : type.child().kind;
  if (number == schema_kind::boolean && bytes[0] > std::byte{1})
    return fail(ec::invalid_bool);
  if (number == schema_kind::f80 && !is_canonical_f80(bytes))
    return fail(ec::invalid_float);
  if (visitor_ != nullptr)
    visitor_->scalar(type, bytes);
  return true;
}

bool value_walker::elements(const schema_node& type, uint64_t n) {
  auto is_row = type.kind == schema_kind::sequence || type.kind == schema_kind::array;
  auto& first = type.child();
  if (is_row && first.any_bytes && (visitor_ == nullptr || first.is_number())) {
    std::span<const std::byte> bytes;
    if (first.min_size > 0 && n > in_.remaining() / first.min_size)
      return fail(ec::unexpected_end);
    if (!view(static_cast<size_t>(n) * first.min_size, bytes))
      return false;
    if (visitor_ != nullptr)
      visitor_->run(type, n, bytes);
    return true;
  }
  for (uint64_t i = 0; i < n; ++i) {
    auto before = in_.remaining();
    for (auto& field : type.fields)
      if (!walk(*field.type))
        return false;
    if (!progress(before))
      return false;
  }
  return true;
}

bool value_walker::parts(const schema_node& type) {
  auto all = [&] {
    for (auto& field : type.fields) {
      auto present = true;
      if (field.may_be_absent && !flag(present))
        return false;
      if (visitor_ != nullptr)
        visitor_->part(type, field, present);
      if (present && !walk(*field.type))
        return false;
    }
    return true;
  };
  return enter_object() && enclosed(type, type.fields.size(), all) && leave_object();
}

bool value_walker::pointer(const schema_node& type) {
  uint64_t number = 0;
  if (!varint(number))
    return false;
  if (number == 0) {
    if (visitor_ != nullptr)
      visitor_->null(type);
    return true;
  }
  if (number == 1) {
    if (!enter())
      return false;
    if (visitor_ != nullptr)
      visitor_->object(type, objects_, in_.position());
    ++objects_;
    return walk(type.child()) && leave();
  }
  if (number - 2 >= objects_)
    return fail(ec::unknown_reference);
  if (visitor_ != nullptr)
    visitor_->reference(type, number - 2);
  return true;
}

bool value_walker::handle() {
  auto* start = in_.position();
  auto tag = uint8_t{0};
  if (!byte(tag))
    return false;
  if (tag > static_cast<uint8_t>(last_handle_tag))
    return fail(ec::invalid_tag);
  handle_parts parts;
  parts.tag = static_cast<handle_tag>(tag);
  if (parts.tag > handle_tag::global && !handle_number(parts.number))
    return false;
  if (parts.tag == handle_tag::global || parts.tag == handle_tag::relayed_by_writer) {
    parts.at_node = in_;
    auto* visitor = std::exchange(visitor_, nullptr);
    auto ok = walk(node_id_schema());
    visitor_ = visitor;
    if (!ok)
      return false;
    parts.node = {parts.at_node.position(), in_.position()};
    if (auto code = in_.read_integer(parts.id); code != ec::none)
      return fail(code);
  }
  parts.bytes = {start, in_.position()};
  if (visitor_ != nullptr)
    visitor_->handle(parts);
  return true;
}

bool value_walker::handle_number(uint64_t& x) {
  return varint(x) && (x < uint64_t{1} << 63 || fail(ec::invalid_varint));
}

bool value_walker::message(const schema_node& type) {
  struct element {
    const schema_node* type;
    std::string name;
  };
  uint64_t n = 0;
  if (!enter() || !varint(n))
    return false;
  if (n > in_.remaining())
    return fail(ec::length_exceeds_input);
  std::vector<element> elements;
  for (uint64_t i = 0; i < n; ++i) {
    auto& x = elements.emplace_back();
    if (!element_type(x.type, x.name))
      return false;
    if (x.type == nullptr)
      return fail(ec::unknown_type, std::move(x.name));
  }
  auto all = [&] {
    for (auto& x : elements) {
      if (visitor_ != nullptr)
        visitor_->element(x.name, 0);
      if (!walk(*x.type))
        return false;
    }
    return true;
  };
  return enclosed(type, n, all) && leave();
}

bool value_walker::error(const schema_node& type) {
  auto code = uint8_t{0};
  if (!byte(code))
    return false;
  return enclosed(type, code == 0 ? 0 : 1, [&] {
    if (code == 0)
      return true;
    const schema_node* category = nullptr;
    std::string name;
    if (!element_type(category, name))
      return false;
    if (category != nullptr && category->kind != schema_kind::enumeration)
      return fail(ec::invalid_tag);
    if (visitor_ != nullptr)
      visitor_->element(name, code);
    // The context is written as a message.
    return message(type);
  });
}

} // namespace cafwire::layout
