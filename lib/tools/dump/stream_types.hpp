// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cafwire/layout/value_walker.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cafwire::dump {

/// A type that messages may hold.
struct stream_type {
  std::string name;
  uint64_t fingerprint = 0;
  std::string schema;
  /// Empty if there is no schema, or none that makes sense; `problem` tells why then.
  layout::schema_tree tree;
  std::string problem;
  /// Bytes of a definition of the type.
  size_t definition_size = 0;
};

using stream_type_ptr = std::shared_ptr<const stream_type>;

/// Returns a type with a schema.
/// @param schema may be empty.
stream_type_ptr make_stream_type(std::string name, uint64_t fingerprint, std::string_view schema,
                                 size_t definition_size);

/// All types that a stream has defined so far, and those of the format. For one thread.
class type_directory : public layout::type_source {
public:
  /// Returns the type with a slot of the format; one without a schema if this version has none.
  static stream_type_ptr core(uint64_t slot);

  /// Returns a type that was defined before, or `nullptr`.
  stream_type_ptr find(std::string_view name, uint64_t fingerprint) const;

  void add(const stream_type_ptr& type);

  const layout::schema_node* core_type(uint64_t slot) override;

  const layout::schema_node* named_type(std::string_view name, uint64_t fingerprint) override;

  bool has_other_version(std::string_view name, uint64_t fingerprint) override;

private:
  std::map<std::pair<std::string, uint64_t>, stream_type_ptr, std::less<>> named_;
};

} // namespace cafwire::dump
