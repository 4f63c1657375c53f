// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/failure.hpp"

#include <memory>

namespace cafwire::detail {

namespace {

caf::error to_error(ec code, const failure_report* report) {
  if (code == ec::none)
    return {};
  if (report == nullptr)
    return caf::error{code};
  if (!report->from_user.empty())
    return report->from_user;
  return make_error_with_text(code, report->detail);
}

} // namespace

caf::error failure::release() {
  auto owned = std::unique_ptr<failure_report>{std::exchange(report, nullptr)};
  return to_error(code, owned.get());
}

void failure_state::destroy(failure_report* ptr) noexcept {
  delete ptr;
}

caf::error failure_state::get_error() const {
  return to_error(code_, report_);
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
  report_ = new failure_report{std::move(err), {}};
}

void failure_state::set_failure(ec code, std::string detail) {
  if (code_ != ec::none)
    return;
  code_ = code;
  report_ = new failure_report{{}, std::move(detail)};
}

} // namespace cafwire::detail
