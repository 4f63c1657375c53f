// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Sending and asking, written once for CAF 0.18 (`self->send`) and for CAF 1.x (`self->mail`).

#include "cafwire/caf_compat.hpp"

#include <caf/actor.hpp>
#include <caf/all.hpp>
#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/sec.hpp>

#include <chrono>
#include <utility>

namespace net_test {

/// How long a test waits for what must happen: far longer than it takes.
inline constexpr auto patience = std::chrono::seconds{20};

/// Sends a message from an actor: a pointer to one, or a `caf::scoped_actor`.
template <class Self, class Handle, class... Ts>
void send(Self& self, const Handle& dst, Ts&&... xs) {
#if CAFWIRE_CAF_1
  self->mail(std::forward<Ts>(xs)...).send(dst);
#else
  self->send(dst, std::forward<Ts>(xs)...);
#endif
}

/// Sends a message with high priority.
template <class Self, class Handle, class... Ts>
void send_urgent(Self& self, const Handle& dst, Ts&&... xs) {
#if CAFWIRE_CAF_1
  self->mail(std::forward<Ts>(xs)...).urgent().send(dst);
#else
  self->template send<caf::message_priority::high>(dst, std::forward<Ts>(xs)...);
#endif
}

/// Sends a message that names no sender.
template <class Handle, class... Ts>
void send_anonymously(const Handle& dst, Ts&&... xs) {
#if CAFWIRE_CAF_1
  caf::anon_mail(std::forward<Ts>(xs)...).send(dst);
#else
  caf::anon_send(dst, std::forward<Ts>(xs)...);
#endif
}

/// Hands the current request over to another actor.
template <class Self, class Handle, class... Ts>
auto delegate(Self* self, const Handle& dst, Ts&&... xs) {
#if CAFWIRE_CAF_1
  return self->mail(std::forward<Ts>(xs)...).delegate(dst);
#else
  return self->delegate(dst, std::forward<Ts>(xs)...);
#endif
}

/// Sends a request and returns the handle for its response.
template <class Self, class Handle, class... Ts>
[[nodiscard]] auto request(Self& self, const Handle& dst, caf::timespan timeout, Ts&&... xs) {
#if CAFWIRE_CAF_1
  return self->mail(std::forward<Ts>(xs)...).request(dst, timeout);
#else
  return self->request(dst, timeout, std::forward<Ts>(xs)...);
#endif
}

/// Sends a request and waits for its response.
template <class T, class Handle, class... Ts>
[[nodiscard]] caf::expected<T> ask(caf::scoped_actor& self, const Handle& dst, Ts&&... xs) {
  auto result = caf::expected<T>{caf::make_error(caf::sec::runtime_error, "no response at all")};
  request(self, dst, patience, std::forward<Ts>(xs)...)
    .receive([&result](T& x) { result = std::move(x); },
             [&result](caf::error& x) { result = std::move(x); });
  return result;
}

/// Sends a request that must fail and returns its error, which is empty if there was a response.
template <class Handle, class... Ts>
[[nodiscard]] caf::error ask_in_vain(caf::scoped_actor& self, const Handle& dst, Ts&&... xs) {
  caf::error result;
  request(self, dst, patience, std::forward<Ts>(xs)...)
    .receive([] {}, [&result](caf::error& x) { result = std::move(x); });
  return result;
}

/// Installs a handler for exit messages. CAF 1.x finds it among the message handlers of the
/// behavior, where it must stand as well.
template <class Self, class Handler>
void set_exit_handler([[maybe_unused]] Self* self, [[maybe_unused]] Handler handler) {
#if !CAFWIRE_CAF_1
  self->set_exit_handler(std::move(handler));
#endif
}

/// Returns the error, or an empty one if there is a value.
template <class T>
[[nodiscard]] caf::error error_of(const caf::expected<T>& x) {
  return x ? caf::error{} : x.error();
}

} // namespace net_test
