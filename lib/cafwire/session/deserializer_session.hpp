// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"
#include "cafwire/fwd.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/message_codec.hpp"
#include "cafwire/session/session_options.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/input_cursor.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/type_id_list.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cafwire {

/// What became of the last read, and hence where the reader stands.
enum class read_status : uint8_t {
  /// A message was read. The cursor stands behind it.
  ok,
  /// The input ends before the next message does. The cursor stands in front of what is incomplete;
  /// read again from there when more has arrived.
  need_more,
  /// A message could not be decoded and was skipped. The cursor stands behind it, the session goes
  /// on.
  skipped,
  /// The message holds other types than asked for. The cursor stands in front of it.
  other_types,
  /// The stream makes no sense from here on. The session refuses all further reads.
  broken,
};

/// The reading end of what a `serializer_session` writes. Learns types and signatures on the way; a
/// definition stays valid even if the message behind it cannot be decoded. Safe against any input.
///
/// Belongs to one owner: not thread-safe. In steady state it takes no locks and allocates nothing
/// but the messages.
class deserializer_session {
public:
  explicit deserializer_session(known_types_ptr types = known_types::global(),
                                session_options options = {});

  deserializer_session(const deserializer_session&) = delete;

  deserializer_session& operator=(const deserializer_session&) = delete;

  ~deserializer_session();

  // -- reading ------------------------------------------------------------------------------------

  /// Tells who owns the input of the following reads, so that each `array_view` that they return
  /// may point into it. Call it again whenever the input moves to other memory; without an owner,
  /// views copy.
  void input_owner(std::shared_ptr<const void> owner) noexcept {
    input_owner_ = std::move(owner);
  }

  /// Reads the next message into values of known types, which are replaced.
  /// @returns the cause if there is none; `status()` tells what to do then.
  template <class... Ts>
  [[nodiscard]] ec read(input_cursor& in, Ts&... xs) noexcept {
    return next(in, [&](const signature& sig, std::span<const std::byte> payload) {
      const auto wanted = caf::make_type_id_list<Ts...>();
      if (!sig.problem_is(ec::none))
        return refuse(sig);
      if (sig.layout.ids.data() != wanted.data() && sig.layout.ids.compare(wanted) != 0)
        return ec::unexpected_type;
      deserializer f{payload, options_.bounds, options_.handles, types_.get()};
      f.input_owner(&input_owner_);
      std::ignore = (f.apply(xs) && ...);
      return finish(f);
    });
  }

  /// Reads the next message.
  /// @returns the cause if there is none; `status()` tells what to do then. `msg` is unchanged
  /// then.
  [[nodiscard]] ec read_message(input_cursor& in, caf::message& msg) noexcept;

  // -- properties ---------------------------------------------------------------------------------

  /// Returns what became of the last read.
  read_status status() const noexcept {
    return status_;
  }

  const known_types& types() const noexcept {
    return *types_;
  }

  bool uses_known_types() const noexcept {
    return static_slots_;
  }

  /// Returns how many types and signatures the peer has defined so far.
  size_t definitions() const noexcept {
    return definitions_;
  }

  /// Returns the error of the last call that failed, with all that is known about it.
  const caf::error& last_error() const noexcept {
    return last_error_;
  }

private:
  /// A type of the peer.
  struct type_slot {
    /// The type of the same name here, or `nullptr`.
    const message_type* type = nullptr;
    ec problem = ec::none;
    std::string name;
  };

  struct signature {
    message_layout layout;
    ec problem = ec::none;
    std::string detail;

    bool problem_is(ec code) const noexcept {
      return problem == code;
    }
  };

  /// A message in the input.
  struct located {
    const signature* sig;
    std::span<const std::byte> payload;
  };

  template <class Body>
  ec next(input_cursor& in, Body&& body) noexcept {
    located msg;
    auto code = locate(in, msg);
    if (code != ec::none) [[unlikely]]
      return code;
    code = detail::without_exceptions([&] { return body(*msg.sig, msg.payload); });
    if (code == ec::none) [[likely]] {
      status_ = read_status::ok;
    } else if (code == ec::unexpected_type) {
      status_ = read_status::other_types;
      return report(code);
    } else {
      status_ = read_status::skipped;
      report(code);
    }
    in.position(msg.payload.data() + msg.payload.size());
    return code;
  }

  /// Consumes definitions and finds the next message.
  ec locate(input_cursor& in, located& msg) noexcept;

  ec locate_slow(input_cursor& in, located& msg);

  ec read_control(input_cursor& in);

  ec define_type(input_cursor& in);

  ec define_signature(input_cursor& in);

  /// Takes the result of a decoded payload.
  ec finish(deserializer& f);

  ec refuse(const signature& sig);

  ec incomplete() noexcept;

  ec broken(ec code, std::string text = {}) noexcept;

  /// Makes sure that `last_error_` belongs to `code`.
  ec report(ec code) noexcept;

  void set_last_error(ec code, std::string text = {}) noexcept;

  known_types_ptr types_;
  session_options options_;
  std::shared_ptr<const void> input_owner_;
  bool static_slots_;
  read_status status_ = read_status::ok;
  ec broken_code_ = ec::none;

  std::vector<type_slot> type_slots_;
  std::vector<signature> signatures_;
  size_t definitions_ = 0;

  bool error_is_set_ = false;
  caf::error last_error_;
};

} // namespace cafwire
