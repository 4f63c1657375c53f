// This file is part of cafwire. See the file LICENSE for license terms.

/// @file
/// Sending and asking, written once for CAF 0.18 (`self->send`) and for CAF 1.x
/// (`self->mail(...).send`).

#pragma once

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>
#if !__has_include(<caf/anon_mail.hpp>)
#  include <caf/send.hpp>
#endif

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace demo {

/// No answer takes that long, not even under a debugger's tools.
constexpr auto request_timeout = std::chrono::seconds{60};

/// Sends `xs` (or the one `caf::message` that it is) to `dst`.
template <class... Ts>
void send(caf::scoped_actor& self, const caf::actor& dst, Ts&&... xs) {
#if __has_include(<caf/anon_mail.hpp>)
  self->mail(std::forward<Ts>(xs)...).send(dst);
#else
  self->send(dst, std::forward<Ts>(xs)...);
#endif
}

/// Sends the request `xs` to `dst` and returns the handle for the response.
template <class... Ts>
[[nodiscard]] auto request(caf::scoped_actor& self, const caf::actor& dst, Ts&&... xs) {
#if __has_include(<caf/anon_mail.hpp>)
  return self->mail(std::forward<Ts>(xs)...).request(dst, request_timeout);
#else
  return self->request(dst, request_timeout, std::forward<Ts>(xs)...);
#endif
}

/// Waits for the response to a request.
template <class T, class ResponseHandle>
[[nodiscard]] caf::expected<T> response(ResponseHandle&& handle) {
  auto result = caf::expected<T>{caf::make_error(caf::sec::none)};
  std::move(handle).receive([&result](T& x) { result = std::move(x); },
                            [&result](caf::error& x) { result = std::move(x); });
  return result;
}

/// Returns the value of `x`.
/// @throws std::runtime_error with `what` and the error if there is no value.
template <class T>
T value_of(caf::expected<T> x, const std::string& what) {
  if (!x)
    throw std::runtime_error(what + ": " + to_string(x.error()));
  return std::move(*x);
}

/// Sends the request `xs` to `dst` and waits for the response.
/// @throws std::runtime_error if the response is an error.
template <class T, class... Ts>
T ask(caf::scoped_actor& self, const caf::actor& dst, Ts&&... xs) {
  return value_of(response<T>(request(self, dst, std::forward<Ts>(xs)...)),
                  "the server answered with an error");
}

} // namespace demo
