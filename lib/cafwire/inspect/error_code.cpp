// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/error_code.hpp"

#include <algorithm>
#include <cstdint>
#include <future>
#include <ios>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

namespace cafwire {

namespace {

class category_table {
public:
  category_table()
    : entries_{&std::generic_category(), &std::system_category(), &std::iostream_category(),
               &std::future_category()} {
    // nop
  }

  const std::error_category* find(std::string_view name) {
    std::shared_lock guard{mutex_};
    return find_unlocked(name);
  }

  bool add(const std::error_category& category) {
    std::unique_lock guard{mutex_};
    if (auto* known = find_unlocked(category.name()))
      return *known == category;
    entries_.push_back(&category);
    return true;
  }

private:
  const std::error_category* find_unlocked(std::string_view name) const {
    auto i = std::find_if(entries_.begin(), entries_.end(),
                          [name](auto* entry) { return entry->name() == name; });
    return i != entries_.end() ? *i : nullptr;
  }

  std::shared_mutex mutex_;
  std::vector<const std::error_category*> entries_;
};

/// Never destroyed: other threads may still decode messages while the process ends.
category_table& categories() {
  static auto* instance = new category_table;
  return *instance;
}

} // namespace

bool add_error_category(const std::error_category& category) {
  return categories().add(category);
}

namespace detail {

bool save_error_code(serializer& f, const std::error_category& category, int value) {
  auto name = std::string_view{category.name()};
  // Another category of the same name would turn the code into another one.
  auto* known = categories().find(name);
  if (known == nullptr || *known != category)
    return f.fail(ec::unknown_error_category, std::string{name});
  return f.string(name.data(), name.size()) && f.apply(int32_t{value});
}

const std::error_category* load_error_code(deserializer& f, int& value) {
  std::string name;
  auto number = int32_t{0};
  if (!f.apply(name) || !f.apply(number))
    return nullptr;
  auto* result = categories().find(name);
  if (result == nullptr)
    f.fail(ec::unknown_error_category, std::move(name));
  value = number;
  return result;
}

} // namespace detail

} // namespace cafwire
