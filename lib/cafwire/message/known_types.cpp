// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/message/known_types.hpp"

#include "cafwire/wire/append.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace cafwire {

namespace {

/// The types that the program has registered. Lives until the program ends: sessions may outlive
/// static objects.
struct program_types {
  std::mutex mutex;
  std::vector<const message_type*> types;
  known_types_ptr snapshot;
};

program_types& of_program() {
  static auto* instance = new program_types;
  return *instance;
}

bool by_name(const message_type* x, const message_type* y) noexcept {
  return x->name < y->name;
}

std::string make_definition(const message_type& type) {
  auto& schema = type.schema();
  std::string result;
  append_string(result, type.name);
  append_u64(result, schema.fingerprint);
  // Room for the slot and the lengths.
  auto fits = result.size() + schema.text.size() + 32 <= max_definition_size;
  append_string(result, fits ? std::string_view{schema.text} : std::string_view{});
  return result;
}

} // namespace

known_types_ptr known_types::global() {
  auto& program = of_program();
  std::lock_guard guard{program.mutex};
  if (program.snapshot == nullptr)
    program.snapshot = std::make_shared<known_types>(program.types);
  return program.snapshot;
}

known_types_ptr known_types::only(const std::vector<caf::type_id_t>& ids) {
  auto all = global();
  std::vector<const message_type*> types;
  for (auto id : ids)
    if (auto* type = all->find(id); type != nullptr && type->core_slot == 0)
      types.push_back(type);
  return std::make_shared<known_types>(std::move(types));
}

known_types::known_types(std::vector<const message_type*> types) : ranked_(std::move(types)) {
  std::sort(ranked_.begin(), ranked_.end(), by_name);
  ranked_.erase(std::unique(ranked_.begin(), ranked_.end()), ranked_.end());
  auto add = [this](const message_type* type, size_t rank) {
    if (type->id >= by_id_.size()) {
      by_id_.resize(size_t{type->id} + 1);
      rank_by_id_.resize(size_t{type->id} + 1);
    }
    by_id_[type->id] = type;
    rank_by_id_[type->id] = static_cast<uint32_t>(rank);
  };
  for (auto* type : detail::core_types())
    if (type != nullptr)
      add(type, 0);
  std::string summary;
  for (size_t rank = 0; rank < ranked_.size(); ++rank) {
    auto* type = ranked_[rank];
    add(type, rank);
    definitions_.push_back(make_definition(*type));
    append_string(summary, type->name);
    append_u64(summary, type->schema().fingerprint);
  }
  hash_ = layout::fingerprint_of(summary);
}

const message_type* known_types::find(std::string_view name) const noexcept {
  auto i = std::lower_bound(ranked_.begin(), ranked_.end(), name,
                            [](auto* type, std::string_view x) { return type->name < x; });
  return i != ranked_.end() && (*i)->name == name ? *i : nullptr;
}

namespace detail {

const layout::type_schema& unsupported_schema() {
  static const auto result = [] {
    layout::schema_builder builder;
    builder.varying("unsupported", 0);
    return builder.finish();
  }();
  return result;
}

void register_message_types(std::span<const message_type* const> types) {
  auto& program = of_program();
  std::lock_guard guard{program.mutex};
  for (auto* type : types) {
    if (std::find(program.types.begin(), program.types.end(), type) == program.types.end()) {
      program.types.push_back(type);
      program.snapshot = nullptr;
    }
  }
}

} // namespace detail

} // namespace cafwire
