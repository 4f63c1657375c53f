// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cafwire/layout/value_walker.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cafwire::dump {

/// Follows shared pointers through the values of one message, which a walker does not: whether they
/// refer to objects that are complete, and of their type. A visitor that overrides functions must
/// call those of this class.
class object_checker : public layout::value_visitor {
public:
  /// Returns what is wrong, or `ec::none`.
  ec problem() const noexcept {
    return problem_;
  }

  void scalar(const layout::schema_node&, std::span<const std::byte>) override {
    complete();
  }

  void bits(const layout::schema_node&, uint64_t, std::span<const std::byte>) override {
    complete();
  }

  void begin(const layout::schema_node&, uint64_t) override {
    open_.push_back(no_object);
  }

  void end(const layout::schema_node&) override {
    open_.pop_back();
    complete();
  }

  void object(const layout::schema_node& pointer, uint64_t, const std::byte*) override {
    open_.push_back(objects_.size());
    objects_.push_back({&pointer.child(), false});
  }

  void reference(const layout::schema_node& pointer, uint64_t number) override {
    auto& target = objects_.at(static_cast<size_t>(number));
    // Types that look alike may differ nevertheless, but numbers that differ are not alike.
    if (target.type->is_number() && target.type->kind != pointer.child().kind)
      problem_ = ec::reference_type_mismatch;
    if (!target.complete && pointer.kind == layout::schema_kind::shared)
      problem_ = ec::reference_cycle;
    complete();
  }

  void null(const layout::schema_node&) override {
    complete();
  }

  void handle(const layout::handle_parts&) override {
    complete();
  }

private:
  struct shared_object {
    const layout::schema_node* type;
    bool complete;
  };

  static constexpr size_t no_object = SIZE_MAX;

  /// A value has ended, and with it all objects that are nothing else.
  void complete() {
    for (; !open_.empty() && open_.back() != no_object; open_.pop_back())
      objects_[open_.back()].complete = true;
  }

  std::vector<shared_object> objects_;
  /// Values and objects that have begun.
  std::vector<size_t> open_;
  ec problem_ = ec::none;
};

} // namespace cafwire::dump
