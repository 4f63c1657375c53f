// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/failure.hpp"

namespace cafwire::detail {

void failure_state::delete_report::operator()(report* ptr) const noexcept {
  delete ptr;
}

caf::error failure_state::get_error() const {
  if (code_ == ec::none)
    return {};
  if (report_ == nullptr)
    return caf::error{code_};
  if (!report_->from_user.empty())
    return report_->from_user;
  return make_error_with_text(code_, report_->detail);
}

std::string_view failure_state::detail() const noexcept {
  return report_ != nullptr ? std::string_view{report_->detail} : std::string_view{};
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
  report_.reset(new report{std::move(err), {}});
}

void failure_state::set_failure(ec code, std::string detail) {
  if (code_ != ec::none)
    return;
  code_ = code;
  report_.reset(new report{{}, std::move(detail)});
}

} // namespace cafwire::detail
