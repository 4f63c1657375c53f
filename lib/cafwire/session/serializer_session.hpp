// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"
#include "cafwire/fwd.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/message_codec.hpp"
#include "cafwire/session/address_index.hpp"
#include "cafwire/session/session_options.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/type_id_list.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace cafwire {

/// The writing end of an ordered, reliable stream of messages. Tells the reader about each type and
/// each list of types once, right before the first message that needs it, and refers to them by
/// number afterwards. Nothing comes back from the reader.
///
/// Records are appended to buffers of the caller. Alignment counts from the begin of the buffer, so
/// the reader must see the same boundaries: hand each buffer over whole (as one frame, file or
/// datagram), or put frames of a multiple of 16 bytes into one buffer.
///
/// Belongs to one owner: not thread-safe. In steady state it takes no locks and allocates nothing.
class serializer_session {
public:
  explicit serializer_session(known_types_ptr types = known_types::global(),
                              session_options options = {});

  serializer_session(const serializer_session&) = delete;

  serializer_session& operator=(const serializer_session&) = delete;

  ~serializer_session();

  // -- writing ------------------------------------------------------------------------------------

  /// Appends a message with some values. All of them need a type ID.
  /// @returns the cause if that fails; session and buffer are as before then.
  template <class... Ts>
  [[nodiscard]] CAFWIRE_INLINE ec write(output_buffer& out, const Ts&... xs) noexcept {
    if constexpr (detail::maybe_images_v<Ts...>) {
      if ((layout::may_blit_save<Ts>() && ...) && write_short(out, xs...)) [[likely]]
        return ec::none;
      return write_any(out, xs...);
    } else if constexpr ((detail::directly_saving<Ts> && ...)) {
      return write_short(out, xs...) ? ec::none : write_long(out, xs...);
    } else {
      return write_any(out, xs...);
    }
  }

  /// Appends a message.
  /// @returns the cause if that fails; session and buffer are as before then.
  [[nodiscard]] ec write_message(output_buffer& out, const caf::message& msg) noexcept;

  /// Encodes the payload of a message into an empty buffer, for `write_head`, a `raw_message` as
  /// the one that it was. Uses nothing that other functions change: thread-safe.
  /// @param handles what writes actor handles, in place of the codec of the options.
  /// @param reason receives all that is known about an error.
  [[nodiscard]] ec encode_payload(output_buffer& payload, const caf::message& msg,
                                  handle_codec* handles, caf::error& reason) const noexcept;

  /// Appends all of a message but its payload, which must follow right behind: in the same buffer,
  /// or in the same frame if the payload has a buffer of its own.
  /// @returns the cause if that fails; session and buffer are as before then.
  [[nodiscard]] ec write_head(output_buffer& out, const caf::message& msg,
                              size_t payload_size) noexcept;

  /// Appends a message whose types are not known here, as the message that it was.
  /// @returns the cause if that fails; session and buffer are as before then.
  [[nodiscard]] ec write_raw(output_buffer& out, const raw_message& msg) noexcept;

  /// Forgets all definitions, on both sides: the next record tells the reader to do so. The session
  /// does this by itself when a table is full.
  void reset() noexcept;

  // -- properties ---------------------------------------------------------------------------------

  const known_types& types() const noexcept {
    return *types_;
  }

  /// Returns whether both sides hold the same registry, so that types need no definitions.
  bool uses_known_types() const noexcept {
    return static_slots_;
  }

  /// Returns how many types and signatures have been defined on the wire so far.
  size_t definitions() const noexcept {
    return definitions_;
  }

  /// Returns how many bytes these definitions took, resets included.
  size_t definition_bytes() const noexcept {
    return definition_bytes_;
  }

  /// Returns how many bytes of definitions the last message would have needed without a session: as
  /// the only message for a reader that knows nothing. Costs one look into a table.
  /// @param ids the types of the message.
  /// @pre a message with these types was written, and nothing since
  size_t definition_bytes_alone(caf::type_id_list ids) const noexcept {
    auto slot = index_.find(ids.data());
    return signatures_[(slot != 0 ? slot : last_raw_slot_) - 1].bytes_alone;
  }

  /// Returns the error of the last call that failed, with all that is known about it.
  const caf::error& last_error() const noexcept {
    return last_error_;
  }

private:
  /// Slots and lengths below this take one byte.
  static constexpr size_t short_limit = detail::short_limit;

  struct signature {
    caf::type_id_list ids = caf::make_type_id_list();
    /// Whether the list of types is that of a `raw_message`, and `ids` is empty.
    bool is_raw = false;
    /// What `definition_bytes_alone` returns.
    uint32_t bytes_alone = 0;
    uint32_t slot = 0;
    /// Where the types start in `signature_types_`.
    uint32_t first_type = 0;
    /// The size of the last payload: the best guess for the next one.
    size_t expected_size = 0;
    /// Slot and expected size if they take a byte each, as those of small messages do; otherwise
    /// zeros.
    std::byte head[2] = {};

    void expect(size_t size) noexcept {
      auto is_short = slot < short_limit && size < short_limit;
      expected_size = size;
      head[0] = static_cast<std::byte>(is_short ? slot : 0);
      head[1] = static_cast<std::byte>(is_short ? size : 0);
    }
  };

  /// Where a record stands in the buffer while its payload is written.
  struct open_record {
    size_t length_offset;
    size_t payload;
  };

  /// Appends a message that has been defined before and is so small that its slot and its length
  /// take a byte each, if its values need no serializer. Reads and changes the size of the buffer
  /// only once, because messages in a row wait for it.
  /// @returns whether that was possible; nothing has changed if not.
  template <class... Ts>
  CAFWIRE_INLINE bool write_short(output_buffer& out, const Ts&... xs) noexcept {
    auto slot = index_.find(caf::make_type_id_list<Ts...>().data());
    if (slot - 1 >= short_limit - 1) [[unlikely]]
      return false;
    auto written = false;
    std::ignore = detail::without_exceptions([&]() CAFWIRE_INLINE_LAMBDA {
      written = detail::save_short_record(out, static_cast<std::byte>(slot), xs...);
      return ec::none;
    });
    return written;
  }

  /// Returns the slot of a list of types if a message with it was small the last time and there is
  /// room for the header of another one, otherwise 0.
  CAFWIRE_INLINE uint32_t find_short(output_buffer& out, caf::type_id_list ids) noexcept {
    auto slot = index_.find(ids.data());
    auto found = slot - 1 < short_limit - 1 && signatures_[slot - 1].head[0] != std::byte{0}
                 && out.reserve_more(sizeof(signature::head));
    return found ? slot : 0;
  }

  /// Appends a message that is small, most likely.
  /// @param slot what `find_short` returned.
  /// @param body writes the payload from the position `end` on, and sets `end` to where it ends.
  template <class Body>
  CAFWIRE_INLINE ec append_short(output_buffer& out, uint32_t slot, Body&& body) noexcept {
    auto start = out.size();
    auto payload = start + sizeof(signature::head);
    auto end = payload;
    auto code = detail::without_exceptions([&]() CAFWIRE_INLINE_LAMBDA { return body(end); });
    if (code == ec::none) [[likely]] {
      auto* head = out.data() + start;
      head[0] = static_cast<std::byte>(slot);
      head[1] = static_cast<std::byte>(end - payload);
      if (end - payload < short_limit) [[likely]] {
        out.set_size(end);
        return ec::none;
      }
      code = end_record(out, signatures_[slot - 1], {start + 1, payload}, end);
    }
    if (code != ec::none)
      roll_back(out, start, code);
    return code;
  }

  /// Appends a message of any kind. A function of its own in which everything is inlined, so that
  /// the position stays in a register from the header to the last byte.
  template <class... Ts>
  [[gnu::noinline, gnu::flatten]] ec write_any(output_buffer& out, const Ts&... xs) noexcept {
    auto slot = find_short(out, caf::make_type_id_list<Ts...>());
    if (slot == 0) [[unlikely]]
      return write_long(out, xs...);
    return append_short(out, slot, [&](size_t& end) CAFWIRE_INLINE_LAMBDA {
      return save_values(out, end, xs...);
    });
  }

  /// Appends a message that may be large or the first one of its kind.
  template <class... Ts>
  [[gnu::noinline, gnu::flatten]] ec write_long(output_buffer& out, const Ts&... xs) noexcept {
    return append(out, caf::make_type_id_list<Ts...>(),
                  [&](const signature&, size_t& end) CAFWIRE_INLINE_LAMBDA {
                    if constexpr ((detail::directly_saving<Ts> && ...)) {
                      if ((detail::may_save_directly(xs) && ...)) [[likely]] {
                        out.set_size(end);
                        if (!detail::save_directly(out, xs...)) [[unlikely]]
                          return ec::out_of_memory;
                        end = out.size();
                        return ec::none;
                      }
                    }
                    return save_values(out, end, xs...);
                  });
  }

  /// Appends a message that may be large or the first one of its kind.
  ec write_long_message(output_buffer& out, const caf::message& msg) noexcept;

  /// @param body writes the payload from the position `end` on, and sets `end` to where it ends.
  template <class Body>
  CAFWIRE_INLINE ec append(output_buffer& out, caf::type_id_list ids, Body&& body) noexcept {
    auto start = out.size();
    auto slot = index_.find(ids.data());
    auto is_new = slot == 0;
    auto code = detail::without_exceptions([&]() CAFWIRE_INLINE_LAMBDA {
      if (is_new) [[unlikely]] {
        slot = find_or_define(out, ids);
        if (slot == 0)
          return failed_code_;
      }
      auto& sig = signatures_[slot - 1];
      open_record record;
      if (!begin_record(out, sig, record)) [[unlikely]]
        return ec::out_of_memory;
      auto end = record.payload;
      auto result = body(sig, end);
      return result == ec::none ? end_record(out, sig, record, end) : result;
    });
    if (code != ec::none) [[unlikely]]
      roll_back(out, start, code);
    else if (is_new) [[unlikely]]
      commit();
    return code;
  }

  /// Writes a payload that needs a serializer.
  /// @param end where it starts, and where it ends afterwards.
  template <class Fn>
  CAFWIRE_INLINE ec save(output_buffer& out, size_t& end, Fn&& fn) {
    serializer f{out, end, options_.handles, types_.get()};
    // An inspect overload may ignore that a member of it failed.
    if (!fn(f) || f.failed()) [[unlikely]]
      return fail_with(f.take_failure());
    end += f.written();
    return ec::none;
  }

  template <class... Ts>
  CAFWIRE_INLINE ec save_values(output_buffer& out, size_t& end, const Ts&... xs) {
    return save(out, end,
                [&](serializer& f) CAFWIRE_INLINE_LAMBDA { return (f.apply(xs) && ...); });
  }

  /// Writes what stands in front of a payload, without declaring it as written: nothing in between
  /// has to wait for the size of the buffer.
  CAFWIRE_INLINE static bool begin_record(output_buffer& out, const signature& sig,
                                          open_record& record) noexcept {
    if (!out.reserve_more(2 * max_varint_size + layout::long_run_alignment)) [[unlikely]]
      return false;
    auto* base = out.data();
    auto start = out.size();
    if (sig.head[0] != std::byte{0}) [[likely]] {
      std::memcpy(base + start, sig.head, sizeof sig.head);
      record.payload = start + sizeof sig.head;
      record.length_offset = record.payload - 1;
      return true;
    }
    auto expected_size = sig.expected_size;
    auto* pos = write_varint(base + start, sig.slot);
    record.length_offset = static_cast<size_t>(pos - base);
    pos = write_varint(pos, expected_size);
    record.payload = static_cast<size_t>(pos - base);
    if (expected_size >= layout::long_run_bytes) [[unlikely]] {
      // Always sixteen bytes: the payload overwrites what is too much.
      std::memset(pos, 0, layout::long_run_alignment);
      record.payload = payload_offset(record.payload, expected_size);
    }
    return true;
  }

  /// Declares a record as written.
  /// @param end where its payload ends.
  CAFWIRE_INLINE static ec end_record(output_buffer& out, signature& sig, open_record record,
                                      size_t end) noexcept {
    auto size = end - record.payload;
    out.set_size(end);
    if (size == sig.expected_size) [[likely]]
      return ec::none;
    auto was_short = sig.head[0] != std::byte{0};
    sig.expect(size);
    if (was_short && size < short_limit) {
      out.data()[record.length_offset] = sig.head[1];
      return ec::none;
    }
    return move_payload(out, record, size);
  }

  /// Makes the header of a record fit a payload of another size than expected.
  static ec move_payload(output_buffer& out, open_record record, size_t size) noexcept;

  /// Returns the slot of a signature whose address is new, or 0 after setting `failed_code_`.
  uint32_t find_or_define(output_buffer& out, caf::type_id_list ids);

  /// Writes definitions and adds a signature to the table.
  uint32_t define(output_buffer& out, caf::type_id_list ids);

  /// Writes the definition of a signature and adds it to the table.
  /// @param slot_at returns the slots of its types.
  /// @param definition_size_at returns how many bytes define these types, without their slots.
  /// @returns its slot, or 0 after setting `failed_code_`.
  template <class SlotAt, class DefinitionSizeAt>
  uint32_t define_signature(output_buffer& out, signature entry, size_t num_types, SlotAt slot_at,
                            DefinitionSizeAt definition_size_at);

  /// Returns the slot of the signature of a raw message, or 0 after setting `failed_code_`.
  uint32_t find_or_define_raw(output_buffer& out, const raw_message& msg);

  /// Returns the slot of a type that may be unknown here, or 0 if it has none yet.
  uint32_t slot_of(const raw_type& type) const noexcept;

  bool define_type(output_buffer& out, const raw_type& type);

  bool define_type(output_buffer& out, uint32_t entry, std::string_view definition);

  /// Sends the reset that somebody has asked for.
  bool write_reset(output_buffer& out);

  /// Counts the definitions that a call has added.
  /// @param bytes what they take.
  void note_definitions(size_t bytes) noexcept {
    uncommitted_bytes_ += bytes;
    definition_bytes_ += bytes;
  }

  /// Returns the type of this program that equals a type of another one, or `nullptr`.
  const message_type* find_equal(const raw_type& type) const noexcept;

  /// Returns where the slot of an entry of `defined_` stands.
  uint32_t& slot_of_entry(uint32_t entry) noexcept;

  /// Returns the slot of a type, or 0 if it has none yet.
  uint32_t slot_of(const message_type& type) const noexcept;

  bool define_type(output_buffer& out, const message_type& type);

  /// Returns 0.
  uint32_t fail(ec code, std::string text = {});

  ec fail_with(detail::failure x);

  void commit() noexcept {
    uncommitted_types_ = 0;
    uncommitted_signatures_ = 0;
    uncommitted_bytes_ = 0;
    reset_written_ = false;
  }

  void roll_back(output_buffer& out, size_t start, ec code) noexcept;

  void forget() noexcept;

  known_types_ptr types_;
  session_options options_;
  bool static_slots_;

  // -- the tables ---------------------------------------------------------------------------------

  /// CAF interns lists of types, so the address of a list stands for its content most of the time.
  detail::address_index index_;
  std::vector<signature> signatures_;
  /// The types of all signatures, one behind the other.
  std::vector<const message_type*> signature_types_;
  /// Slots of the types of the application, in the order of the registry.
  std::vector<uint32_t> slot_by_rank_;
  /// All types that were defined, in the order of their slots: a rank, or `foreign_flag` and an
  /// index of `foreign_types_`.
  std::vector<uint32_t> defined_;

  /// A type that is not known here.
  struct foreign_type {
    std::string name;
    uint64_t fingerprint;
    uint32_t slot;
  };

  static constexpr uint32_t foreign_flag = uint32_t{1} << 31;

  std::vector<foreign_type> foreign_types_;

  /// A signature of raw messages.
  struct raw_signature {
    std::vector<uint32_t> types;
    uint32_t slot;
  };

  std::vector<raw_signature> raw_signatures_;
  /// That of the last raw message.
  uint32_t last_raw_slot_ = 0;

  // -- what the current call added ----------------------------------------------------------------

  size_t uncommitted_types_ = 0;
  size_t uncommitted_signatures_ = 0;
  size_t uncommitted_bytes_ = 0;
  bool reset_written_ = false;

  bool reset_pending_ = false;
  size_t definitions_ = 0;
  size_t definition_bytes_ = 0;

  ec failed_code_ = ec::none;
  bool error_is_set_ = false;
  caf::error last_error_;
};

} // namespace cafwire
