// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "net/caf_api.hpp"
#include "net/types.hpp"

#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace net_test {

/// Answers in many ways.
inline caf::behavior server(caf::event_based_actor* self) {
  auto kept = std::make_shared<std::vector<caf::response_promise>>();
  auto count = std::make_shared<int32_t>(0);
  return {
    // -- echo -------------------------------------------------------------------------------------
    [](std::string& x) { return std::move(x); },
    [](const point& p) { return p; },
    [](const chart& x) { return x; },
    [](const positive& x) { return x.value; },
    [](std::vector<caf::message>& xs) { return std::move(xs); },
    [](caf::join_atom, caf::message& x) {
      return caf::make_message(caf::join_atom_v, std::move(x));
    },
    [](caf::byte_buffer& x) { return std::move(x); },
    [](const chatty& x) { return x.value; },
    // -- other answers ----------------------------------------------------------------------------
    [](caf::contact_atom, handles& xs) { return std::move(xs); },
    [](caf::div_atom, int32_t x, int32_t y) -> caf::result<int32_t> {
      if (y == 0)
        return caf::make_error(weather::rain, std::string{"division by zero"}, x);
      return x / y;
    },
    [](caf::sys_atom) -> caf::result<int32_t> {
      return caf::make_error(caf::sec::bad_function_call, std::string{"no"});
    },
    [](caf::ok_atom) { return caf::make_message(caf::ok_atom_v, int32_t{1}, std::string{"two"}); },
    // -- counting ---------------------------------------------------------------------------------
    [count](caf::tick_atom) { ++*count; },
    [count](caf::tick_atom, const std::string&) { ++*count; },
    [count](caf::get_atom) { return *count; },
    // -- never, and late --------------------------------------------------------------------------
    [self, kept](caf::pending_atom) {
      kept->push_back(self->make_response_promise());
      return kept->back();
    },
    [kept](caf::flush_atom) {
      for (auto& promise : *kept)
        promise.deliver(int32_t{42});
      kept->clear();
    },
    // -- the end ----------------------------------------------------------------------------------
    [self](caf::close_atom) { self->quit(); },
    [self](caf::close_atom, caf::error& reason) { self->quit(std::move(reason)); },
  };
}

} // namespace net_test
