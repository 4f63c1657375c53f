// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/schema_difference.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cafwire::layout {

namespace {

class difference_finder {
public:
  std::vector<std::string> lines;

  void compare(const std::string& place, const schema_node& there, const schema_node& here) {
    constexpr size_t max_levels = 2 * max_schema_depth;
    if (lines.size() >= max_difference_lines || level_ == max_levels
        || !seen_.insert({&there, &here}).second)
      return;
    ++level_;
    if (there.kind == schema_kind::structure && here.kind == schema_kind::structure) {
      if (there.name != here.name)
        add(place + ": " + name_of(there) + " there, " + name_of(here) + " here");
      compare_named(place, there, here);
    } else if (there.kind != here.kind || there.name != here.name || there.count != here.count
               || there.period_numerator != here.period_numerator
               || there.period_denominator != here.period_denominator || is_leaf(there)) {
      compare_leaves(place, there, here);
    } else if (there.kind == schema_kind::any) {
      compare_named(place, there, here);
    } else {
      compare_parts(place, there, here);
    }
    --level_;
  }

private:
  static std::string name_of(const schema_node& x) {
    return x.name.empty() ? "no name" : x.name;
  }

  static bool is_leaf(const schema_node& x) {
    return x.is_scalar() || x.fields.empty() || x.kind == schema_kind::core_type;
  }

  void add(std::string line) {
    if (lines.size() < max_difference_lines)
      lines.push_back(std::move(line));
  }

  void compare_leaves(const std::string& place, const schema_node& there, const schema_node& here) {
    auto x = short_name(there);
    auto y = short_name(here);
    if (x != y)
      add(place + ": " + x + " there, " + y + " here");
    else if (there.kind != here.kind)
      add(place + ": another " + x + " there");
  }

  void compare_parts(const std::string& place, const schema_node& there, const schema_node& here) {
    auto n = std::min(there.fields.size(), here.fields.size());
    for (size_t i = 0; i < n; ++i)
      compare(place + part_name(there, i), there.child(i), here.child(i));
    for (auto i = n; i < there.fields.size(); ++i)
      add(place + part_name(there, i) + ": only there");
    for (auto i = n; i < here.fields.size(); ++i)
      add(place + part_name(here, i) + ": only here");
  }

  static std::string part_name(const schema_node& x, size_t i) {
    switch (x.kind) {
      case schema_kind::tuple:
      case schema_kind::variant:
        return '.' + std::to_string(i);
      case schema_kind::map:
      case schema_kind::unordered_map:
        return i == 0 ? ".key" : ".value";
      case schema_kind::optional:
      case schema_kind::shared:
      case schema_kind::weak:
        return {};
      default:
        return ".element";
    }
  }

  static std::string field_name(const schema_node& x, size_t i) {
    return '.' + (x.fields[i].has_name ? x.fields[i].name : std::to_string(i));
  }

  void compare_named(const std::string& place, const schema_node& there, const schema_node& here) {
    std::vector<size_t> partners;
    std::vector<bool> taken(here.fields.size());
    for (size_t i = 0; i < there.fields.size(); ++i) {
      auto& field = there.fields[i];
      size_t j = 0;
      while (j < here.fields.size()
             && (taken[j] || here.fields[j].has_name != field.has_name
                 || here.fields[j].name != field.name))
        ++j;
      if (j == here.fields.size()) {
        add(place + field_name(there, i) + ": only there");
        continue;
      }
      taken[j] = true;
      partners.push_back(j);
      auto name = place + field_name(there, i);
      if (field.may_be_absent != here.fields[j].may_be_absent)
        add(name
            + (field.may_be_absent ? ": may be absent there, not here"
                                   : ": may be absent here, not there"));
      compare(name, *field.type, *here.fields[j].type);
    }
    for (size_t j = 0; j < here.fields.size(); ++j)
      if (!taken[j])
        add(place + field_name(here, j) + ": only here");
    if (!std::is_sorted(partners.begin(), partners.end()))
      add(place + ": fields in another order");
  }

  std::set<std::pair<const schema_node*, const schema_node*>> seen_;
  size_t level_ = 0;
};

} // namespace

std::vector<std::string> schema_difference(const schema_node& there, const schema_node& here) {
  difference_finder finder;
  finder.compare(here.name.empty() ? "value" : here.name, there, here);
  return std::move(finder.lines);
}

} // namespace cafwire::layout
