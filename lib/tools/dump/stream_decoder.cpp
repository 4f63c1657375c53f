// This file is part of cafwire. See the file LICENSE for license terms.

#include "dump/stream_decoder.hpp"

#include <cafwire/layout/schema.hpp>
#include <cafwire/message/known_types.hpp>
#include <cafwire/session/session_options.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace cafwire::dump {

namespace {

constexpr auto bounds = limits::untrusted();

/// A recording may be larger than what a peer would accept.
constexpr auto any_size = limits::trusted();

/// So many types in a row may be missing where something was lost: a few bytes must not make tables
/// large.
constexpr uint64_t max_lost_types = 256;

constexpr std::string_view link_magic = "cafwire\n";

constexpr std::string_view operations[] = {"",     "message", "monitor", "down",
                                           "link", "unlink",  "release"};

/// Reads the ID or the number of an actor.
ec read_number(input_cursor& in, uint64_t& x) noexcept {
  auto code = in.read_varint(x);
  return code == ec::none && x >= uint64_t{1} << 63 ? ec::invalid_varint : code;
}

std::span<const std::byte> between(const std::byte* first, const std::byte* last) noexcept {
  return {first, last};
}

} // namespace

stream_decoder::stream_decoder(listener& out, std::shared_ptr<type_directory> types)
  : out_(out), directory_(std::move(types)) {
  // nop
}

void stream_decoder::know(const std::vector<stream_type_ptr>& types) {
  known_ = types;
  types_ = types;
}

outcome stream_decoder::fail(const input_cursor& in, ec code, std::string text) const {
  return damage{code, std::move(text), at(in.position()).offset};
}

place stream_decoder::at(const std::byte* position) const {
  auto result = where_;
  result.offset += static_cast<uint64_t>(position - base_);
  return result;
}

// -- sessions -------------------------------------------------------------------------------------

outcome stream_decoder::read_session(const place& where, std::span<const std::byte> body) {
  where_ = where;
  base_ = body.data();
  input_cursor in{body};
  auto was_message = false;
  while (!in.at_end())
    if (auto bad = read_record(in, nullptr, was_message))
      return bad;
  return {};
}

outcome stream_decoder::read_record(input_cursor& in, const link_head* head, bool& was_message) {
  auto* start = in.position();
  uint64_t slot = 0;
  if (auto code = in.read_varint(slot); code != ec::none)
    return fail(in, code, "a record");
  was_message = slot != 0;
  return was_message ? read_message(in, head, start, slot) : read_control(in, start);
}

outcome stream_decoder::read_control(input_cursor& in, const std::byte* start) {
  auto kind = uint8_t{0};
  if (auto code = in.read_integer(kind); code != ec::none)
    return fail(in, code, "a control record");
  if (kind == static_cast<uint8_t>(record_kind::reset)) {
    types_ = known_;
    signatures_.clear();
    last_signature_ = 0;
    out_.on_reset(at(start), between(start, in.position()));
    return {};
  }
  uint64_t size = 0;
  if (auto code = in.read_varint(size); code != ec::none)
    return fail(in, code, "a definition");
  if (size > max_definition_size)
    return fail(in, ec::invalid_definition, "a definition is too large");
  if (size > in.remaining())
    return fail(in, ec::unexpected_end, "a definition");
  auto body = in;
  in.advance(static_cast<size_t>(size));
  auto* end = in.position();
  outcome bad;
  if (kind == static_cast<uint8_t>(record_kind::type_definition))
    bad = define_type(body, start);
  else if (kind == static_cast<uint8_t>(record_kind::signature_definition))
    bad = define_signature(body, start);
  else
    bad = fail(body, ec::invalid_definition, "an unknown kind of record");
  if (!bad && body.position() != end)
    bad = fail(body, ec::invalid_definition, "a definition has the wrong length");
  return bad;
}

outcome stream_decoder::define_type(input_cursor& in, const std::byte* start) {
  uint64_t slot = 0;
  std::string_view name;
  uint64_t fingerprint = 0;
  std::string_view schema;
  for (auto code : {in.read_varint(slot), in.read_string(name), in.read_integer(fingerprint),
                    in.read_string(schema)})
    if (code != ec::none)
      return fail(in, ec::invalid_definition, "a type definition ends early");
  auto next = max_core_slot + 1 + types_.size();
  if (lost_ && slot > next && slot - next <= max_lost_types) {
    auto lost = make_stream_type("a lost type", 0, {}, 0);
    types_.resize(static_cast<size_t>(slot) - max_core_slot - 1, lost);
    next = static_cast<size_t>(slot);
  }
  if (slot != next)
    return fail(in, ec::invalid_definition,
                "type slot " + std::to_string(slot) + " instead of " + std::to_string(next));
  if (name.empty())
    return fail(in, ec::invalid_definition, "a type has no name");
  if (types_.size() - known_.size() >= bounds.max_type_slots)
    return fail(in, ec::table_full, "too many types");
  if (!schema.empty() && layout::fingerprint_of(schema) != fingerprint)
    return fail(in, ec::invalid_definition, "the fingerprint is not that of the schema");
  auto bytes = between(start, in.position());
  auto type = make_stream_type(std::string{name}, fingerprint, schema, bytes.size());
  if (type->tree.empty())
    if (auto known = directory_->find(name, fingerprint))
      type = known;
  directory_->add(type);
  types_.push_back(type);
  out_.on_type(at(start), slot, *type, bytes);
  return {};
}

outcome stream_decoder::define_signature(input_cursor& in, const std::byte* start) {
  auto result = stream_signature{};
  uint64_t count = 0;
  if (in.read_varint(result.slot) != ec::none || in.read_varint(count) != ec::none
      || count > in.remaining() || count > UINT16_MAX)
    return fail(in, ec::invalid_definition, "a signature definition ends early");
  auto next = last_signature_ + 1;
  if (lost_ && result.slot > next && result.slot <= bounds.max_signature_slots)
    next = result.slot;
  if (result.slot != next)
    return fail(in, ec::invalid_definition,
                "signature slot " + std::to_string(result.slot) + " instead of "
                  + std::to_string(next));
  if (last_signature_ >= bounds.max_signature_slots)
    return fail(in, ec::table_full, "too many signatures");
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t slot = 0;
    if (in.read_varint(slot) != ec::none || slot == 0)
      return fail(in, ec::invalid_definition, "a signature definition is malformed");
    result.slots.push_back(slot);
    if (slot <= max_core_slot)
      result.types.push_back(type_directory::core(slot));
    else if (slot - max_core_slot - 1 < types_.size())
      result.types.push_back(types_[static_cast<size_t>(slot) - max_core_slot - 1]);
    else if (lost_)
      result.types.push_back(make_stream_type("a lost type", 0, {}, 0));
    else
      return fail(in, ec::unknown_slot, "type slot " + std::to_string(slot));
  }
  auto bytes = between(start, in.position());
  result.definition_size = bytes.size();
  last_signature_ = result.slot;
  auto& signature = signatures_[last_signature_] = std::move(result);
  out_.on_signature(at(start), signature, bytes);
  return {};
}

outcome stream_decoder::read_message(input_cursor& in, const link_head* head,
                                     const std::byte* start, uint64_t slot) {
  uint64_t size = 0;
  if (auto code = in.read_varint(size); code != ec::none)
    return fail(in, code, "the length of a message");
  auto signature = signatures_.find(slot);
  if (signature == signatures_.end())
    return fail(in, ec::unknown_slot, "signature slot " + std::to_string(slot));
  if (size >= layout::long_run_bytes)
    if (auto code = in.skip_alignment(); code != ec::none)
      return fail(in, code, "in front of a message");
  if (size > in.remaining())
    return fail(in, ec::unexpected_end, "a message");
  auto msg = found_message{};
  msg.signature = &signature->second;
  msg.head = head;
  msg.payload = {in.position(), static_cast<size_t>(size)};
  in.advance(static_cast<size_t>(size));
  msg.record = between(start, in.position());
  msg.types = directory_.get();
  out_.on_message(at(start), msg);
  return {};
}

// -- links ----------------------------------------------------------------------------------------

outcome stream_decoder::read_link(const place& where, std::span<const std::byte> body) {
  where_ = where;
  base_ = body.data();
  while (!body.empty()) {
    input_cursor in{body};
    if (body.size() < frame_header_size)
      return fail(in, ec::unexpected_end, "the header of a frame");
    frame_header header;
    if (auto code = read_frame_header(body, any_size, header); code != ec::none)
      return fail(in, code, "the header of a frame");
    if (body.size() < frame_size(header.body_size))
      return fail(in, ec::unexpected_end, "a frame");
    auto frame = body.first(frame_size(header.body_size));
    if (auto code = check_frame_padding(frame, header.body_size); code != ec::none)
      return fail(in, code, "behind a frame");
    out_.on_frame(at(body.data()), header, frame);
    in = input_cursor{frame.subspan(frame_header_size, header.body_size)};
    if (!frames_ && (header.kind == frame_kind::handshake || !lost_)) {
      if (auto bad = read_handshake(in, header))
        return bad;
    } else {
      if (header.kind != frame_kind::records)
        return fail(in, ec::invalid_frame, "a second handshake");
      if (lost_)
        frames_.emplace(header.epoch, header.sequence);
      if (auto code = frames_->accept(header); code != ec::none)
        return fail(in, code, "frame " + std::to_string(header.sequence));
      while (!in.at_end())
        if (auto bad = read_link_record(in))
          return bad;
    }
    body = body.subspan(frame.size());
  }
  return {};
}

outcome stream_decoder::read_handshake(input_cursor& in, const frame_header& header) {
  constexpr size_t preamble = link_magic.size() + 2 * sizeof(uint16_t);
  if (header.kind != frame_kind::handshake || header.sequence != 0 || in.remaining() < preamble
      || std::memcmp(in.position(), link_magic.data(), link_magic.size()) != 0)
    return fail(in, ec::wrong_peer, "no handshake");
  in.advance(link_magic.size());
  uint16_t versions[2] = {};
  std::ignore = in.read_integer(versions[0]);
  std::ignore = in.read_integer(versions[1]);
  if (versions[0] > 1 || versions[1] < 1)
    return fail(in, ec::incompatible_version, "another version of the protocol");
  auto content = between(in.position(), in.end());
  static const auto schema = make_stream_type("handshake", 0, handshake_schema, 0);
  layout::value_walker walker{input_cursor{content}, bounds, directory_.get()};
  if (!walker.skip(schema->tree.root()))
    return fail(walker.cursor(), walker.code(), "in the handshake");
  if (!walker.cursor().at_end())
    return fail(walker.cursor(), ec::trailing_bytes, "behind the handshake");
  uint64_t epoch = 0;
  uint64_t hash = 0;
  std::ignore = in.read_integer(epoch);
  std::ignore = in.read_integer(hash);
  uint64_t max_frame_bytes = 0;
  std::ignore = in.read_integer(max_frame_bytes);
  if (*in.position() == std::byte{0})
    return fail(in, ec::wrong_peer, "a handshake without a node");
  if (header.epoch != static_cast<uint32_t>(epoch))
    return fail(in, ec::wrong_epoch, "in the handshake");
  registry_hash_ = hash;
  frames_.emplace(epoch, 1);
  out_.on_handshake(at(content.data()), versions[0], versions[1], content);
  return {};
}

outcome stream_decoder::read_head(input_cursor& in, link_head& head) {
  constexpr uint8_t has_source = 0x08;
  constexpr uint8_t has_id = 0x10;
  constexpr uint8_t returned_source = 0x20;
  constexpr uint8_t relayed_target = 0x40;
  constexpr uint8_t relayed_source = 0x80;
  auto first = uint8_t{0};
  std::ignore = in.read_integer(first);
  auto op = static_cast<size_t>(first & 0x07);
  if (op == 0 || op >= std::size(operations))
    return fail(in, ec::invalid_tag, "an unknown kind of record");
  if ((first & has_source) == 0 && (first & (returned_source | relayed_source)) != 0)
    return fail(in, ec::invalid_tag, "flags of a source that is not there");
  head.op = operations[op];
  head.returned_source = (first & returned_source) != 0;
  head.relayed_target = (first & relayed_target) != 0;
  head.relayed_source = (first & relayed_source) != 0;
  auto code = read_number(in, head.target);
  if (code == ec::none && (first & has_source) != 0)
    code = read_number(in, head.source.emplace());
  if (code == ec::none && (first & has_id) != 0) {
    uint64_t rotated = 0;
    code = in.read_varint(rotated);
    head.id = std::rotr(rotated, 4);
  }
  if (code != ec::none)
    return fail(in, code, "the head of a record");
  if (head.relayed_source && !head.returned_source)
    if (auto bad = read_identity(in, head))
      return bad;
  if (head.op == "release")
    if (code = in.read_varint(head.seen.emplace()); code != ec::none)
      return fail(in, code, "a release");
  return {};
}

outcome stream_decoder::read_identity(input_cursor& in, link_head& head) {
  std::string_view content;
  if (auto code = in.read_string(content); code != ec::none)
    return fail(in, code, "where a source lives");
  head.identity = std::as_bytes(std::span{content});
  static const auto schema = make_stream_type("identity", 0, identity_schema, 0);
  layout::value_walker walker{input_cursor{head.identity}, bounds, nullptr};
  if (!walker.skip(schema->tree.root()))
    return fail(walker.cursor(), walker.code(), "where a source lives");
  if (!walker.cursor().at_end())
    return fail(walker.cursor(), ec::trailing_bytes, "where a source lives");
  return {};
}

outcome stream_decoder::read_link_record(input_cursor& in) {
  auto* start = in.position();
  auto head = link_head{};
  if (auto bad = read_head(in, head))
    return bad;
  out_.on_head(at(start), head, between(start, in.position()));
  if (head.op == "message") {
    auto was_message = false;
    while (!was_message)
      if (auto bad = read_record(in, &head, was_message))
        return bad;
  } else if (head.op == "down") {
    std::string_view reason;
    if (auto code = in.read_string(reason); code != ec::none)
      return fail(in, code, "an exit reason");
    auto bytes = std::as_bytes(std::span{reason});
    out_.on_reason(at(bytes.data()), head, bytes, *directory_);
  }
  return {};
}

} // namespace cafwire::dump
