// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/evolution/aliases.hpp"

#include <mutex>
#include <utility>

namespace cafwire::detail {

namespace {

struct type_entry {
  std::string name;
  std::string former_name;
};

struct field_entry {
  const void* struct_key;
  std::string name;
  std::string former_name;
};

/// Lives until the program ends: sessions may outlive static objects.
struct alias_table {
  std::mutex mutex;
  std::vector<type_entry> types;
  std::vector<field_entry> fields;
};

alias_table& table() {
  static auto* instance = new alias_table;
  return *instance;
}

} // namespace

void add_type_alias(std::string_view name, std::string former_name) {
  std::lock_guard guard{table().mutex};
  table().types.push_back({std::string{name}, std::move(former_name)});
}

void add_field_alias(const void* struct_key, std::string name, std::string former_name) {
  std::lock_guard guard{table().mutex};
  table().fields.push_back({struct_key, std::move(name), std::move(former_name)});
}

std::string current_type_name(std::string_view former_name) {
  std::lock_guard guard{table().mutex};
  for (auto& x : table().types)
    if (x.former_name == former_name)
      return x.name;
  return {};
}

std::vector<std::string> former_field_names(const void* struct_key, std::string_view name) {
  std::lock_guard guard{table().mutex};
  std::vector<std::string> result;
  for (auto& x : table().fields)
    if (x.struct_key == struct_key && x.name == name)
      result.push_back(x.former_name);
  return result;
}

} // namespace cafwire::detail
