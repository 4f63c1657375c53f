// This file is part of cafwire. See the file LICENSE for license terms.

#include "dump/stream_types.hpp"

#include "dump/value_json.hpp"

#include <cafwire/message/known_types.hpp>

namespace cafwire::dump {

stream_type_ptr make_stream_type(std::string name, uint64_t fingerprint, std::string_view schema,
                                 size_t definition_size) {
  auto result = std::make_shared<stream_type>();
  result->name = std::move(name);
  result->fingerprint = fingerprint;
  result->schema = std::string{schema};
  result->definition_size = definition_size;
  if (schema.empty())
    result->problem = "its definition has no schema";
  else if (layout::schema_tree::parse(schema, result->tree, result->problem) != ec::none)
    result->problem = "its schema is malformed: " + result->problem;
  return result;
}

stream_type_ptr type_directory::core(uint64_t slot) {
  // All streams share them.
  static std::map<uint64_t, stream_type_ptr> known;
  auto& result = known[slot];
  if (result == nullptr) {
    auto types = detail::core_types();
    if (slot > 0 && slot < types.size())
      result = make_stream_type(core_type_name(static_cast<size_t>(slot)), 0,
                                types[static_cast<size_t>(slot)]->schema().text, 0);
    else
      result = make_stream_type("slot " + std::to_string(slot), 0, {}, 0);
  }
  return result;
}

stream_type_ptr type_directory::find(std::string_view name, uint64_t fingerprint) const {
  auto i = named_.find(std::pair{std::string{name}, fingerprint});
  return i != named_.end() ? i->second : nullptr;
}

void type_directory::add(const stream_type_ptr& type) {
  // A definition without a schema tells nothing new.
  if (auto& entry = named_[{type->name, type->fingerprint}];
      entry == nullptr || entry->tree.empty())
    entry = type;
}

const layout::schema_node* type_directory::core_type(uint64_t slot) {
  if (slot >= detail::core_types().size())
    return nullptr;
  auto type = core(slot);
  return type->tree.empty() ? nullptr : &type->tree.root();
}

const layout::schema_node* type_directory::named_type(std::string_view name, uint64_t fingerprint) {
  auto type = find(name, fingerprint);
  return type == nullptr || type->tree.empty() ? nullptr : &type->tree.root();
}

bool type_directory::has_other_version(std::string_view name, uint64_t fingerprint) {
  auto i = named_.lower_bound(std::pair{std::string{name}, uint64_t{0}});
  return i != named_.end() && i->first.first == name && find(name, fingerprint) == nullptr;
}

} // namespace cafwire::dump
