// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/evolution/plan.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/schema_source.hpp"
#include "cafwire/session/type_difference.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/limits.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cafwire::detail {

/// What a session needs to read other versions of its types. Exists only in sessions that have met
/// one. Belongs to one thread.
class type_converter {
public:
  explicit type_converter(known_types_ptr types);

  /// Builds a plan for the version of a type that a peer has.
  /// @returns `nullptr` and the reason in `problem` if values cannot be converted.
  evolution::plan* make_plan(const message_type& own, std::string_view schema,
                             std::string& problem);

  /// Returns a plan for a type that is equal on both sides, but stands beside one that is not.
  evolution::plan* equal_plan(const message_type& own, std::string& problem);

  /// Converts the payload of a message. The result stays valid until the next call.
  /// @param detail gets a text for humans that belongs to an error.
  ec convert(std::span<evolution::plan* const> plans, std::span<const std::byte> payload,
             const limits& bounds, std::string& detail);

  std::span<const std::byte> result() const noexcept {
    return buffer_.bytes();
  }

  /// The schemas of the types that are known here.
  schema_source& schemas() noexcept {
    return schemas_;
  }

  /// Accounts for parts of schemas that stay.
  /// @returns whether there is room for them.
  bool take_parts(size_t n) noexcept {
    if (n > parts_left_)
      return false;
    parts_left_ -= n;
    return true;
  }

  /// Frees what a large message has left behind.
  void release_memory() noexcept;

  /// Forgets all plans of versions that were made behind the last call of `keep`.
  void clear() noexcept;

  /// Keeps all plans that there are.
  void keep() noexcept {
    kept_plans_ = plans_.size();
    parts_behind_kept_ = parts_left_;
  }

  const std::vector<type_difference>& differences() const noexcept {
    return differences_;
  }

private:
  void note(type_difference x);

  known_types_ptr types_;
  schema_source schemas_;
  std::vector<std::unique_ptr<evolution::plan>> plans_;
  std::map<const message_type*, std::unique_ptr<evolution::plan>> equal_plans_;
  /// Parts of schemas and plans, which a peer must not make without end.
  size_t parts_left_;
  size_t kept_plans_ = 0;
  /// `parts_left_` when no other plans were there than those that are kept.
  size_t parts_behind_kept_;
  output_buffer buffer_;
  std::vector<type_difference> differences_;
};

} // namespace cafwire::detail
