// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Catch2, with texts for errors of CAF in its reports.

#include "support/catch.hpp"

#include <caf/error.hpp>
#include <caf/exit_reason.hpp>
#include <caf/expected.hpp>
#include <caf/sec.hpp>

#include <string>
#include <type_traits>

template <>
struct Catch::StringMaker<caf::error> {
  static std::string convert(const caf::error& x) {
    return to_string(x);
  }
};

template <>
struct Catch::StringMaker<caf::sec> {
  static std::string convert(caf::sec x) {
    return to_string(x);
  }
};

template <>
struct Catch::StringMaker<caf::exit_reason> {
  static std::string convert(caf::exit_reason x) {
    return to_string(x);
  }
};

template <class T>
struct Catch::StringMaker<caf::expected<T>> {
  static std::string convert(const caf::expected<T>& x) {
    if (!x)
      return to_string(x.error());
    if constexpr (std::is_void_v<T>)
      return "no error";
    else
      return Catch::Detail::stringify(*x);
  }
};
