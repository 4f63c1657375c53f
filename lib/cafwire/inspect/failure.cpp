// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/failure.hpp"

#include "cafwire/inspect/object_table.hpp"

#include <memory>

namespace cafwire::detail {

struct failure_extras {
  caf::error from_user;
  std::string detail;
  object_table objects;
};

namespace {

caf::error to_error(ec code, const failure_extras* extras) {
  if (code == ec::none)
    return {};
  if (extras == nullptr)
    return caf::error{code};
  if (!extras->from_user.empty())
    return extras->from_user;
  return make_error_with_text(code, extras->detail);
}

} // namespace

caf::error failure::release() {
  auto owned = std::unique_ptr<failure_extras>{std::exchange(extras, nullptr)};
  return to_error(code, owned.get());
}

void failure_state::destroy(failure_extras* ptr) noexcept {
  delete ptr;
}

failure_extras& failure_state::get_extras() {
  if (extras_ == nullptr)
    extras_ = new failure_extras;
  return *extras_;
}

object_table& failure_state::objects() {
  return get_extras().objects;
}

caf::error failure_state::get_error() const {
  return to_error(code_, extras_);
}

std::string_view failure_state::detail() const noexcept {
  return extras_ != nullptr ? std::string_view{extras_->detail} : std::string_view{};
}

void failure_state::set_error(caf::error err) {
  if (code_ != ec::none || err.empty())
    return;
  code_ = ec::inspect_failed;
  if (err.category() == caf::type_id_v<ec>) {
    auto code = ec::none;
    if (from_integer(err.code(), code) && code != ec::none)
      code_ = code;
  }
  get_extras().from_user = std::move(err);
}

void failure_state::set_failure(ec code, std::string detail) {
  if (code_ != ec::none)
    return;
  code_ = code;
  get_extras().detail = std::move(detail);
}

} // namespace cafwire::detail
