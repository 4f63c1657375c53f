// This file is part of cafwire. See the file LICENSE for license terms.

#include "dump/recording_walk.hpp"

#include <cafwire/layout/schema.hpp>
#include <cafwire/session/session_options.hpp>

#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace cafwire::dump {

namespace {

/// Streams of one file. Each of them takes memory for its tables.
constexpr size_t max_streams = 65536;

/// Reads the definitions of a chunk of the kind `types`. They are those of a session, but longer.
outcome read_types(std::span<const std::byte> body, uint64_t offset,
                   std::vector<stream_type_ptr>& types) {
  input_cursor in{body};
  auto bad = [&](const char* text) {
    return damage{ec::invalid_definition, text, offset + in.offset()};
  };
  while (!in.at_end()) {
    auto start = in.offset();
    uint16_t head = 0;
    std::string_view definition;
    if (in.read_integer(head) != ec::none
        || head != static_cast<unsigned>(record_kind::type_definition) << 8
        || in.read_string(definition) != ec::none)
      return bad("no type definition");
    input_cursor inner{std::as_bytes(std::span{definition})};
    uint64_t slot = 0;
    std::string_view name;
    uint64_t fingerprint = 0;
    std::string_view schema;
    for (auto code : {inner.read_varint(slot), inner.read_string(name),
                      inner.read_integer(fingerprint), inner.read_string(schema)})
      if (code != ec::none)
        return bad("a type definition ends early");
    if (!inner.at_end() || slot != max_core_slot + 1 + types.size() || name.empty()
        || layout::fingerprint_of(schema) != fingerprint)
      return bad("a type definition is malformed");
    types.push_back(make_stream_type(std::string{name}, fingerprint, schema, in.offset() - start));
  }
  return {};
}

/// A stream of the file.
struct stream_state {
  explicit stream_state(listener& out)
    : directory(std::make_shared<type_directory>()),
      directions{stream_decoder{out, directory}, stream_decoder{out, directory}} {
    // nop
  }

  /// A link needs no definitions if both sides have the same registry.
  void compare_registries() {
    auto hashes = std::pair{directions[0].registry_hash(), directions[1].registry_hash()};
    if (compared || !hashes.first || !hashes.second)
      return;
    compared = true;
    if (hashes.first == hashes.second)
      for (auto& direction : directions)
        direction.know(types);
  }

  std::optional<recorded_stream> info;
  std::vector<stream_type_ptr> types;
  std::shared_ptr<type_directory> directory;
  stream_decoder directions[2];
  bool compared = false;
};

class walk {
public:
  explicit walk(listener& out) : out_(out) {
    // nop
  }

  outcome handle(const recording_chunk& chunk) {
    out_.on_chunk(chunk);
    auto where = place{chunk.stream, chunk.direction, chunk.time, chunk.offset + chunk_header_size};
    auto bad = [&](ec code, std::string text) {
      return damage{code, std::move(text), where.offset};
    };
    if (chunk.kind == chunk_kind::end)
      return {};
    if (!streams_.contains(chunk.stream) && streams_.size() >= max_streams)
      return bad(ec::table_full, "too many streams");
    auto& stream = streams_.try_emplace(chunk.stream, out_).first->second;
    if (lost_) {
      stream.directions[0].lose_track();
      stream.directions[1].lose_track();
    }
    if (chunk.kind == chunk_kind::stream) {
      recorded_stream info;
      if (auto code = read_recorded_stream(chunk.body, info); code != ec::none)
        return bad(code, "a stream");
      if (stream.info)
        return bad(ec::invalid_definition, "a stream that was there before");
      stream.info = info;
      out_.on_stream(where, info, chunk.body);
      return {};
    }
    if (!stream.info)
      return bad(ec::unknown_slot, "stream " + std::to_string(chunk.stream) + " is not known");
    if (chunk.kind == chunk_kind::types) {
      std::vector<stream_type_ptr> types;
      if (auto problem = read_types(chunk.body, where.offset, types))
        return problem;
      for (auto& type : types)
        stream.directory->add(type);
      out_.on_types(where, types, chunk.body);
      stream.types = std::move(types);
      if (stream.info->uses_known_types)
        for (auto& direction : stream.directions)
          direction.know(stream.types);
      return {};
    }
    auto& direction = stream.directions[static_cast<size_t>(chunk.direction)];
    if (stream.info->content == stream_content::session)
      return direction.read_session(where, chunk.body);
    auto problem = direction.read_link(where, chunk.body);
    stream.compare_registries();
    return problem;
  }

  void lose_track() {
    lost_ = true;
    for (auto& [number, stream] : streams_)
      for (auto& direction : stream.directions)
        direction.lose_track();
  }

private:
  listener& out_;
  std::map<uint32_t, stream_state> streams_;
  bool lost_ = false;
};

std::string text_of(const damage& x) {
  auto result = "offset " + std::to_string(x.offset) + ": " + to_string(x.code);
  return x.text.empty() ? result : result + " (" + x.text + ')';
}

} // namespace

bool walk_recording(const std::string& path, listener& out, bool resync,
                    const std::function<void(const std::string&)>& on_damage) {
  recording_reader reader;
  if (auto reason = reader.open(path); !reason.empty()) {
    on_damage(to_string(reason));
    return false;
  }
  auto whole = true;
  walk state{out};
  recording_chunk chunk;
  while (!reader.at_end()) {
    if (auto reason = reader.next(chunk); !reason.empty()) {
      on_damage(to_string(reason));
      whole = false;
      if (!resync || !reader.resync())
        return false;
      state.lose_track();
      on_damage("going on at offset " + std::to_string(reader.offset()));
      continue;
    }
    if (auto bad = state.handle(chunk)) {
      on_damage(text_of(*bad));
      whole = false;
      if (!resync)
        return false;
      state.lose_track();
    }
  }
  return whole;
}

} // namespace cafwire::dump
