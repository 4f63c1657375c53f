// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/session/type_converter.hpp"

#include "cafwire/evolution/transcode.hpp"
#include "cafwire/layout/schema_difference.hpp"

#include <algorithm>
#include <utility>

namespace cafwire::detail {

namespace {

/// Each part takes some hundred bytes, so this is a few dozen megabytes at most. The types of most
/// programs take some hundred parts.
constexpr size_t max_parts = 100'000;

/// More is not worth telling.
constexpr size_t max_differences = 256;

/// Larger buffers are not kept from one message to the next.
constexpr size_t max_kept_bytes = size_t{1} << 20;

} // namespace

type_converter::type_converter(known_types_ptr types)
  : types_(std::move(types)),
    schemas_(types_),
    parts_left_(max_parts),
    parts_behind_kept_(max_parts) {
  // nop
}

evolution::plan* type_converter::make_plan(const message_type& own, std::string_view schema,
                                           std::string& problem) {
  auto difference = type_difference{std::string{own.name}, {}, {}};
  auto* here = schemas_.tree_of(own);
  layout::schema_tree there;
  std::unique_ptr<evolution::plan> plan;
  if (schema.empty()) {
    problem = difference.name + ": the schema of the peer is too long to travel";
  } else if (here == nullptr || layout::schema_tree::parse(schema, there, problem) != ec::none) {
    problem = difference.name + ": the schema of the peer makes no sense: " + problem;
  } else {
    difference.lines = layout::schema_difference(there.root(), here->root());
    auto size = there.size();
    if (size <= parts_left_) {
      plan = std::make_unique<evolution::plan>(std::move(there), *here, own.schema().structs,
                                               &schemas_, own.name);
      size += plan->size();
    }
    if (plan == nullptr || size > parts_left_)
      problem = difference.name + ": the session has met too many versions of types";
    else if (plan->root() == nullptr)
      problem = plan->problem();
    parts_left_ -= std::min(size, parts_left_);
  }
  difference.problem = problem;
  note(std::move(difference));
  if (!problem.empty())
    return nullptr;
  plans_.push_back(std::move(plan));
  return plans_.back().get();
}

evolution::plan* type_converter::equal_plan(const message_type& own, std::string& problem) {
  auto& result = equal_plans_[&own];
  if (result == nullptr) {
    auto* here = schemas_.tree_of(own);
    layout::schema_tree there;
    if (here == nullptr
        || layout::schema_tree::parse(own.schema().text, there, problem) != ec::none) {
      problem = std::string{own.name} + ": its schema cannot be parsed";
      return nullptr;
    }
    result = std::make_unique<evolution::plan>(std::move(there), *here, own.schema().structs,
                                               &schemas_, own.name);
  }
  if (result->root() == nullptr) {
    problem = result->problem();
    return nullptr;
  }
  return result.get();
}

ec type_converter::convert(std::span<evolution::plan* const> plans,
                           std::span<const std::byte> payload, const limits& bounds,
                           std::string& detail) {
  evolution::transcoder f{payload, bounds, &schemas_, buffer_};
  if (f.run(plans))
    return ec::none;
  detail = f.detail();
  return f.code();
}

void type_converter::release_memory() noexcept {
  if (buffer_.capacity() > max_kept_bytes)
    output_buffer{}.swap(buffer_);
}

void type_converter::clear() noexcept {
  plans_.resize(kept_plans_);
  parts_left_ = parts_behind_kept_;
}

void type_converter::note(type_difference x) {
  auto same = [&x](auto& y) { return x.name == y.name; };
  auto i = std::find_if(differences_.begin(), differences_.end(), same);
  if (i != differences_.end())
    *i = std::move(x);
  else if (differences_.size() < max_differences)
    differences_.push_back(std::move(x));
}

} // namespace cafwire::detail
