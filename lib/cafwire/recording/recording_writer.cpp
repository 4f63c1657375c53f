// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/recording/recording_writer.hpp"

#include "cafwire/session/session_options.hpp"
#include "cafwire/wire/varint.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace cafwire {

namespace {

/// The size of a body has 32 bits, and zero bytes may follow.
constexpr size_t max_body_size = UINT32_MAX - chunk_alignment;

template <class T>
void store(std::byte* out, T x) noexcept {
  for (size_t i = 0; i < sizeof(T); ++i)
    out[i] = static_cast<std::byte>(x >> (8 * i));
}

int64_t now() noexcept {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

class text_builder {
public:
  void varint(uint64_t x) {
    std::byte bytes[max_varint_size];
    auto* end = write_varint(bytes, x);
    text_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
  }

  void string(std::string_view x) {
    varint(x.size());
    text_ += x;
  }

  void byte(uint8_t x) {
    text_ += static_cast<char>(x);
  }

  void u64(uint64_t x) {
    for (auto shift = 0; shift < 64; shift += 8)
      byte(static_cast<uint8_t>(x >> shift));
  }

  std::string_view view() const noexcept {
    return text_;
  }

  std::span<const std::byte> bytes() const noexcept {
    return std::as_bytes(std::span{text_});
  }

private:
  std::string text_;
};

/// Returns the definitions of all types. Unlike those of a session, they always have a schema.
text_builder definitions_of(const known_types& types) {
  text_builder result;
  uint64_t slot = max_core_slot;
  for (auto* type : types.ranked()) {
    text_builder body;
    body.varint(++slot);
    body.string(type->name);
    body.u64(type->schema().fingerprint);
    body.string(type->schema().text);
    result.byte(0);
    result.byte(static_cast<uint8_t>(record_kind::type_definition));
    result.string(body.view());
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
  store(header + recording_magic.size(), recording_version);
  put(header, sizeof header);
  return status_;
}

uint32_t recording_writer::add_stream(stream_content content, std::string_view label,
                                      const known_types& types, bool uses_known_types) {
  text_builder head;
  head.byte(static_cast<uint8_t>(content));
  head.byte(uses_known_types ? 1 : 0);
  head.string(label);
  auto definitions = definitions_of(types);
  std::lock_guard guard{mutex_};
  auto result = streams_++;
  put_chunk(chunk_kind::stream, result, stream_direction::sent, head.bytes());
  put_chunk(chunk_kind::types, result, stream_direction::sent, definitions.bytes());
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
  store(header + 8, static_cast<uint32_t>(body.size()));
  store(header + 12, stream);
  store(header + 16, static_cast<uint64_t>(now()));
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, header, chunk_header_size - sizeof(uint64_t));
  XXH3_64bits_update(&state, body.data(), body.size());
  store(header + 24, static_cast<uint64_t>(XXH3_64bits_digest(&state)));
  const std::byte zeros[chunk_alignment] = {};
  put(header, sizeof header);
  put(body.data(), body.size());
  put(zeros, chunk_padding(body.size()));
  if (!status_ && std::fflush(file_.get()) != 0)
    status_ = std::error_code{errno, std::generic_category()};
}

} // namespace cafwire
