// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Catch2, with names of error codes in its reports.

#include "cafwire/wire/error.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>

#include <string>

template <>
struct Catch::StringMaker<cafwire::ec> {
  static std::string convert(cafwire::ec code) {
    return "ec::" + cafwire::to_string(code);
  }
};
