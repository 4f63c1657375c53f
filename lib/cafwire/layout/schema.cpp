// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/layout/schema.hpp"

#include "cafwire/layout/schema_tree.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace cafwire::layout {

uint64_t fingerprint_of(std::string_view text) noexcept {
  return XXH3_64bits(text.data(), text.size());
}

type_schema schema_builder::finish() {
  auto result = type_schema{};
  result.text = std::move(text_);
  for (auto& def : definitions_) {
    result.text += ';';
    append_struct_name(result.text, def.name);
    result.text += def.text;
  }
  result.fingerprint = fingerprint_of(result.text);
  result.min_size = size_.min;
  result.fixed_size = size_.fixed;
  result.structs = std::move(structs_);
  *this = schema_builder{};
  return result;
}

void schema_builder::fixed(std::string_view text, size_t size) {
  text_ += text;
  size_.min += size;
}

void schema_builder::varying(std::string_view text, size_t min_size) {
  text_ += text;
  size_.min += min_size;
  size_.fixed = false;
}

void schema_builder::open(std::string_view head) {
  text_ += head;
  text_ += '(';
}

void schema_builder::close() {
  text_ += ')';
}

void schema_builder::repetition(size_t n) {
  text_ += '[';
  text_ += std::to_string(n);
  text_ += ']';
  size_ = {};
}

bool schema_builder::begin_definition(const void* key, std::string_view name,
                                      open_definition& outer) {
  auto i = std::find_if(definitions_.begin(), definitions_.end(),
                        [key](auto& def) { return def.key == key; });
  if (i != definitions_.end()) {
    if (i->name.empty()) {
      // An unnamed type inside of itself: count how many unnamed types further out it stands.
      auto depth = std::count_if(i, definitions_.end(), [](auto& def) { return def.name.empty(); });
      text_ += '^';
      text_ += std::to_string(depth);
    } else {
      append_struct_name(text_, i->name);
    }
    if (i->complete)
      size_ = {size_.min + i->size.min, size_.fixed && i->size.fixed};
    else
      size_.fixed = false;
    return true;
  }
  definitions_.push_back({key, std::string{name}, {}, {}, false});
  outer = {text_.size(), size_};
  size_ = {};
  text_ += '{';
  return false;
}

void schema_builder::end_definition(const void* key, const open_definition& outer) {
  text_ += '}';
  auto inner = size_;
  size_ = {outer.size.min + inner.min, outer.size.fixed && inner.fixed};
  auto i = std::find_if(definitions_.begin(), definitions_.end(),
                        [key](auto& def) { return def.key == key; });
  if (i->name.empty()) {
    // Unnamed types are written out wherever they occur.
    definitions_.erase(i);
    return;
  }
  i->text = text_.substr(outer.start);
  i->size = inner;
  i->complete = true;
  text_.resize(outer.start);
  name_end_ = 0;
  append_struct_name(text_, i->name);
}

void schema_builder::separator() {
  if (!text_.empty() && text_.size() != name_end_ && text_.back() != '{' && text_.back() != '(')
    text_ += ',';
}

void schema_builder::field_name(compat::string_view name, bool may_be_absent) {
  separator();
  append_schema_name(text_, compat::to_std(name));
  if (may_be_absent) {
    text_ += '?';
    size_.min += 1;
  }
  text_ += ':';
  name_end_ = text_.size();
}

type_schema build_schema(void (*describe)(schema_builder&)) {
  schema_builder builder;
  describe(builder);
  return builder.finish();
}

} // namespace cafwire::layout
