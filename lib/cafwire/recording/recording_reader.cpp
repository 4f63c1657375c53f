// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/recording/recording_reader.hpp"

#include "cafwire/wire/input_cursor.hpp"
#include "cafwire/wire/little_endian.hpp"

#include <caf/sec.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace cafwire {

namespace {

/// How often each byte of a file is read in vain before the search for whole chunks ends, on
/// average.
constexpr uint64_t reads_per_byte = 16;

caf::error error_at(ec code, uint64_t offset, const char* what) {
  return make_error_with_text(code, "offset " + std::to_string(offset) + ": " + what);
}

} // namespace

recording_reader::recording_reader(const limits& bounds) noexcept : bounds_(bounds) {
  // nop
}

recording_reader::~recording_reader() = default;

caf::error recording_reader::open(const std::string& path) {
  file_.reset(std::fopen(path.c_str(), "rbe"));
  if (file_ == nullptr)
    return caf::make_error(caf::sec::cannot_open_file, path);
  offset_ = 0;
  vain_bytes_ = 0;
  complete_ = false;
  auto end = std::fseek(file_.get(), 0, SEEK_END) == 0 ? std::ftell(file_.get()) : -1;
  // Folders and pipes have no size.
  if (end < 0 || end == std::numeric_limits<long>::max())
    return caf::make_error(caf::sec::cannot_open_file, path);
  size_ = static_cast<uint64_t>(end);
  std::byte header[recording_header_size];
  auto size = static_cast<size_t>(std::min<uint64_t>(size_, sizeof header));
  if (!read_at(0, header, size))
    return caf::make_error(caf::sec::cannot_open_file, path);
  if (std::memcmp(header, recording_magic.data(), std::min(size, recording_magic.size())) != 0
      || size == 0)
    return error_at(ec::invalid_frame, 0, "this is no recording");
  if (size < sizeof header)
    return error_at(ec::unexpected_end, 0, "the header is cut");
  auto version = load_little_endian<uint16_t>(header + recording_magic.size());
  if (version != recording_version)
    return error_at(ec::incompatible_version, recording_magic.size(), "an unknown version");
  auto* reserved = header + recording_magic.size() + sizeof version;
  if (std::any_of(reserved, header + sizeof header, [](auto x) { return x != std::byte{0}; }))
    return error_at(ec::invalid_frame, recording_magic.size() + sizeof version,
                    "a reserved byte is not zero");
  offset_ = recording_header_size;
  return {};
}

caf::error recording_reader::next(recording_chunk& chunk) {
  auto what = "";
  if (auto code = check(offset_, chunk, what); code != ec::none)
    return error_at(code, offset_, what);
  offset_ += chunk_header_size + chunk.body.size() + chunk_padding(chunk.body.size());
  complete_ = chunk.kind == chunk_kind::end;
  if (complete_ && offset_ != size_) {
    complete_ = false;
    return error_at(ec::trailing_bytes, offset_, "something behind the end of the recording");
  }
  return {};
}

bool recording_reader::resync() {
  recording_chunk chunk;
  auto what = "";
  constexpr size_t window = size_t{64} << 10;
  std::array<std::byte, window> bytes;
  auto first = (offset_ / chunk_alignment + 1) * chunk_alignment;
  for (auto base = first; base < size_; base += window) {
    auto size = static_cast<size_t>(std::min<uint64_t>(window, size_ - base));
    if (!read_at(base, bytes.data(), size))
      return false;
    for (size_t i = 0; i + chunk_magic.size() <= size; i += chunk_alignment) {
      if (std::memcmp(bytes.data() + i, chunk_magic.data(), chunk_magic.size()) == 0
          && check(base + i, chunk, what) == ec::none) {
        offset_ = base + i;
        return true;
      }
      // A file that is full of headers must not make us read its rest for each of them.
      if (vain_bytes_ > reads_per_byte * size_)
        return false;
    }
  }
  return false;
}

bool recording_reader::read_at(uint64_t offset, std::byte* out, size_t size) {
  return std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0
         && (size == 0 || std::fread(out, size, 1, file_.get()) == 1);
}

ec recording_reader::check(uint64_t offset, recording_chunk& chunk, const char*& what) {
  auto refuse = [&what](ec code, const char* text) {
    what = text;
    return code;
  };
  if (file_ == nullptr || offset >= size_)
    return refuse(ec::unexpected_end, "the recording was cut");
  std::byte header[chunk_header_size];
  if (size_ - offset < sizeof header)
    return refuse(ec::unexpected_end, "the header of a chunk is cut");
  if (!read_at(offset, header, sizeof header))
    return refuse(ec::unexpected_end, "the file cannot be read");
  if (std::memcmp(header, chunk_magic.data(), chunk_magic.size()) != 0)
    return refuse(ec::invalid_frame, "no chunk starts here");
  auto kind = load_little_endian<uint8_t>(header + 4);
  auto direction = load_little_endian<uint8_t>(header + 5);
  auto body_size = load_little_endian<uint32_t>(header + 8);
  if (size_ - offset - sizeof header < uint64_t{body_size} + chunk_padding(body_size))
    return refuse(ec::unexpected_end, "a chunk is cut, or its length is damaged");
  if (body_size > bounds_.max_frame_bytes)
    return refuse(ec::frame_too_large, "a chunk is too large");
  if (kind < static_cast<uint8_t>(chunk_kind::stream)
      || kind > static_cast<uint8_t>(chunk_kind::end)
      || direction > static_cast<uint8_t>(stream_direction::received)
      || (direction != 0 && kind != static_cast<uint8_t>(chunk_kind::data))
      || load_little_endian<uint16_t>(header + 6) != 0)
    return refuse(ec::invalid_frame, "a chunk of an unknown kind");
  auto padding = chunk_padding(body_size);
  body_.clear();
  if (!body_.reserve_more(body_size + padding))
    return refuse(ec::out_of_memory, "no memory for a chunk");
  if (!read_at(offset + sizeof header, body_.data(), body_size + padding))
    return refuse(ec::unexpected_end, "the file cannot be read");
  body_.set_size(body_size);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header, chunk_header_size - sizeof(uint64_t));
  XXH3_64bits_update(&state, body_.data(), body_size);
  if (XXH3_64bits_digest(&state) != load_little_endian<uint64_t>(header + 24)) {
    vain_bytes_ += body_size;
    return refuse(ec::invalid_frame, "a chunk is damaged: its hash is wrong");
  }
  for (size_t i = 0; i < padding; ++i)
    if (body_.data()[body_size + i] != std::byte{0})
      return refuse(ec::nonzero_padding, "a byte behind a chunk is not zero");
  chunk.kind = static_cast<chunk_kind>(kind);
  chunk.direction = static_cast<stream_direction>(direction);
  chunk.stream = load_little_endian<uint32_t>(header + 12);
  chunk.time = load_little_endian<int64_t>(header + 16);
  chunk.offset = offset;
  chunk.body = body_.bytes();
  return ec::none;
}

ec read_recorded_stream(std::span<const std::byte> body, recorded_stream& stream) {
  input_cursor in{body};
  auto content = uint8_t{0};
  auto flags = uint8_t{0};
  std::string_view label;
  for (auto code : {in.read_integer(content), in.read_integer(flags), in.read_string(label)})
    if (code != ec::none)
      return code;
  if (!in.at_end())
    return ec::trailing_bytes;
  if (content < static_cast<uint8_t>(stream_content::session)
      || content > static_cast<uint8_t>(stream_content::link))
    return ec::invalid_tag;
  if (flags > 1)
    return ec::invalid_bool;
  stream = {static_cast<stream_content>(content), flags == 1, std::string{label}};
  return ec::none;
}

} // namespace cafwire
