// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/fwd.hpp"

#include <caf/default_enum_inspect.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/is_error_code_enum.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// The first CAF type ID that cafwire uses for itself. Applications usually count up from
/// `caf::first_custom_type_id`; define another value for the whole program if 4000 is taken.
#ifndef CAFWIRE_FIRST_TYPE_ID
#  define CAFWIRE_FIRST_TYPE_ID 4000
#endif

namespace cafwire {

/// What went wrong. Each enumerator names a cause, not a place. Registered as a CAF error code, so
/// `caf::make_error(ec::depth_limit)` works and `caf::error` values compare with enumerators.
enum class ec : uint8_t {
  /// No error.
  none = 0,

  // -- malformed input ----------------------------------------------------------------------------

  /// The input ends inside of a value.
  unexpected_end,
  /// A length announces more elements than the rest of the input can hold.
  length_exceeds_input,
  /// A varint is not in its shortest form or does not fit into 64 bits.
  invalid_varint,
  /// A byte of type `bool` is neither 0 nor 1.
  invalid_bool,
  /// The `inspect` overload of an enum refuses the integer.
  invalid_enum,
  /// A `long double` is not a canonical x87 value.
  invalid_float,
  /// The index of a variant names no alternative.
  invalid_variant_index,
  /// A byte that must be zero (alignment in front of a long run, unused bits) is not.
  nonzero_padding,
  /// A set or map holds the same key twice.
  duplicate_key,
  /// The keys of an ordered set or map do not ascend.
  unordered_keys,
  /// A tag byte has no meaning.
  invalid_tag,
  /// The value ends before the input does.
  trailing_bytes,

  // -- limits -------------------------------------------------------------------------------------

  /// Values are nested deeper than `limits::max_depth`.
  depth_limit,
  /// More elements without bytes than `limits::max_unbacked_items`.
  unbacked_items_limit,
  /// The decoded value needs more memory than the limits allow.
  memory_limit,
  /// A frame is larger than `limits::max_frame_bytes`.
  frame_too_large,
  /// The system has no memory left.
  out_of_memory,

  // -- types --------------------------------------------------------------------------------------

  /// The peer sent a type whose name is not known here.
  unknown_type,
  /// A message holds a type that was not registered with `cafwire::init_global_meta_objects`.
  unregistered_type,
  /// The type is known here, but its fields differ from those of the peer.
  schema_mismatch,
  /// The next message holds other types than the reader asked for.
  unexpected_type,
  /// The type cannot leave its process.
  unsupported_type,
  /// An error of the peer belongs to an enum that is not known here.
  foreign_error,

  // -- inspection ---------------------------------------------------------------------------------

  /// An `inspect` overload returned `false` without setting an error.
  inspect_failed,
  /// The value of a field violates its invariant.
  invariant_failed,
  /// A setter or callback of an `inspect` overload refused the value.
  callback_failed,
  /// A variant holds no value.
  valueless_variant,
  /// An actor handle is written or read without a context that knows actors.
  no_actor_context,
  /// An actor handle names an actor that cannot be reached from here.
  unreachable_actor,

  // -- sessions -----------------------------------------------------------------------------------

  /// A message uses a slot that the peer has not defined.
  unknown_slot,
  /// The definition of a type or signature is malformed or out of order.
  invalid_definition,
  /// A table of the session is full.
  table_full,
  /// A frame is malformed: unknown kind, bad length, or nonzero reserved bits.
  invalid_frame,
  /// A frame belongs to another session.
  wrong_epoch,
  /// At least one frame is missing.
  sequence_gap,
  /// A frame arrived twice.
  sequence_repeat,

  // -- links --------------------------------------------------------------------------------------

  /// What answered does not speak cafwire.
  wrong_peer,
  /// Both sides speak cafwire, but have no protocol version in common.
  incompatible_version,
  /// The handshake did not finish in time.
  handshake_timeout,
  /// The connection ended before the handshake did.
  closed_during_handshake,
  /// The connection ended.
  connection_closed,
  /// The actor system was configured without `caf::io::middleman`, which gives it its node ID.
  io_module_missing,

  // -- later additions: the numbers of error codes travel, so new ones come last ------------------

  /// A `std::error_code` belongs to a category that is not known here.
  unknown_error_category,
  /// A pointer to a base refers to an object whose type is not in `cafwire::derived_types`.
  unknown_derived_type,
  /// A shared pointer refers to an object that is not complete: a cycle.
  reference_cycle,
  /// A shared pointer refers to an object that the message does not have.
  unknown_reference,
  /// A shared pointer refers to an object of another type.
  reference_type_mismatch,
  /// A copy and the fields of a value differ (only with `CAFWIRE_CHECK_FAST_PATH`).
  fast_path_mismatch,
  /// Too many bytes wait to be sent over a link (`link_options::max_buffered_bytes`).
  buffer_full,
  /// The caller has cancelled the work.
  cancelled,
  /// A value of another version of a type has no counterpart in the version that is known here.
  value_not_representable,
  /// Whoever can reach the address of a link must prove something: give `link_options::key`.
  /// Either the address is not the loopback interface, or the peer has a shared key and we do not.
  authentication_required,
  /// The peer does not prove that it has our shared key, but begins to talk.
  unauthenticated_peer,
  /// The peer has another shared key, or what it sent as a proof is none.
  authentication_failed,
  /// A shared key has fewer than 16 bytes.
  weak_key,
  /// A peer has told us about more actors than we are willing to know
  /// (`limits::max_remote_actors`).
  too_many_actors,
};

/// Returns the name of the enumerator.
std::string to_string(ec code);

/// Parses the name of an enumerator.
bool from_string(compat::string_view name, ec& code);

/// Converts an integer, refusing values without an enumerator.
bool from_integer(uint8_t value, ec& code);

template <class Inspector>
bool inspect(Inspector& f, ec& x) {
  return caf::default_enum_inspect(f, x);
}

/// Builds an error with a text for humans. Falls back to the bare code if CAF's meta objects are
/// not set up yet.
caf::error make_error_with_text(ec code, std::string text);

} // namespace cafwire

CAF_BEGIN_TYPE_ID_BLOCK(cafwire, CAFWIRE_FIRST_TYPE_ID)

  CAF_ADD_TYPE_ID(cafwire, (cafwire::ec))
  CAF_ADD_TYPE_ID(cafwire, (cafwire::shared_bytes))
  CAF_ADD_TYPE_ID(cafwire, (cafwire::raw_message))

CAF_END_TYPE_ID_BLOCK(cafwire)

CAF_ERROR_CODE_ENUM(cafwire::ec)
