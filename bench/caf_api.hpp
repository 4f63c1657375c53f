// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/actor.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>
#include <caf/span.hpp>

#include <cstddef>
#include <span>
#include <utility>

// CAF 1.0 replaced `send` and `anon_send` by `mail` and `anon_mail`, and its serializers do without
// an execution unit. The versions are told apart by the header that came with the new interface.
#if __has_include(<caf/anon_mail.hpp>)
#  define CAFWIRE_BENCH_CAF_1 1
#  include <caf/anon_mail.hpp>
#else
#  define CAFWIRE_BENCH_CAF_1 0
#endif

namespace cafwire::bench {

/// CAF's own serializer.
class stock_sink : public caf::binary_serializer {
public:
#if CAFWIRE_BENCH_CAF_1
  explicit stock_sink(caf::byte_buffer& out)
    : caf::binary_serializer(out){
#else
  explicit stock_sink(caf::byte_buffer& out) : caf::binary_serializer(nullptr, out) {
#endif
      // nop
    }
};

/// CAF's own deserializer.
class stock_source : public caf::binary_deserializer {
public:
#if CAFWIRE_BENCH_CAF_1
  explicit stock_source(std::span<const std::byte> in)
    : caf::binary_deserializer(in.data(), in.size()){
#else
  explicit stock_source(std::span<const std::byte> in)
    : caf::binary_deserializer(nullptr, in.data(), in.size()) {
#endif
      // nop
    }
};

/// Encodes `x` with CAF's own serializer.
template <class T>
bool stock_save(caf::byte_buffer& out, const T& x) {
  stock_sink sink{out};
  return sink.apply(x);
}

/// Decodes `x` with CAF's own deserializer.
template <class T>
bool stock_load(std::span<const std::byte> in, T& x) {
  stock_source source{in};
  return source.apply(x) && source.remaining() == 0;
}

/// Sends a message that names no sender.
template <class Handle, class... Ts>
void send_anonymously(const Handle& receiver, Ts&&... xs) {
#if CAFWIRE_BENCH_CAF_1
  caf::anon_mail(std::forward<Ts>(xs)...).send(receiver);
#else
  caf::anon_send(receiver, std::forward<Ts>(xs)...);
#endif
}

/// Sends a message from `self`.
/// @param self pointer to an actor, or a `caf::scoped_actor`.
template <class Self, class Handle, class... Ts>
void send_from(Self& self, const Handle& receiver, Ts&&... xs) {
#if CAFWIRE_BENCH_CAF_1
  self->mail(std::forward<Ts>(xs)...).send(receiver);
#else
  self->send(receiver, std::forward<Ts>(xs)...);
#endif
}

/// Sends a request from `self`.
/// @returns the handle for the response.
template <class Self, class Handle, class Timeout, class... Ts>
[[nodiscard]] auto request_from(Self& self, const Handle& receiver, Timeout timeout, Ts&&... xs) {
#if CAFWIRE_BENCH_CAF_1
  return self->mail(std::forward<Ts>(xs)...).request(receiver, timeout);
#else
  return self->request(receiver, timeout, std::forward<Ts>(xs)...);
#endif
}

/// Asks an actor to end.
inline void send_exit(const caf::actor& receiver) {
  caf::anon_send_exit(receiver, caf::exit_reason::user_shutdown);
}

} // namespace cafwire::bench
