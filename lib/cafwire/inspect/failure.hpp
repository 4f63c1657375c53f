// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/wire/error.hpp"

#include <caf/error.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace cafwire::detail {

class object_table;

/// What few messages need: what is known about an error besides its cause, and shared objects.
struct failure_extras;

/// An error on its way from an inspector to whoever keeps it. Small enough for registers.
struct failure {
  ec code;
  failure_extras* extras;

  /// Builds the error with all that is known about it and frees the extras.
  caf::error release();
};

/// Remembers the first thing that went wrong, and what else few messages need. Costs one byte and
/// one pointer as long as they do not. The base of the inspectors.
class failure_state {
public:
  failure_state() noexcept = default;

  failure_state(const failure_state&) = delete;

  failure_state& operator=(const failure_state&) = delete;

  /// Returns the cause, or `ec::none`.
  ec code() const noexcept {
    return code_;
  }

  bool failed() const noexcept {
    return code_ != ec::none;
  }

  /// Returns the error with all that is known about it: what an `inspect` overload reported, or the
  /// cause with a text.
  caf::error get_error() const;

  /// Hands over the error, which stays failed. Takes the address of no inspector anywhere, so that
  /// compilers may keep it in registers.
  failure take_failure() noexcept {
    return {code_, std::exchange(extras_, nullptr)};
  }

  /// Returns the text that belongs to the cause, for example the name of an unknown type.
  std::string_view detail() const noexcept;

  /// Returns the objects behind the shared pointers of this message.
  object_table& objects();

  // -- called by inspect overloads ----------------------------------------------------------------

  void set_error(caf::error err);

  template <class... Ts>
  void emplace_error(Ts&&... xs) {
    // An error with arguments needs CAF's meta objects; without them keep its code.
    if (compat::core_meta_objects_ready())
      set_error(caf::make_error(std::forward<Ts>(xs)...));
    else
      set_failure(ec::inspect_failed);
  }

  /// Replaces the cause by a more exact one.
  void refine(ec from, ec to) noexcept {
    if (code_ == from)
      code_ = to;
  }

protected:
  ~failure_state() {
    if (extras_ != nullptr) [[unlikely]]
      destroy(extras_);
  }

  void set_failure(ec code) noexcept {
    if (code_ == ec::none)
      code_ = code;
  }

  void set_failure(ec code, std::string detail);

  /// Sets an error unless there is one, and returns false.
  bool fail_unless_set(ec code) noexcept {
    set_failure(code);
    return false;
  }

  /// Forgets everything.
  void reset_failure() noexcept {
    code_ = ec::none;
    if (extras_ != nullptr)
      destroy(std::exchange(extras_, nullptr));
  }

private:
  // Out of line, which keeps the code of inspectors that live for a moment small, and without
  // `this`, so that compilers may keep them in registers.
  static void destroy(failure_extras* ptr) noexcept;

  failure_extras& get_extras();

  ec code_ = ec::none;
  failure_extras* extras_ = nullptr;
};

} // namespace cafwire::detail
