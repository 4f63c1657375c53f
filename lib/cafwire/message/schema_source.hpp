// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/value_walker.hpp"
#include "cafwire/message/known_types.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

namespace cafwire {

/// The parsed schemas of a registry, each of them parsed when somebody asks for it first. Belongs
/// to one thread.
class schema_source : public layout::type_source {
public:
  explicit schema_source(known_types_ptr types);

  ~schema_source() override;

  /// Returns the schema of a type of this program, or `nullptr` if it cannot be parsed.
  const layout::schema_tree* tree_of(const message_type& type);

  const layout::schema_node* core_type(uint64_t slot) override;

  const layout::schema_node* named_type(std::string_view name, uint64_t fingerprint) override;

  bool has_other_version(std::string_view name, uint64_t fingerprint) override;

private:
  known_types_ptr types_;
  std::map<const message_type*, layout::schema_tree> trees_;
};

} // namespace cafwire
