// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/evolution/plan.hpp"

#include "cafwire/evolution/aliases.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace cafwire::evolution {

using layout::schema_field;
using layout::schema_kind;
using layout::schema_node;
using layout::short_name;

namespace {

/// Types whose values know how many elements they have.
bool has_elements(const schema_node& x) {
  return x.kind == schema_kind::array
         || (x.kind >= schema_kind::sequence && x.kind <= schema_kind::unordered_map);
}

bool is_pointer(const schema_node& x) {
  return x.kind == schema_kind::shared || x.kind == schema_kind::weak;
}

bool may_share(const schema_node& type, std::set<const schema_node*>& seen) {
  if (!seen.insert(&type).second)
    return false;
  if (is_pointer(type) || type.kind == schema_kind::message || type.kind == schema_kind::error)
    return true;
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [&seen](auto& field) { return may_share(*field.type, seen); });
}

/// Counts objects behind shared pointers.
class object_counter : public layout::value_visitor {
public:
  size_t objects = 0;

  void object(const schema_node&, uint64_t, const std::byte*) override {
    ++objects;
  }
};

/// The order of the elements means something only in sorted containers.
enum class order { of_values, sorted, none };

order order_of(schema_kind kind) {
  switch (kind) {
    case schema_kind::set:
    case schema_kind::map:
      return order::sorted;
    case schema_kind::unordered_set:
    case schema_kind::unordered_map:
      return order::none;
    default:
      return order::of_values;
  }
}

/// Arrays with more elements are not unrolled, and neither are those that would need more steps.
constexpr uint64_t max_unrolled_elements = 16;
constexpr size_t max_flat_steps = 256;

/// Stops schemas of a stranger from keeping us busy and from overflowing the stack.
constexpr size_t max_conversions = 16384;
constexpr size_t max_levels = 256;

/// Looks for a type that nobody can read without an object.
/// @returns the name of where it stands, or nothing.
std::string find_unreadable(const schema_node& type, std::set<const schema_node*>& seen) {
  if (!seen.insert(&type).second)
    return {};
  for (auto& field : type.fields) {
    auto kind = field.type->kind;
    if (kind >= schema_kind::unsupported
        || (kind == schema_kind::core_type && field.type->fields.empty()))
      return short_name(type) + (field.has_name ? '.' + field.name : std::string{});
    auto result = find_unreadable(*field.type, seen);
    if (!result.empty())
      return result;
  }
  return {};
}

} // namespace

class plan::step_into {
public:
  step_into(plan& owner, std::string name) : owner_(owner) {
    owner_.path_.push_back(std::move(name));
  }

  step_into(const step_into&) = delete;

  step_into& operator=(const step_into&) = delete;

  ~step_into() {
    owner_.path_.pop_back();
  }

private:
  plan& owner_;
};

plan::plan(layout::schema_tree from, const layout::schema_tree& to,
           std::span<const layout::struct_info> structs, layout::type_source* types,
           std::string_view name)
  : from_(std::move(from)), types_(types) {
  if (!name.empty())
    path_.emplace_back(name);
  for (size_t i = 0; i < std::min(structs.size(), to.structures().size()); ++i)
    structs_.emplace(to.structures()[i], structs[i]);
  std::set<const schema_node*> seen;
  may_share_ = evolution::may_share(from_.root(), seen);
  seen.clear();
  if (auto unreadable = find_unreadable(from_.root(), seen); !unreadable.empty()) {
    problem_ = unreadable + ": its schema does not tell how to read it";
    return;
  }
  root_ = convert(from_.root(), to.root());
}

const conversion* plan::find(const schema_node& from, const schema_node& to) {
  return convert(from, to);
}

const conversion* plan::convert(const schema_node& from, const schema_node& to) {
  auto known = known_.find({&from, &to});
  if (known != known_.end())
    return known->second;
  if (conversions_.size() >= max_conversions || level_ >= max_levels) {
    refuse(from, to, "too much to convert");
    return nullptr;
  }
  auto& result = conversions_.emplace_back();
  result.from = &from;
  result.to = &to;
  // Types that hold others of their kind find themselves here.
  known_.emplace(key{&from, &to}, &result);
  history_.push_back({&from, &to});
  ++level_;
  auto ok = build(result);
  --level_;
  if (ok)
    return &result;
  known_[{&from, &to}] = nullptr;
  return nullptr;
}

bool plan::exists(const schema_node& from, const schema_node& to) {
  auto mark = history_.size();
  auto old_problem = problem_;
  if (convert(from, to) != nullptr)
    return true;
  // What was built on the way may refer to what has failed. What has failed would fail again.
  for (; history_.size() > mark; history_.pop_back())
    if (auto i = known_.find(history_.back()); i->second != nullptr)
      known_.erase(i);
  problem_ = std::move(old_problem);
  return false;
}

bool plan::build(conversion& x) {
  using action = conversion::action;
  auto& from = *x.from;
  auto& to = *x.to;
  auto part = [&](const schema_node& source, const schema_node& target) {
    auto* how = convert(source, target);
    if (how == nullptr)
      return false;
    x.parts.push_back({how, 0, 0, conversion::presence::none, nullptr, nullptr});
    return true;
  };
  x.problem = place();
  if (from.fixed_size && to.fixed_size) {
    auto program = flat_program{from.min_size, to.min_size, {}, {}};
    auto old_problem = problem_;
    if (flatten(from, to, 0, 0, program)) {
      x.flat = std::move(program);
      return true;
    }
    if (from.is_scalar() && to.is_scalar())
      return refuse(from, to);
    problem_ = std::move(old_problem);
  }
  if (from.kind == schema_kind::structure && to.kind == schema_kind::structure) {
    x.what = action::structure;
    return build_structure(x);
  }
  if (to.kind == schema_kind::optional && from.kind == schema_kind::optional) {
    x.what = action::optional;
    return part(from.child(), to.child());
  }
  if (from.kind == schema_kind::variant && to.kind == schema_kind::variant) {
    x.what = action::variant;
    return build_variant(x);
  }
  if (has_elements(from) && has_elements(to)) {
    x.what = action::elements;
    return build_elements(x);
  }
  if (to.kind == schema_kind::optional) {
    x.what = action::wrap;
    return part(from, to.child());
  }
  if (from.kind == schema_kind::optional) {
    x.what = action::unwrap;
    x.problem += ": nothing there, " + short_name(to) + " here";
    return part(from.child(), to);
  }
  if (from.kind != to.kind)
    return refuse(from, to);
  switch (from.kind) {
    case schema_kind::tuple:
      x.what = action::tuple;
      if (from.fields.size() != to.fields.size())
        return refuse(from, to);
      for (size_t i = 0; i < from.fields.size(); ++i) {
        step_into here{*this, std::to_string(i)};
        if (!part(from.child(i), to.child(i)))
          return false;
      }
      return true;
    case schema_kind::bit_sequence:
      x.what = action::bit_sequence;
      return true;
    case schema_kind::shared:
    case schema_kind::weak:
      x.what = action::pointer;
      return part(from.child(), to.child());
    case schema_kind::any:
      x.what = action::choice;
      return build_choice(x);
    case schema_kind::actor:
      x.what = action::handle;
      return true;
    case schema_kind::message:
      x.what = action::message;
      return true;
    case schema_kind::error:
      x.what = action::error;
      return true;
    case schema_kind::core_type:
      x.what = action::as_part;
      if (from.name != to.name || from.fields.empty() || to.fields.empty())
        return refuse(from, to);
      return part(from.child(), to.child());
    default:
      return refuse(from, to);
  }
}

// -- structs --------------------------------------------------------------------------------------

bool plan::same_struct(const schema_node& from, const schema_node& to) const {
  return from.name == to.name || from.name.empty() || to.name.empty()
         || cafwire::detail::current_type_name(from.name) == to.name;
}

const layout::struct_info* plan::info_of(const schema_node& type) const {
  auto i = structs_.find(&type);
  return i != structs_.end() ? &i->second : nullptr;
}

bool plan::match_fields(const schema_node& from, const schema_node& to,
                        std::vector<size_t>& sources) {
  auto* info = info_of(to);
  std::vector<bool> taken(from.fields.size());
  auto take = [&](const schema_field& wanted, std::string_view name) {
    for (size_t i = 0; i < from.fields.size(); ++i) {
      auto& field = from.fields[i];
      if (!taken[i] && field.has_name == wanted.has_name && field.name == name) {
        taken[i] = true;
        return i;
      }
    }
    return conversion::missing;
  };
  sources.clear();
  // Names of today go first, so that a former name may be in use again for another field.
  for (auto& field : to.fields)
    sources.push_back(take(field, field.name));
  if (info != nullptr)
    for (size_t i = 0; i < to.fields.size(); ++i)
      if (sources[i] == conversion::missing && to.fields[i].has_name)
        for (auto& name : cafwire::detail::former_field_names(info->key, to.fields[i].name))
          if (sources[i] == conversion::missing)
            sources[i] = take(to.fields[i], name);
  // What has no name is known by its place, and then none may be missing.
  auto unnamed = [](const schema_node& x) {
    return std::count_if(x.fields.begin(), x.fields.end(), [](auto& f) { return !f.has_name; });
  };
  return unnamed(from) == unnamed(to) || refuse(from, to, "fields without names differ");
}

bool plan::build_structure(conversion& x) {
  auto& from = *x.from;
  auto& to = *x.to;
  std::vector<size_t> sources;
  if (!same_struct(from, to))
    return refuse(from, to);
  if (!match_fields(from, to, sources))
    return false;
  auto last = size_t{0};
  for (size_t i = 0; i < to.fields.size(); ++i) {
    step_into here{*this, to.fields[i].name};
    conversion::part part;
    part.source = sources[i];
    part.target = i;
    if (!build_part(x, part))
      return false;
    x.parts.push_back(part);
    if (part.source != conversion::missing) {
      x.in_order = x.in_order && part.source >= last;
      last = part.source;
    }
  }
  return true;
}

bool plan::build_part(conversion& x, conversion::part& part) {
  using presence = conversion::presence;
  auto& target = x.to->fields[part.target];
  if (part.source == conversion::missing)
    return target.may_be_absent || build_fallback(x, part);
  auto& source = x.from->fields[part.source];
  auto* from = source.type;
  auto* to = target.type;
  auto is_optional = [](const schema_node* type) { return type->kind == schema_kind::optional; };
  // An optional is a presence byte and a value, as is a field that may be absent.
  if (source.may_be_absent && !target.may_be_absent && is_optional(to) && !is_optional(from)) {
    part.flag = presence::keep;
    to = &to->child();
  } else if (!source.may_be_absent && target.may_be_absent && is_optional(from)
             && !is_optional(to)) {
    part.flag = presence::keep;
    from = &from->child();
  } else if (source.may_be_absent) {
    part.flag = target.may_be_absent ? presence::keep : presence::remove;
  } else if (target.may_be_absent) {
    part.flag = presence::add;
  } else if (is_optional(from) && !is_optional(to)) {
    part.flag = presence::remove;
    from = &from->child();
  }
  part.how = convert(*from, *to);
  return part.how != nullptr && (part.flag != presence::remove || build_fallback(x, part));
}

bool plan::build_fallback(conversion& x, conversion::part& part) {
  auto& type = x.to->child(part.target);
  part.fallback = default_of(*x.to);
  if (part.fallback == nullptr) {
    if (problem_.empty())
      problem_ = place() + ": missing there, and a new object has no value for it";
    return false;
  }
  part.copy_fallback = convert(type, type);
  return part.copy_fallback != nullptr;
}

const default_object* plan::default_of(const schema_node& type) {
  auto& result = defaults_[&type];
  if (result != nullptr)
    return result.get();
  auto* info = info_of(type);
  output_buffer out;
  if (info == nullptr || info->save_default == nullptr || info->save_default(out) != ec::none)
    return nullptr;
  auto object = std::make_unique<default_object>();
  object->bytes.assign(out.bytes().begin(), out.bytes().end());
  auto bounds = limits::trusted();
  layout::value_walker walker{input_cursor{object->bytes}, bounds, types_};
  object_counter counter;
  for (auto& field : type.fields) {
    object->offsets.push_back(walker.cursor().offset());
    auto present = true;
    if (field.may_be_absent && !walker.flag(present))
      return nullptr;
    if (present && !walker.visit(*field.type, counter))
      return nullptr;
  }
  object->offsets.push_back(walker.cursor().offset());
  // Objects count in the message that they are part of: constant bytes cannot name them.
  if (!walker.cursor().at_end() || counter.objects > 0)
    return nullptr;
  result = std::move(object);
  return result.get();
}

// -- sums and containers --------------------------------------------------------------------------

bool plan::build_variant(conversion& x) {
  auto& from = *x.from;
  auto& to = *x.to;
  x.parts.resize(from.fields.size());
  std::vector<bool> taken(to.fields.size());
  auto match = [&](auto&& predicate) {
    for (size_t i = 0; i < from.fields.size(); ++i) {
      auto& part = x.parts[i];
      for (size_t j = 0; part.target == conversion::missing && j < to.fields.size(); ++j) {
        if (taken[j] || !predicate(i, j))
          continue;
        part.target = j;
        taken[j] = true;
      }
    }
  };
  // Equal types first, then other versions of a struct, then what stands at the same place.
  std::vector<std::string> texts;
  for (auto& field : to.fields)
    texts.push_back(layout::to_text(*field.type));
  for (size_t i = 0; i < from.fields.size(); ++i) {
    auto text = layout::to_text(from.child(i));
    for (size_t j = 0; j < texts.size(); ++j) {
      if (!taken[j] && texts[j] == text) {
        x.parts[i].target = j;
        taken[j] = true;
        break;
      }
    }
  }
  match([&](size_t i, size_t j) {
    return !to.child(j).name.empty() && !from.child(i).name.empty()
           && same_struct(from.child(i), to.child(j)) && exists(from.child(i), to.child(j));
  });
  match([&](size_t i, size_t j) { return i == j && exists(from.child(i), to.child(j)); });
  auto has_match = false;
  for (size_t i = 0; i < from.fields.size(); ++i) {
    auto& part = x.parts[i];
    part.source = i;
    if (part.target == conversion::missing)
      continue;
    step_into here{*this, std::to_string(i)};
    part.how = convert(from.child(i), to.child(part.target));
    if (part.how == nullptr)
      return false;
    has_match = true;
  }
  return has_match || refuse(from, to);
}

bool plan::build_choice(conversion& x) {
  auto& from = *x.from;
  auto& to = *x.to;
  x.parts.resize(from.fields.size());
  for (size_t i = 0; i < from.fields.size(); ++i) {
    auto& part = x.parts[i];
    auto& name = from.fields[i].name;
    auto current = cafwire::detail::current_type_name(name);
    auto j = std::find_if(to.fields.begin(), to.fields.end(),
                          [&](auto& field) { return field.name == name || field.name == current; });
    part.source = i;
    if (j == to.fields.end())
      continue;
    step_into here{*this, name};
    part.target = static_cast<size_t>(j - to.fields.begin());
    part.how = convert(from.child(i), *j->type);
    if (part.how == nullptr)
      return false;
  }
  return true;
}

bool plan::build_elements(conversion& x) {
  auto& from = *x.from;
  auto& to = *x.to;
  if (from.fields.size() != to.fields.size())
    return refuse(from, to);
  if (from.kind == schema_kind::array && to.kind == schema_kind::array && from.count != to.count)
    return refuse(from, to);
  if (order_of(to.kind) == order::sorted && order_of(from.kind) != order::sorted)
    return refuse(from, to, "nobody sorts the elements");
  x.problem += ": another number of elements than in " + short_name(to);
  for (size_t i = 0; i < from.fields.size(); ++i) {
    step_into here{*this, from.fields.size() == 1 ? "element" : i == 0 ? "key" : "value"};
    auto* how = convert(from.child(i), to.child(i));
    if (how == nullptr)
      return false;
    x.parts.push_back({how, i, i, conversion::presence::none, nullptr, nullptr});
  }
  return true;
}

// -- types of fixed sizes -------------------------------------------------------------------------

bool plan::flatten(const schema_node& from, const schema_node& to, size_t in, size_t out,
                   flat_program& program) {
  if (from.is_scalar() && to.is_scalar())
    return flatten_scalar(from, to, in, out, program);
  if (from.kind != to.kind)
    return false;
  switch (from.kind) {
    case schema_kind::structure:
      return flatten_structure(from, to, in, out, program);
    case schema_kind::tuple:
      if (from.fields.size() != to.fields.size())
        return false;
      for (size_t i = 0; i < from.fields.size(); ++i) {
        step_into here{*this, std::to_string(i)};
        if (!flatten(from.child(i), to.child(i), in, out, program))
          return false;
        in += from.child(i).min_size;
        out += to.child(i).min_size;
      }
      return true;
    case schema_kind::array: {
      if (from.count != to.count)
        return false;
      auto& source = from.child();
      auto& target = to.child();
      auto element = flat_program{source.min_size, target.min_size, {}, {}};
      if (!flatten(source, target, 0, 0, element))
        return false;
      if (element.is_copy()) {
        program.copy(in, out, from.min_size);
        return true;
      }
      if (from.count > max_unrolled_elements)
        return false;
      for (uint64_t i = 0; i < from.count; ++i) {
        step_into here{*this, "element"};
        if (program.steps.size() > max_flat_steps
            || !flatten(source, target, in + i * source.min_size, out + i * target.min_size,
                        program))
          return false;
      }
      return true;
    }
    case schema_kind::bit_array:
      if (from.count != to.count)
        return false;
      program.copy(in, out, from.min_size);
      return true;
    default:
      return false;
  }
}

bool plan::flatten_structure(const schema_node& from, const schema_node& to, size_t in, size_t out,
                             flat_program& program) {
  std::vector<size_t> sources;
  if (!same_struct(from, to) || !match_fields(from, to, sources))
    return false;
  std::vector<size_t> offsets;
  for (auto& field : from.fields) {
    offsets.push_back(in);
    in += field.type->min_size;
  }
  for (size_t i = 0; i < to.fields.size(); ++i) {
    step_into here{*this, to.fields[i].name};
    auto& target = to.child(i);
    if (sources[i] != conversion::missing) {
      if (!flatten(from.child(sources[i]), target, offsets[sources[i]], out, program))
        return false;
    } else if (auto* object = default_of(to)) {
      program.constant(object->bytes.data() + object->offsets[i], out, target.min_size);
    } else {
      return false;
    }
    out += target.min_size;
  }
  return true;
}

bool plan::flatten_scalar(const schema_node& from, const schema_node& to, size_t in, size_t out,
                          flat_program& program) {
  auto is_time = [](const schema_node& x) {
    return x.kind == schema_kind::duration || x.kind == schema_kind::time_point;
  };
  auto number_of = [](const schema_node& x) { return x.is_number() ? x.kind : x.child().kind; };
  // A number of ticks means nothing without its period.
  if ((is_time(from) || is_time(to)) && from.kind != to.kind)
    return refuse(from, to);
  auto source = number_of(from);
  auto target = number_of(to);
  flat_step step;
  step.in = in;
  step.out = out;
  step.problem = place() + ": a value of " + short_name(from) + " there does not fit into "
                 + short_name(to) + " here";
  if (is_time(from)
      && (from.period_numerator != to.period_numerator
          || from.period_denominator != to.period_denominator)) {
    // from.num / from.den = factor / divisor * to.num / to.den, in lowest terms.
    auto a = std::gcd(from.period_numerator, to.period_numerator);
    auto b = std::gcd(from.period_denominator, to.period_denominator);
    uint64_t factor = 0;
    uint64_t divisor = 0;
    if (__builtin_mul_overflow(from.period_numerator / a, to.period_denominator / b, &factor)
        || __builtin_mul_overflow(from.period_denominator / b, to.period_numerator / a, &divisor))
      return refuse(from, to);
    step.what = flat_step::action::convert_ticks;
    step.ticks = {source, target, factor, divisor};
    program.steps.push_back(std::move(step));
    return true;
  }
  if (source == target) {
    program.copy(in, out, from.min_size);
    return true;
  }
  step.what = flat_step::action::convert;
  step.convert = find_converter(source, target);
  if (step.convert == nullptr)
    return refuse(from, to);
  program.steps.push_back(std::move(step));
  return true;
}

// -- problems -------------------------------------------------------------------------------------

std::string plan::place() const {
  std::string result;
  for (auto& name : path_) {
    if (!result.empty())
      result += '.';
    result += name;
  }
  return result.empty() ? "value" : result;
}

bool plan::refuse(const schema_node& from, const schema_node& to, std::string_view reason) {
  // The first one is the cause.
  if (problem_.empty()) {
    problem_ = place() + ": " + short_name(from) + " there, " + short_name(to) + " here";
    if (!reason.empty()) {
      problem_ += "; ";
      problem_ += reason;
    }
  }
  return false;
}

} // namespace cafwire::evolution
