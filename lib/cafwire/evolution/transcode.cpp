// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/evolution/transcode.hpp"

#include "cafwire/layout/type_traits.hpp"
#include "cafwire/wire/varint.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace cafwire::evolution {

using layout::schema_kind;
using layout::schema_node;

/// Lists the objects of a message before it is converted: fields change their order or go away, and
/// with them the places where objects begin.
class transcoder::object_finder : public layout::value_visitor {
public:
  explicit object_finder(std::vector<transcoder::object>& result) : result_(result) {
    // nop
  }

  void object(const schema_node& pointer, uint64_t, const std::byte* position) override {
    result_.push_back({position, &pointer.child(), not_written});
  }

private:
  std::vector<transcoder::object>& result_;
};

transcoder::transcoder(std::span<const std::byte> payload, const limits& bounds,
                       layout::type_source* types, output_buffer& out)
  : walker_(input_cursor{payload}, bounds, types),
    payload_(payload),
    bounds_(bounds),
    types_(types),
    out_(out),
    budget_(bounds.memory_budget(payload.size())) {
  out.clear();
}

bool transcoder::run(std::span<plan* const> plans) {
  if (std::any_of(plans.begin(), plans.end(), [](auto* x) { return x->may_share(); })) {
    layout::value_walker walker{input_cursor{payload_}, bounds_, types_};
    object_finder finder{objects_};
    for (auto* x : plans)
      if (!walker.visit(x->from(), finder))
        return walker_.fail(walker.code(), walker.detail());
    walker_.known_objects(objects_.size());
  }
  for (auto* x : plans) {
    plan_ = x;
    if (!value(*x->root()))
      return false;
  }
  return walker_.cursor().at_end() || walker_.fail(ec::trailing_bytes);
}

// -- output ---------------------------------------------------------------------------------------

std::byte* transcoder::grow(size_t num_bytes) {
  if (num_bytes > budget_ - std::min(budget_, out_.size())) {
    walker_.fail(ec::memory_limit);
    return nullptr;
  }
  if (!out_.reserve_more(num_bytes)) {
    walker_.fail(ec::out_of_memory);
    return nullptr;
  }
  auto* result = out_.data() + out_.size();
  out_.set_size(out_.size() + num_bytes);
  return result;
}

bool transcoder::put(const void* bytes, size_t num_bytes) {
  if (num_bytes == 0)
    return true;
  auto* pos = grow(num_bytes);
  if (pos == nullptr)
    return false;
  std::memcpy(pos, bytes, num_bytes);
  return true;
}

bool transcoder::put_byte(uint8_t x) {
  return put(&x, 1);
}

bool transcoder::put_varint(uint64_t x) {
  std::byte bytes[max_varint_size];
  return put(bytes, static_cast<size_t>(write_varint(bytes, x) - bytes));
}

bool transcoder::align() {
  constexpr auto width = layout::long_run_alignment;
  auto padding = (width - out_.size() % width) % width;
  if (padding == 0)
    return true;
  auto* pos = grow(padding);
  if (pos == nullptr)
    return false;
  std::memset(pos, 0, padding);
  return true;
}

bool transcoder::copy(const std::byte* first) {
  return put(first, static_cast<size_t>(walker_.cursor().position() - first));
}

// -- values ---------------------------------------------------------------------------------------

bool transcoder::value(const conversion& x) {
  using action = conversion::action;
  switch (x.what) {
    case action::flat: {
      std::span<const std::byte> bytes;
      if (!walker_.view(x.flat.in_size, bytes))
        return false;
      auto* pos = grow(x.flat.out_size);
      if (pos == nullptr && x.flat.out_size > 0)
        return false;
      auto* failed = x.flat.run(bytes.data(), pos, 1);
      return failed == nullptr || walker_.fail(ec::value_not_representable, failed->problem);
    }
    case action::structure:
      return walker_.enter_object() && structure(x) && walker_.leave_object();
    case action::tuple:
      if (!walker_.enter_object())
        return false;
      for (auto& part : x.parts)
        if (!value(*part.how))
          return false;
      return walker_.leave_object();
    case action::optional: {
      auto present = false;
      return walker_.enter() && walker_.flag(present) && put_byte(present ? 1 : 0)
             && (!present || value(*x.parts[0].how)) && walker_.leave();
    }
    case action::wrap:
      return walker_.enter() && put_byte(1) && value(*x.parts[0].how) && walker_.leave();
    case action::unwrap: {
      auto present = false;
      if (!walker_.enter() || !walker_.flag(present))
        return false;
      if (!present)
        return walker_.fail(ec::value_not_representable, x.problem);
      return value(*x.parts[0].how) && walker_.leave();
    }
    case action::variant: {
      size_t index = 0;
      if (!walker_.enter() || !walker_.alternative(*x.from, index))
        return false;
      auto& part = x.parts[index];
      if (part.how == nullptr)
        return walker_.fail(ec::value_not_representable,
                            x.problem + ": " + layout::short_name(x.from->child(index))
                              + " there, no alternative here");
      return put_varint(part.target) && value(*part.how) && walker_.leave();
    }
    case action::elements:
      return walker_.enter() && elements(x) && walker_.leave();
    case action::bit_sequence:
      return bits(x);
    case action::pointer:
      return pointer(x);
    case action::choice:
      return choice(x);
    case action::handle:
      return handle();
    case action::message:
      return message();
    case action::error:
      return error();
    case action::as_part:
      return value(*x.parts[0].how);
  }
  return walker_.fail(ec::unsupported_type);
}

bool transcoder::same(const schema_node& type) {
  auto* how = plan_->find(type, type);
  return how != nullptr ? value(*how)
                        : walker_.fail(ec::unsupported_type, layout::short_name(type));
}

// -- structs --------------------------------------------------------------------------------------

bool transcoder::structure(const conversion& x) {
  auto& fields = x.from->fields;
  auto& cursor = walker_.cursor();
  auto skip = [&](size_t index) {
    auto present = true;
    return (!fields[index].may_be_absent || walker_.flag(present))
           && (!present || walker_.skip(*fields[index].type));
  };
  if (x.in_order) {
    auto next = size_t{0};
    for (auto& part : x.parts) {
      if (part.source != conversion::missing) {
        for (; next < part.source; ++next)
          if (!skip(next))
            return false;
        ++next;
      }
      if (!field(x, part))
        return false;
    }
    for (; next < fields.size(); ++next)
      if (!skip(next))
        return false;
    return true;
  }
  std::vector<const std::byte*> positions;
  positions.reserve(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    positions.push_back(cursor.position());
    if (!skip(i))
      return false;
  }
  auto* end = cursor.position();
  for (auto& part : x.parts) {
    if (part.source != conversion::missing)
      cursor.position(positions[part.source]);
    if (!field(x, part))
      return false;
  }
  cursor.position(end);
  return true;
}

bool transcoder::field(const conversion& x, const conversion::part& part) {
  using presence = conversion::presence;
  if (part.source == conversion::missing)
    return x.to->fields[part.target].may_be_absent ? put_byte(0) : fallback(part);
  auto present = true;
  switch (part.flag) {
    case presence::none:
      break;
    case presence::add:
      if (!put_byte(1))
        return false;
      break;
    case presence::remove:
      if (!walker_.flag(present))
        return false;
      if (!present)
        return fallback(part);
      break;
    case presence::keep:
      if (!walker_.flag(present) || !put_byte(present ? 1 : 0))
        return false;
      break;
  }
  return !present || value(*part.how);
}

bool transcoder::fallback(const conversion::part& part) {
  auto& object = *part.fallback;
  auto input = input_cursor{object.bytes};
  input.advance(object.offsets[part.target]);
  auto saved = std::exchange(walker_.cursor(), input);
  auto ok = value(*part.copy_fallback);
  walker_.cursor() = saved;
  return ok;
}

// -- containers -----------------------------------------------------------------------------------

bool transcoder::elements(const conversion& x) {
  auto& from = *x.from;
  auto& to = *x.to;
  auto n = from.count;
  if (from.kind != schema_kind::array && !walker_.count(from, n))
    return false;
  if (to.kind == schema_kind::array) {
    if (n != to.count)
      return walker_.fail(ec::value_not_representable, x.problem);
  } else {
    if (!put_varint(n))
      return false;
    if (to.kind == schema_kind::sequence && to.child().fixed_size
        && (to.child().min_size > 0
            && n >= (layout::long_run_bytes + to.child().min_size - 1) / to.child().min_size)
        && !align())
      return false;
  }
  auto& first = *x.parts[0].how;
  if (x.parts.size() == 1 && first.what == conversion::action::flat) {
    auto& flat = first.flat;
    auto& cursor = walker_.cursor();
    // Each element of the input takes its bytes, and `count` has bounded those that take none.
    if (flat.in_size > 0 && n > cursor.remaining() / flat.in_size)
      return walker_.fail(ec::unexpected_end);
    if (flat.out_size > 0 && n > budget_ / flat.out_size)
      return walker_.fail(ec::memory_limit);
    if (n == 0 || flat.in_size + flat.out_size == 0)
      return true;
    auto count = static_cast<size_t>(n);
    auto* pos = grow(count * flat.out_size);
    if (pos == nullptr && flat.out_size > 0)
      return false;
    if (auto* failed = flat.run(cursor.position(), pos, count))
      return walker_.fail(ec::value_not_representable, failed->problem);
    cursor.advance(count * flat.in_size);
    return true;
  }
  for (uint64_t i = 0; i < n; ++i) {
    auto before = walker_.cursor().remaining();
    for (auto& part : x.parts)
      if (!value(*part.how))
        return false;
    if (!walker_.progress(before))
      return false;
  }
  return true;
}

bool transcoder::bits(const conversion& x) {
  auto* start = walker_.cursor().position();
  return walker_.skip(*x.from) && copy(start);
}

// -- pointers -------------------------------------------------------------------------------------

bool transcoder::pointer(const conversion& x) {
  uint64_t number = 0;
  auto& cursor = walker_.cursor();
  if (!walker_.varint(number))
    return false;
  if (number == 0)
    return put_varint(0);
  if (number == 1) {
    auto* position = cursor.position();
    auto i = std::lower_bound(objects_.begin(), objects_.end(), position,
                              [](auto& y, auto* pos) { return y.position < pos; });
    // New objects of a default would have no number; plans refuse them.
    if (i == objects_.end() || i->position != position)
      return walker_.fail(ec::unknown_reference);
    if (i->number == not_written)
      return write_object(*i->type, x.to->child(), *i);
    // A reference to it stands in front of it now.
    auto index = static_cast<size_t>(i - objects_.begin());
    return walker_.skip(*i->type) && put_varint(objects_[index].number + 2);
  }
  if (number - 2 >= objects_.size())
    return walker_.fail(ec::unknown_reference);
  auto& object = objects_[static_cast<size_t>(number - 2)];
  if (object.number != not_written)
    return put_varint(object.number + 2);
  // The object is in a field that went away or comes later.
  auto saved = cursor;
  cursor.position(object.position);
  auto ok = write_object(*object.type, x.to->child(), object);
  cursor = saved;
  return ok;
}

bool transcoder::write_object(const schema_node& from, const schema_node& to, object& x) {
  auto* how = plan_->find(from, to);
  if (how == nullptr)
    return walker_.fail(ec::reference_type_mismatch);
  x.number = objects_written_++;
  return put_varint(1) && walker_.enter() && value(*how) && walker_.leave();
}

bool transcoder::choice(const conversion& x) {
  size_t index = 0;
  std::string_view name;
  if (!walker_.choice(*x.from, index, name))
    return false;
  if (index == x.parts.size())
    return walker_.fail(ec::unknown_derived_type, std::string{name});
  auto& part = x.parts[index];
  if (part.how == nullptr)
    return walker_.fail(ec::value_not_representable,
                        x.problem + ": " + std::string{name} + " there, no such type here");
  auto& target = x.to->fields[part.target].name;
  if (!put_varint(target.size()) || (target.size() >= layout::long_run_bytes && !align())
      || !put(target.data(), target.size()))
    return false;
  return value(*part.how);
}

// -- values that say what they hold ---------------------------------------------------------------

bool transcoder::handle() {
  auto tag = uint8_t{0};
  if (!walker_.byte(tag) || !put_byte(tag))
    return false;
  auto* start = walker_.cursor().position();
  uint64_t number = 0;
  switch (tag) {
    case 0:
      return true;
    case 1:
      return node_and_id();
    case 2:
    case 3:
    case 5:
      return walker_.handle_number(number) && copy(start);
    case 4:
      return walker_.handle_number(number) && copy(start) && node_and_id();
    default:
      return walker_.fail(ec::invalid_tag);
  }
}

bool transcoder::node_and_id() {
  std::span<const std::byte> id;
  return same(layout::node_id_schema()) && walker_.view(sizeof(uint64_t), id)
         && put(id.data(), id.size());
}

bool transcoder::element_type(const schema_node*& type) {
  auto* start = walker_.cursor().position();
  std::string name;
  if (!walker_.element_type(type, name))
    return false;
  if (type == nullptr)
    return walker_.fail(ec::unknown_type, std::move(name));
  if (name.size() < layout::long_run_bytes)
    return copy(start);
  return walker_.fail(ec::unsupported_type, std::move(name));
}

bool transcoder::message() {
  uint64_t n = 0;
  if (!walker_.enter() || !walker_.varint(n))
    return false;
  if (n > walker_.cursor().remaining())
    return walker_.fail(ec::length_exceeds_input);
  if (!put_varint(n))
    return false;
  std::vector<const schema_node*> types;
  for (uint64_t i = 0; i < n; ++i)
    if (!element_type(types.emplace_back()))
      return false;
  for (auto* type : types)
    if (!same(*type))
      return false;
  return walker_.leave();
}

bool transcoder::error() {
  auto code = uint8_t{0};
  if (!walker_.byte(code) || !put_byte(code))
    return false;
  if (code == 0)
    return true;
  auto* start = walker_.cursor().position();
  const schema_node* category = nullptr;
  std::string name;
  // An unknown category is no problem of ours.
  if (!walker_.element_type(category, name))
    return false;
  if (name.size() >= layout::long_run_bytes)
    return walker_.fail(ec::unsupported_type, std::move(name));
  return copy(start) && message();
}

} // namespace cafwire::evolution
