// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/evolution/flat_program.hpp"
#include "cafwire/layout/schema.hpp"
#include "cafwire/layout/schema_tree.hpp"
#include "cafwire/layout/value_walker.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cafwire::evolution {

/// A new object of a struct as the own version of it writes it.
struct default_object {
  std::vector<std::byte> bytes;
  /// Where each field begins in `bytes`, and where the last one ends.
  std::vector<size_t> offsets;
};

/// How values of one type become values of another one.
struct conversion {
  enum class action : uint8_t {
    /// Both have a fixed size: see `flat`.
    flat,
    /// Fields: see `parts`.
    structure,
    /// Values one behind the other: see `parts`.
    tuple,
    /// An optional stays one.
    optional,
    /// A value becomes an optional.
    wrap,
    /// An optional becomes a value.
    unwrap,
    variant,
    /// All that has a number of elements: sequences, arrays, sets and maps.
    elements,
    bit_sequence,
    /// Shared and weak pointers.
    pointer,
    /// A choice of types by name.
    choice,
    handle,
    message,
    error,
    /// A type of CAF that is encoded as its only part.
    as_part,
  };

  /// What happens to the presence byte of a field.
  enum class presence : uint8_t {
    none,
    /// A byte 1 is added.
    add,
    /// The byte goes away. Where it is 0, the field takes its default.
    remove,
    keep,
  };

  static constexpr auto missing = static_cast<size_t>(-1);

  /// A field, element or alternative.
  struct part {
    const conversion* how = nullptr;
    /// The index of the part in the type of the peer, or `missing`.
    size_t source = missing;
    /// The index of the part in the own type, or `missing`.
    size_t target = missing;
    presence flag = presence::none;
    /// Where the value comes from if the peer sends none.
    const default_object* fallback = nullptr;
    /// Copies the fallback.
    const conversion* copy_fallback = nullptr;
  };

  action what = action::flat;
  const layout::schema_node* from = nullptr;
  const layout::schema_node* to = nullptr;
  flat_program flat;
  /// Fields in the order of the own type; alternatives in the order of the peer.
  std::vector<part> parts;
  /// Whether the fields stand in the same order on both sides.
  bool in_order = true;
  /// What to say about a value without a counterpart.
  std::string problem;
};

/// How values of a type as the peer knows it become values of the type as it is known here. Built
/// once per type and session, from schemas alone. Belongs to one thread.
class plan {
public:
  /// @param from the type of the peer.
  /// @param to the type of the same meaning here; must outlive the plan.
  /// @param structs what is known of the structs of `to`.
  /// @param types finds the types of messages inside of values; must outlive the plan.
  /// @param name what to call the type in texts for humans.
  plan(layout::schema_tree from, const layout::schema_tree& to,
       std::span<const layout::struct_info> structs, layout::type_source* types,
       std::string_view name = {});

  plan(const plan&) = delete;

  plan& operator=(const plan&) = delete;

  /// Returns what to do, or `nullptr` if there is no way: `problem()` tells why.
  const conversion* root() const noexcept {
    return root_;
  }

  /// Returns which part of the type has no counterpart, for humans.
  const std::string& problem() const noexcept {
    return problem_;
  }

  const layout::schema_node& from() const noexcept {
    return from_.root();
  }

  /// Whether values may hold shared pointers.
  bool may_share() const noexcept {
    return may_share_;
  }

  /// Returns how many conversions were built.
  size_t size() const noexcept {
    return conversions_.size();
  }

  /// Returns a conversion for types that were only found in a value, or `nullptr`.
  const conversion* find(const layout::schema_node& from, const layout::schema_node& to);

private:
  using key = std::pair<const layout::schema_node*, const layout::schema_node*>;

  const conversion* convert(const layout::schema_node& from, const layout::schema_node& to);

  bool build(conversion& x);

  bool build_structure(conversion& x);

  bool build_part(conversion& x, conversion::part& part);

  bool build_fallback(conversion& x, conversion::part& part);

  bool build_variant(conversion& x);

  bool build_choice(conversion& x);

  bool build_elements(conversion& x);

  /// Tries whether a conversion exists. Leaves no trace if it does not.
  bool exists(const layout::schema_node& from, const layout::schema_node& to);

  /// Appends steps for types of fixed sizes.
  bool flatten(const layout::schema_node& from, const layout::schema_node& to, size_t in,
               size_t out, flat_program& program);

  bool flatten_structure(const layout::schema_node& from, const layout::schema_node& to, size_t in,
                         size_t out, flat_program& program);

  bool flatten_scalar(const layout::schema_node& from, const layout::schema_node& to, size_t in,
                      size_t out, flat_program& program);

  /// Returns the fields of `from` that belong to those of `to`, or `missing`.
  bool match_fields(const layout::schema_node& from, const layout::schema_node& to,
                    std::vector<size_t>& sources);

  bool same_struct(const layout::schema_node& from, const layout::schema_node& to) const;

  const layout::struct_info* info_of(const layout::schema_node& type) const;

  const default_object* default_of(const layout::schema_node& type);

  bool refuse(const layout::schema_node& from, const layout::schema_node& to,
              std::string_view reason = {});

  std::string place() const;

  /// Remembers where in the type the builder is.
  class step_into;

  layout::schema_tree from_;
  std::map<const layout::schema_node*, layout::struct_info> structs_;
  layout::type_source* types_;
  std::deque<conversion> conversions_;
  std::map<key, const conversion*> known_;
  std::vector<key> history_;
  std::map<const layout::schema_node*, std::unique_ptr<default_object>> defaults_;
  std::vector<std::string> path_;
  size_t level_ = 0;
  const conversion* root_ = nullptr;
  std::string problem_;
  bool may_share_ = false;
};

} // namespace cafwire::evolution
