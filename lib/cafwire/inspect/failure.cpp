// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/failure.hpp"

#include "cafwire/inspect/object_table.hpp"

namespace cafwire::detail {

struct failure_state::extras {
  caf::error from_user;
  std::string detail;
  object_table objects;
};

void failure_state::delete_extras::operator()(extras* ptr) const noexcept {
  delete ptr;
}

failure_state::extras& failure_state::get_extras() {
  if (extras_ == nullptr)
    extras_.reset(new extras);
  return *extras_;
}

object_table& failure_state::objects() {
  return get_extras().objects;
}

caf::error failure_state::get_error() const {
  if (code_ == ec::none)
    return {};
  if (extras_ == nullptr)
    return caf::error{code_};
  if (!extras_->from_user.empty())
    return extras_->from_user;
  return make_error_with_text(code_, extras_->detail);
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
