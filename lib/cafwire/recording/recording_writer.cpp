// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/recording/recording_writer.hpp"

#include "cafwire/session/session_options.hpp"
#include "cafwire/wire/append.hpp"
#include "cafwire/wire/little_endian.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace cafwire {

namespace {

/// The size of a body has 32 bits, and zero bytes may follow.
constexpr size_t max_body_size = UINT32_MAX - chunk_alignment;

int64_t now() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

/// Returns the definitions of all types. Unlike those of a session, they always have a schema.
std::string definitions_of(const known_types& types) {
  std::string result;
  uint64_t slot = max_core_slot;
  for (auto* type : types.ranked()) {
    std::string body;
    append_varint(body, ++slot);
    append_string(body, type->name);
    append_u64(body, type->schema().fingerprint);
    append_string(body, type->schema().text);
    result += '\0';
    result += static_cast<char>(record_kind::type_definition);
    append_string(result, body);
  }
  return result;
}

} // namespace

recording_writer::~recording_writer() {
  close();
}

std::error_code recording_writer::open(const std::string& path) {
  std::lock_guard guard{mutex_};
  file_.reset(std::fopen(path.c_str(), "wbxe"));
  if (file_ == nullptr)
    return status_ = std::error_code{errno, std::generic_category()};
  status_.clear();
  streams_ = 0;
  std::byte header[recording_header_size] = {};
  std::memcpy(header, recording_magic.data(), recording_magic.size());
  store_little_endian(header + recording_magic.size(), recording_version);
  put(header, sizeof header);
  return status_;
}

uint32_t recording_writer::add_stream(stream_content content, std::string_view label,
                                      const known_types& types, bool uses_known_types) {
  std::string head{static_cast<char>(content), uses_known_types ? '\1' : '\0'};
  append_string(head, label);
  auto definitions = definitions_of(types);
  std::lock_guard guard{mutex_};
  auto result = streams_++;
  put_chunk(chunk_kind::stream, result, stream_direction::sent, std::as_bytes(std::span{head}));
  put_chunk(chunk_kind::types, result, stream_direction::sent,
            std::as_bytes(std::span{definitions}));
  return result;
}

std::error_code recording_writer::write(uint32_t stream, stream_direction direction,
                                        std::span<const std::byte> bytes) {
  std::lock_guard guard{mutex_};
  // Pieces of records make no sense, so nothing can be cut here.
  if (bytes.size() > max_body_size && !status_)
    status_ = std::make_error_code(std::errc::message_size);
  if (!bytes.empty())
    put_chunk(chunk_kind::data, stream, direction, bytes);
  return status_;
}

std::error_code recording_writer::close() {
  std::lock_guard guard{mutex_};
  if (file_ != nullptr) {
    put_chunk(chunk_kind::end, 0, stream_direction::sent, {});
    if (std::fclose(file_.release()) != 0 && !status_)
      status_ = std::error_code{errno, std::generic_category()};
  }
  return status_;
}

std::error_code recording_writer::status() const {
  std::lock_guard guard{mutex_};
  return status_;
}

void recording_writer::put(const void* data, size_t size) {
  if (status_)
    return;
  if (file_ == nullptr)
    status_ = std::make_error_code(std::errc::bad_file_descriptor);
  else if (size != 0 && std::fwrite(data, size, 1, file_.get()) != 1)
    status_ = std::error_code{errno, std::generic_category()};
}

void recording_writer::put_chunk(chunk_kind kind, uint32_t stream, stream_direction direction,
                                 std::span<const std::byte> body) {
  if (status_)
    return;
  std::byte header[chunk_header_size] = {};
  std::memcpy(header, chunk_magic.data(), chunk_magic.size());
  header[4] = static_cast<std::byte>(kind);
  header[5] = static_cast<std::byte>(direction);
  store_little_endian(header + 8, static_cast<uint32_t>(body.size()));
  store_little_endian(header + 12, stream);
  store_little_endian(header + 16, static_cast<uint64_t>(now()));
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header, chunk_header_size - sizeof(uint64_t));
  XXH3_64bits_update(&state, body.data(), body.size());
  store_little_endian(header + 24, static_cast<uint64_t>(XXH3_64bits_digest(&state)));
  const std::byte zeros[chunk_alignment] = {};
  put(header, sizeof header);
  put(body.data(), body.size());
  put(zeros, chunk_padding(body.size()));
  if (!status_ && std::fflush(file_.get()) != 0)
    status_ = std::error_code{errno, std::generic_category()};
}

} // namespace cafwire
