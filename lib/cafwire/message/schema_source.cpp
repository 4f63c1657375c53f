// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/message/schema_source.hpp"

#include <string>
#include <tuple>
#include <utility>

namespace cafwire {

schema_source::schema_source(known_types_ptr types) : types_(std::move(types)) {
  // nop
}

schema_source::~schema_source() = default;

const layout::schema_tree* schema_source::tree_of(const message_type& type) {
  auto i = trees_.find(&type);
  if (i == trees_.end()) {
    layout::schema_tree tree;
    std::string problem;
    std::ignore = layout::schema_tree::parse(type.schema().text, tree, problem);
    i = trees_.emplace(&type, std::move(tree)).first;
  }
  return i->second.empty() ? nullptr : &i->second;
}

const layout::schema_node* schema_source::core_type(uint64_t slot) {
  auto core = detail::core_types();
  if (slot == 0 || slot >= core.size())
    return nullptr;
  auto* tree = tree_of(*core[static_cast<size_t>(slot)]);
  return tree != nullptr ? &tree->root() : nullptr;
}

const layout::schema_node* schema_source::named_type(std::string_view name, uint64_t fingerprint) {
  auto* type = types_->find(name);
  if (type == nullptr || type->schema().fingerprint != fingerprint)
    return nullptr;
  auto* tree = tree_of(*type);
  return tree != nullptr ? &tree->root() : nullptr;
}

bool schema_source::has_other_version(std::string_view name, uint64_t fingerprint) {
  auto* type = types_->find(name);
  return type != nullptr && type->schema().fingerprint != fingerprint;
}

} // namespace cafwire
