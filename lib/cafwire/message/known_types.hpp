// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/fwd.hpp"
#include "cafwire/message/message_type.hpp"

#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cafwire {

/// The types that one side of a conversation writes and accepts. Two sides whose registries have
/// the same hash need not tell each other about types. Immutable: any number of threads may read it
/// without locks.
///
/// CAF's own types always belong to it. They have fixed slots in the format and no part in the
/// hash.
class known_types {
public:
  /// Everything that the program has registered with `cafwire::init_global_meta_objects` so far.
  /// Takes a lock and may run `inspect` overloads: call it when a session starts, not per message.
  static known_types_ptr global();

  /// Only the given types out of those that the program has registered (and CAF's own): what is
  /// missing is refused as `ec::unknown_type`. IDs that are not registered are ignored.
  static known_types_ptr only(const std::vector<caf::type_id_t>& ids);

  /// Creates a registry of types of applications. The types must live as long as the program.
  explicit known_types(std::vector<const message_type*> types);

  /// Returns the type with an ID of this program, or `nullptr`.
  const message_type* find(caf::type_id_t id) const noexcept {
    return id < by_id_.size() ? by_id_[id] : nullptr;
  }

  /// Returns the type with a name, or `nullptr`. Costs O(log n).
  const message_type* find(std::string_view name) const noexcept;

  /// Returns the types of the application in the order of their names.
  std::span<const message_type* const> ranked() const noexcept {
    return ranked_;
  }

  /// Returns the position of a type in `ranked()`.
  /// @pre the type belongs to the application and to this registry.
  size_t rank_of(const message_type& type) const noexcept {
    return rank_by_id_[type.id];
  }

  /// Returns what a session tells its peer about a type: name, fingerprint and schema, ready to be
  /// copied.
  /// @pre the type belongs to the application and to this registry.
  std::string_view definition_of(const message_type& type) const noexcept {
    return definitions_[rank_by_id_[type.id]];
  }

  /// Hash over names and fingerprints of all types of the application.
  uint64_t hash() const noexcept {
    return hash_;
  }

private:
  std::vector<const message_type*> by_id_;
  std::vector<const message_type*> ranked_;
  std::vector<uint32_t> rank_by_id_;
  std::vector<std::string> definitions_;
  uint64_t hash_ = 0;
};

/// Definitions leave the schema out if they would become larger than this, in bytes. A constant of
/// the format.
inline constexpr size_t max_definition_size = 4096;

namespace detail {

/// Adds types to the program. Types that are there already are ignored. Thread-safe.
void register_message_types(std::span<const message_type* const> types);

/// Returns the types of CAF and cafwire: index 0 is empty, index i holds the type with slot i.
std::span<const message_type* const> core_types();

} // namespace detail

} // namespace cafwire
