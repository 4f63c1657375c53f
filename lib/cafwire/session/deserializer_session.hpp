// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"
#include "cafwire/fwd.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/message_codec.hpp"
#include "cafwire/session/session_options.hpp"
#include "cafwire/session/type_difference.hpp"
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
/// Types that are known here as another version are converted where no value can be lost, see
/// `docs/evolution.md`.
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

  /// Reads definitions of the types that the writer did not define, because it took them for known:
  /// those of a recording. To be called before anything else is read. These types survive resets.
  /// @returns the cause if that is not possible. The session is of no use then.
  [[nodiscard]] ec read_known_types(std::span<const std::byte> definitions) noexcept;

  /// Reads the next message into values of known types, which are replaced.
  /// @returns the cause if there is none; `status()` tells what to do then.
  template <class... Ts>
  [[nodiscard]] CAFWIRE_INLINE ec read(input_cursor& in, Ts&... xs) noexcept {
    return next(in, [&](signature& sig, std::span<const std::byte> payload) CAFWIRE_INLINE_LAMBDA {
      constexpr auto wanted = caf::make_type_id_list<Ts...>();
      if (sig.accepted != wanted.data()) [[unlikely]] {
        if (auto code = match(sig, wanted); code != ec::none)
          return code;
        if (!sig.plans.empty()) {
          void* const targets[] = {std::addressof(xs)..., nullptr};
          return load_converted(sig, payload, targets);
        }
      }
      if constexpr (detail::maybe_images_v<Ts...>) {
        if (detail::load_images(payload, xs...)) [[likely]]
          return ec::none;
      } else if constexpr ((detail::directly_loading<Ts> && ...)) {
        detail::packed_reader reader{input_cursor{payload}};
        if ((detail::load_directly(reader, xs) && ...) && reader.remaining() == 0) [[likely]]
          return ec::none;
      }
      return load_values(payload, xs...);
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

  /// Returns which types the peer has in other versions, as far as it has defined them, and whether
  /// they are understood.
  std::vector<type_difference> differing_types() const;

  /// Returns the error of the last call that failed, with all that is known about it.
  const caf::error& last_error() const noexcept {
    return last_error_;
  }

private:
  /// What is needed to keep a message of a type.
  struct kept_type;

  /// The types of messages that are kept.
  struct kept_types;

  /// A type of the peer.
  struct type_slot {
    /// The type of the same name here, or `nullptr`.
    const message_type* type = nullptr;
    ec problem = ec::none;
    /// What to say about a problem.
    std::string detail;
    /// How values of another version are converted.
    evolution::plan* plan = nullptr;
    /// What the peer has said, if messages are kept.
    std::shared_ptr<const kept_type> kept;
  };

  struct signature {
    /// The list of types that the last caller asked for with success: a signature is compared by
    /// content only once.
    const void* accepted = nullptr;
    /// `ec::schema_mismatch` if there are plans: messages need a conversion first.
    ec problem = ec::none;
    message_layout layout;
    std::string detail;
    /// How each element is converted. Empty if all of them are equal on both sides.
    std::vector<evolution::plan*> plans;
    /// The types, if messages are kept because they are not known here.
    std::shared_ptr<const kept_types> kept;
  };

  /// A message in the input.
  struct located {
    signature* sig;
    std::span<const std::byte> payload;
  };

  template <class Body>
  CAFWIRE_INLINE ec next(input_cursor& in, Body&& body) noexcept {
    located msg;
    if (!locate_short(in, msg)) [[unlikely]] {
      // An object of its own, so that compilers may keep `msg` in registers.
      located found;
      if (auto code = locate(in, found); code != ec::none)
        return code;
      msg = found;
    }
    auto code = detail::without_exceptions(
      [&]() CAFWIRE_INLINE_LAMBDA { return body(*msg.sig, msg.payload); });
    status_ = read_status::ok;
    if (code != ec::none) [[unlikely]]
      if (!skip(code))
        return code;
    in.position(msg.payload.data() + msg.payload.size());
    return code;
  }

  /// Finds the next message if its slot and its length take a byte each, as those of small
  /// messages do. Leaves everything else to `locate`.
  CAFWIRE_INLINE bool locate_short(const input_cursor& in, located& msg) noexcept {
    auto remaining = in.remaining();
    if (remaining < 2)
      return false;
    auto* pos = in.position();
    auto index = static_cast<size_t>(pos[0]) - 1;
    auto size = static_cast<size_t>(pos[1]);
    if (index >= short_slots_ || size > short_size_ || size > remaining - 2)
      return false;
    msg.sig = &signatures_[index];
    msg.payload = {pos + 2, size};
    return true;
  }

  /// Reads a payload that needs a deserializer.
  template <class Fn>
  CAFWIRE_INLINE ec load(std::span<const std::byte> payload, Fn&& fn) {
    deserializer f{payload, options_.bounds, options_.handles, types_.get()};
    f.input_owner(&input_owner_);
    if (fn(f) && f.remaining() != 0)
      f.fail(ec::trailing_bytes);
    if (f.failed()) [[unlikely]]
      return fail_with(f.take_failure());
    return ec::none;
  }

  template <class... Ts>
  [[gnu::flatten]] ec load_values(std::span<const std::byte> payload, Ts&... xs) {
    return load(payload,
                [&](deserializer& f) CAFWIRE_INLINE_LAMBDA { return (f.apply(xs) && ...); });
  }

  /// Converts a payload into the bytes that the own versions of its types would have, and reads
  /// these.
  /// @param targets the objects to read into, and `nullptr` behind them.
  ec load_converted(signature& sig, std::span<const std::byte> payload, void* const* targets);

  ec load_converted(signature& sig, std::span<const std::byte> payload, caf::message& msg);

  /// @param load_all reads all elements from a deserializer.
  template <class Fn>
  ec load_converted_by(signature& sig, std::span<const std::byte> payload, Fn&& load_all);

  /// Returns a message with a payload as it is, and with the actors of its handles.
  ec keep(signature& sig, std::span<const std::byte> payload, caf::message& msg);

  /// Prepares what is needed to keep a type that is not known here.
  void keep_type(type_slot& entry, raw_type type);

  /// Takes note of an error in a message.
  /// @returns whether to skip the message.
  bool skip(ec code) noexcept;

  /// Checks that a signature is the one that the caller asked for.
  ec match(signature& sig, caf::type_id_list wanted);

  /// Consumes definitions and finds the next message.
  ec locate(input_cursor& in, located& msg) noexcept;

  ec locate_slow(input_cursor& in, located& msg);

  ec read_control(input_cursor& in);

  ec define_type(input_cursor& in);

  /// Looks for a type of the peer here, under its name or a former name.
  const message_type* find_type(std::string_view name) const;

  /// Takes note of a type that is not the same on both sides.
  void define_other_version(type_slot& entry, std::string_view schema);

  ec define_signature(input_cursor& in);

  /// Finds out how to keep messages with types that are not known here.
  /// @param types has `nullptr` for each of these types.
  void keep_signature(signature& sig, std::span<const message_type* const> types,
                      std::vector<std::shared_ptr<const kept_type>> kept);

  /// Returns how many types of applications have a slot without a definition.
  size_t num_static_slots() const noexcept;

  /// Finds out how the elements of messages are converted.
  void add_plans(signature& sig, std::vector<evolution::plan*> plans);

  ec fail_with(detail::failure x);

  /// Updates what `locate_short` looks at.
  void update_short_slots() noexcept;

  ec read_known_type(input_cursor& in);

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

  /// Signature slots that `locate_short` may find: none if the stream is broken.
  size_t short_slots_ = 0;
  /// The largest payload that `locate_short` may find.
  size_t short_size_;

  std::vector<type_slot> type_slots_;
  /// How many of them do not end with a reset.
  size_t num_known_slots_ = 0;
  std::vector<signature> signatures_;
  size_t definitions_ = 0;
  /// Exists as soon as the peer has defined another version of a type.
  std::unique_ptr<detail::type_converter> converter_;

  bool error_is_set_ = false;
  caf::error last_error_;
};

} // namespace cafwire
