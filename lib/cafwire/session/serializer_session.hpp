// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/codec.hpp"
#include "cafwire/fwd.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/message_codec.hpp"
#include "cafwire/session/session_options.hpp"
#include "cafwire/wire/error.hpp"
#include "cafwire/wire/output_buffer.hpp"

#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/type_id_list.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
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
  [[nodiscard]] ec write(output_buffer& out, const Ts&... xs) noexcept {
    return append(out, caf::make_type_id_list<Ts...>(),
                  [&](serializer& f, const signature&) { return (f.apply(xs) && ...); });
  }

  /// Appends a message.
  /// @returns the cause if that fails; session and buffer are as before then.
  [[nodiscard]] ec write_message(output_buffer& out, const caf::message& msg) noexcept;

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

  /// Returns the error of the last call that failed, with all that is known about it.
  const caf::error& last_error() const noexcept {
    return last_error_;
  }

private:
  struct signature {
    caf::type_id_list ids;
    std::vector<const message_type*> types;
    uint32_t slot;
    /// The size of the last payload: the best guess for the next one.
    size_t expected_size;
  };

  /// Where a record stands in the buffer while its payload is written.
  struct open_record {
    size_t start;
    size_t length_offset;
    size_t payload;
  };

  template <class Body>
  ec append(output_buffer& out, caf::type_id_list ids, Body&& body) noexcept {
    auto start = out.size();
    auto code = detail::without_exceptions([&] {
      auto* sig = ids.data() == last_ids_ ? last_signature_ : find_or_define(out, ids);
      if (sig == nullptr) [[unlikely]]
        return failed_code_;
      open_record record;
      if (!begin_record(out, *sig, record)) [[unlikely]]
        return ec::out_of_memory;
      {
        serializer f{out, options_.handles};
        // An inspect overload may ignore that a member of it failed.
        if (!body(f, *sig) || f.failed()) [[unlikely]]
          return fail_with(f);
      }
      return end_record(out, *sig, record);
    });
    if (code != ec::none) [[unlikely]]
      roll_back(out, start, code);
    else
      commit();
    return code;
  }

  bool begin_record(output_buffer& out, const signature& sig, open_record& record) noexcept {
    record.start = out.size();
    if (!out.reserve_more(2 * max_varint_size + layout::long_run_alignment))
      return false;
    auto* base = out.data();
    auto* pos = write_varint(base + record.start, sig.slot);
    record.length_offset = static_cast<size_t>(pos - base);
    pos = write_varint(pos, sig.expected_size);
    record.payload = payload_offset(static_cast<size_t>(pos - base), sig.expected_size);
    for (auto* end = base + record.payload; pos != end; ++pos)
      *pos = std::byte{0};
    out.set_size(record.payload);
    return true;
  }

  ec end_record(output_buffer& out, signature& sig, const open_record& record) noexcept {
    auto size = out.size() - record.payload;
    if (size == sig.expected_size) [[likely]]
      return ec::none;
    sig.expected_size = size;
    return move_payload(out, record, size);
  }

  /// Makes the header of a record fit a payload of another size than expected.
  ec move_payload(output_buffer& out, const open_record& record, size_t size) noexcept;

  signature* find_or_define(output_buffer& out, caf::type_id_list ids);

  signature* define(output_buffer& out, caf::type_id_list ids);

  /// Returns the slot of a type, or 0 after setting `failed_code_`.
  uint32_t slot_of(output_buffer& out, const message_type& type);

  signature* fail(ec code, std::string text = {});

  ec fail_with(const serializer& f);

  void commit() noexcept {
    uncommitted_types_ = 0;
    uncommitted_signatures_ = 0;
    reset_written_ = false;
  }

  void roll_back(output_buffer& out, size_t start, ec code) noexcept;

  void forget() noexcept;

  known_types_ptr types_;
  session_options options_;
  bool static_slots_;

  // -- the tables ---------------------------------------------------------------------------------

  std::vector<uint32_t> slot_by_id_;
  std::vector<caf::type_id_t> defined_types_;
  std::deque<signature> signatures_;
  /// CAF interns lists of types, so the address of a list stands for its content most of the time.
  std::unordered_map<const void*, signature*> by_address_;

  // -- the last hit -------------------------------------------------------------------------------

  const void* last_ids_ = nullptr;
  signature* last_signature_ = nullptr;

  // -- what the current call added ----------------------------------------------------------------

  size_t uncommitted_types_ = 0;
  size_t uncommitted_signatures_ = 0;
  bool reset_written_ = false;

  bool reset_pending_ = false;
  size_t definitions_ = 0;

  ec failed_code_ = ec::none;
  bool error_is_set_ = false;
  caf::error last_error_;
};

} // namespace cafwire
