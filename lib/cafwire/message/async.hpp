// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"
#include "cafwire/wire/array_view.hpp"
#include "cafwire/wire/buffer_pool.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/result.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/timespan.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <memory>
#include <type_traits>
#include <utility>

/// @file
/// Encodes and decodes large values off the actor that needs the result: on the workers of CAF's
/// scheduler, without threads of its own. `docs/async.md` says from which size on it pays.

namespace cafwire {

/// Cancels asynchronous work. Copies belong together. Thread-safe.
class cancellation {
public:
  cancellation() : requested_(std::make_shared<std::atomic<bool>>(false)) {
    // nop
  }

  /// Makes the response the error `ec::cancelled`. Work that has not started never will; work that
  /// is under way ends first, and its result is dropped. No effect once the response was sent.
  void request() noexcept {
    requested_->store(true, std::memory_order_relaxed);
  }

  bool requested() const noexcept {
    return requested_->load(std::memory_order_relaxed);
  }

private:
  std::shared_ptr<std::atomic<bool>> requested_;
};

/// How asynchronous work is done.
struct async_options {
  /// Bounds on what is read.
  limits bounds = limits::untrusted();

  /// Where buffers come from, and go to when the last copy of a result is gone. Without a pool,
  /// each result has a new buffer.
  std::shared_ptr<buffer_pool> buffers;

  /// Cancels the work.
  cancellation cancel;

  /// When to give up waiting: the response is `caf::sec::request_timeout` then.
  caf::timespan timeout = caf::infinite;
};

namespace detail {

/// An actor that does one piece of work and ends.
template <class T>
using async_worker = caf::typed_actor<caf::result<T>(caf::get_atom)>;

/// Runs `job` in an actor of its own.
/// @param self pointer to an actor, or a `caf::scoped_actor`.
template <class T, class Self, class Job>
auto run_async(Self& self, const async_options& options, Job job) {
  using worker = async_worker<T>;
  auto state = std::make_shared<Job>(std::move(job));
  auto actor = self->home_system().template spawn<caf::lazy_init>(
    [state = std::move(state), cancel = options.cancel](typename worker::pointer me) ->
    typename worker::behavior_type {
      return {
        [me, state, cancel](caf::get_atom) -> caf::result<T> {
          me->quit();
          if (cancel.requested())
            return caf::make_error(ec::cancelled);
          auto result = (*state)();
          if (cancel.requested())
            return caf::make_error(ec::cancelled);
          return result;
        },
      };
    });
  return compat::request(self, actor, options.timeout, caf::get_atom_v);
}

template <class T>
caf::result<shared_bytes> encode_now(const T& value, const std::shared_ptr<buffer_pool>& buffers) {
  auto out = buffers != nullptr ? buffers->acquire() : output_buffer{};
  if (auto code = serialize(out, value); code != ec::none) {
    if (buffers != nullptr)
      buffers->release(std::move(out));
    return caf::make_error(code);
  }
  return share(std::move(out), buffers);
}

template <class T>
caf::result<T> decode_now(const shared_bytes& input, const limits& bounds) {
  T result{};
  if (auto code = deserialize(input, bounds, result); code != ec::none)
    return caf::make_error(code);
  return {std::move(result)};
}

} // namespace detail

/// Encodes a value off the calling actor, with the bytes of `serialize`.
/// @param self pointer to the calling actor, or a `caf::scoped_actor`.
/// @returns a response handle, to be used as that of `self->request`. The response is a
///          `shared_bytes`, or an error: the cause, or `ec::cancelled`.
template <class Self, class T>
[[nodiscard]] auto
serialize_async(Self&& self, std::shared_ptr<const T> value, async_options options = {}) {
  return detail::run_async<shared_bytes>(
    self, options, [value = std::move(value), buffers = options.buffers]() mutable {
      auto result = detail::encode_now(*value, buffers);
      // Destroying a large value is work, too.
      value = nullptr;
      return result;
    });
}

/// The same for a value that the caller gives away.
template <class Self, class T>
[[nodiscard]] auto
serialize_async(Self&& self, T&& value,
                async_options options = {}) requires(!std::is_lvalue_reference_v<T>) {
  return serialize_async(self, std::shared_ptr<const T>{std::make_shared<T>(std::move(value))},
                         std::move(options));
}

/// Decodes a value off the calling actor. Each `array_view` in it may point into the input.
/// @tparam T must have a CAF type ID, because the response is a message.
/// @param self pointer to the calling actor, or a `caf::scoped_actor`.
/// @param input must have an owner, or must not change before the response arrives.
/// @returns a response handle. The response is a `T`, or an error: the cause, or `ec::cancelled`.
template <class T, class Self>
[[nodiscard]] auto deserialize_async(Self&& self, shared_bytes input, async_options options = {}) {
  static_assert(caf::has_type_id_v<T>, "cafwire: the result is a message: give T a CAF type ID");
  return detail::run_async<T>(self, options,
                              [input = std::move(input), bounds = options.bounds]() mutable {
                                auto result = detail::decode_now<T>(input, bounds);
                                input = {};
                                return result;
                              });
}

} // namespace cafwire
