// This file is part of cafwire. See the file LICENSE for license terms.

// FlatBuffers: one builder that is used again; arrays of structs and numbers are copied as blocks.
// Reading verifies the buffer first, as cafwire checks its input too, and then fills the same C++
// objects that all contenders fill. A view verifies, but copies nothing.

#include "peer_codec.hpp"

#include <bench_generated.h>

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace cafwire::bench {
namespace {

using builder = flatbuffers::FlatBufferBuilder;

// -- building -------------------------------------------------------------------------------------

fb::Struct12 to_struct(const struct12& x) {
  return {x.a, x.b, x.c};
}

fb::Struct12 to_struct(const three_ints& x) {
  return {x.x, x.y, x.z};
}

fb::Mixed to_struct(const mixed& x) {
  return {x.id,
          x.weight,
          x.kind,
          x.count,
          flatbuffers::make_span(reinterpret_cast<const float(&)[4]>(x.position)),
          x.active};
}

template <class T>
requires(std::is_same_v<T, struct12> || std::is_same_v<T, three_ints>) auto build(builder& out,
                                                                                  const T& x) {
  auto value = to_struct(x);
  return fb::CreateInts(out, &value);
}

auto build(builder& out, const mixed& x) {
  auto value = to_struct(x);
  return fb::CreateRecord(out, &value);
}

auto build(builder& out, const byte_vector& xs) {
  return fb::CreateBytes(out,
                         out.CreateVector(reinterpret_cast<const uint8_t*>(xs.data()), xs.size()));
}

auto build(builder& out, const matrix_vector& xs) {
  static_assert(sizeof(fb::Matrix4x4) == sizeof(matrix4x4));
  return fb::CreateMatrices(
    out, out.CreateVectorOfStructs(reinterpret_cast<const fb::Matrix4x4*>(xs.data()), xs.size()));
}

auto build(builder& out, const object_vector& xs) {
  static std::vector<flatbuffers::Offset<fb::Object>> values;
  static std::vector<flatbuffers::Offset<fb::Tag>> tags;
  values.clear();
  values.reserve(xs.size());
  for (auto& x : xs) {
    tags.clear();
    for (auto& [key, value] : x.tags)
      tags.push_back(fb::CreateTag(out, out.CreateString(key), value));
    auto all_tags = out.CreateVector(tags);
    auto note = x.note ? out.CreateString(*x.note) : flatbuffers::Offset<flatbuffers::String>{};
    auto numbers = out.CreateVector(x.numbers);
    auto name = out.CreateString(x.name);
    values.push_back(fb::CreateObject(out, x.id, name, x.weight, numbers, note, all_tags,
                                      static_cast<fb::Color>(x.paint)));
  }
  return fb::CreateObjects(out, out.CreateVector(values));
}

auto build(builder& out, const std::vector<std::string>& xs) {
  return fb::CreateStrings(out, out.CreateVectorOfStrings(xs));
}

auto build(builder& out, const std::unordered_map<std::string, double>& xs) {
  static std::vector<flatbuffers::Offset<fb::Entry>> values;
  values.clear();
  values.reserve(xs.size());
  for (auto& [key, value] : xs)
    values.push_back(fb::CreateEntry(out, out.CreateString(key), value));
  return fb::CreateStringMap(out, out.CreateVector(values));
}

auto build(builder& out, const std::vector<bool>& xs) {
  uint8_t* pos = nullptr;
  auto values = out.CreateUninitializedVector(xs.size(), &pos);
  std::copy(xs.begin(), xs.end(), pos);
  return fb::CreateBools(out, values);
}

auto build(builder& out, const std::deque<int32_t>& xs) {
  int32_t* pos = nullptr;
  auto values = out.CreateUninitializedVector(xs.size(), &pos);
  std::copy(xs.begin(), xs.end(), pos);
  return fb::CreateNumbers(out, values);
}

auto build(builder& out, const sample& x) {
  fb::Sample value{x.id, x.value, x.flags};
  return fb::CreateReading(out, &value);
}

auto build(builder& out, const note& x) {
  return fb::CreateNote(out, x.id, out.CreateString(x.text));
}

// -- reading --------------------------------------------------------------------------------------

/// Returns the root of a buffer after looking at all of it, or `nullptr` if it is malformed.
template <class Table>
const Table* open(std::span<const std::byte> in) {
  auto* bytes = reinterpret_cast<const uint8_t*>(in.data());
  flatbuffers::Verifier verifier{bytes, in.size()};
  return verifier.VerifyBuffer<Table>(nullptr) ? flatbuffers::GetRoot<Table>(bytes) : nullptr;
}

/// Calls `fn` with the field `value` of a table that has to be there.
template <class Table, class Fn>
bool with_value(std::span<const std::byte> in, Fn fn) {
  auto* root = open<Table>(in);
  if (root == nullptr || root->value() == nullptr)
    return false;
  fn(*root->value());
  return true;
}

template <class Table, class Fn>
bool with_values(std::span<const std::byte> in, Fn fn) {
  auto* root = open<Table>(in);
  return root != nullptr && root->values() != nullptr && fn(*root->values());
}

bool read(std::span<const std::byte> in, struct12& x) {
  return with_value<fb::Ints>(in, [&](auto& from) { x = {from.a(), from.b(), from.c()}; });
}

bool read(std::span<const std::byte> in, three_ints& x) {
  return with_value<fb::Ints>(in, [&](auto& from) { x = {from.a(), from.b(), from.c()}; });
}

bool read(std::span<const std::byte> in, mixed& x) {
  return with_value<fb::Record>(in, [&](auto& from) {
    x.id = from.id();
    x.weight = from.weight();
    x.kind = from.kind();
    x.count = from.count();
    std::memcpy(x.position, from.position()->data(), sizeof x.position);
    x.active = from.active();
  });
}

bool read(std::span<const std::byte> in, sample& x) {
  return with_value<fb::Reading>(in, [&](auto& from) {
    x = {from.id(), from.value(), from.flags()};
  });
}

void assign(std::string& x, const flatbuffers::String& from) {
  x.assign(from.c_str(), from.size());
}

bool read(std::span<const std::byte> in, note& x) {
  auto* root = open<fb::Note>(in);
  if (root == nullptr || root->text() == nullptr)
    return false;
  x.id = root->id();
  assign(x.text, *root->text());
  return true;
}

bool read(std::span<const std::byte> in, byte_vector& xs) {
  return with_values<fb::Bytes>(in, [&](auto& from) {
    auto* first = reinterpret_cast<const std::byte*>(from.data());
    xs.assign(first, first + from.size());
    return true;
  });
}

bool read(std::span<const std::byte> in, matrix_vector& xs) {
  return with_values<fb::Matrices>(in, [&](auto& from) {
    xs.resize(from.size());
    std::memcpy(static_cast<void*>(xs.data()), from.data(), xs.size() * sizeof(matrix4x4));
    return true;
  });
}

bool read_object(const fb::Object& from, object& x) {
  if (from.name() == nullptr || from.numbers() == nullptr || from.tags() == nullptr)
    return false;
  x.id = from.id();
  assign(x.name, *from.name());
  x.weight = from.weight();
  x.numbers.assign(from.numbers()->begin(), from.numbers()->end());
  if (from.note() == nullptr) {
    x.note.reset();
  } else {
    if (!x.note)
      x.note.emplace();
    assign(*x.note, *from.note());
  }
  x.tags.clear();
  for (auto* tag : *from.tags()) {
    if (tag->key() == nullptr)
      return false;
    x.tags.emplace_hint(x.tags.end(), tag->key()->str(), tag->value());
  }
  x.paint = static_cast<color>(from.paint());
  return from.paint() <= fb::Color_MAX;
}

bool read(std::span<const std::byte> in, object_vector& xs) {
  return with_values<fb::Objects>(in, [&](auto& from) {
    xs.resize(from.size());
    for (flatbuffers::uoffset_t i = 0; i < from.size(); ++i)
      if (!read_object(*from.Get(i), xs[i]))
        return false;
    return true;
  });
}

bool read(std::span<const std::byte> in, std::vector<std::string>& xs) {
  return with_values<fb::Strings>(in, [&](auto& from) {
    xs.resize(from.size());
    for (flatbuffers::uoffset_t i = 0; i < from.size(); ++i)
      assign(xs[i], *from.Get(i));
    return true;
  });
}

bool read(std::span<const std::byte> in, std::unordered_map<std::string, double>& xs) {
  return with_values<fb::StringMap>(in, [&](auto& from) {
    xs.clear();
    xs.reserve(from.size());
    for (auto* entry : from) {
      if (entry->key() == nullptr)
        return false;
      xs.emplace(entry->key()->str(), entry->value());
    }
    return true;
  });
}

bool read(std::span<const std::byte> in, std::vector<bool>& xs) {
  return with_values<fb::Bools>(in, [&](auto& from) {
    xs.assign(from.begin(), from.end());
    return true;
  });
}

bool read(std::span<const std::byte> in, std::deque<int32_t>& xs) {
  return with_values<fb::Numbers>(in, [&](auto& from) {
    xs.assign(from.data(), from.data() + from.size());
    return true;
  });
}

// -- contenders -----------------------------------------------------------------------------------

struct flatbuffers_buffer {
  explicit flatbuffers_buffer(size_t num_bytes) : out(num_bytes) {
    // nop
  }

  /// The memory that was reserved, which the builder fills from its end.
  const void* data() {
    return out.GetCurrentBufferPointer();
  }

  builder out;
};

struct flatbuffers_contender {
  static constexpr std::string_view name = "flatbuffers";

  using buffer = flatbuffers_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return buffer{generous(num_bytes)};
  }

  template <class T>
  static auto save(buffer& out, const T& x) -> decltype(build(out.out, x), true) {
    out.out.Clear();
    out.out.Finish(build(out.out, x));
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return {reinterpret_cast<const std::byte*>(out.out.GetBufferPointer()), out.out.GetSize()};
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    return read(in, x);
  }

  static bool view(std::span<const std::byte> in, size_t index, float& x) {
    return with_values<fb::Matrices>(in, [&](auto& xs) {
      if (index >= xs.size())
        return false;
      x = xs.Get(static_cast<flatbuffers::uoffset_t>(index))->values()->Get(0);
      return true;
    });
  }
};

/// Messages with their numbers and sizes in front, each on a multiple of eight: they are read where
/// they are.
class flatbuffers_stream {
public:
  static constexpr const char* name = "flatbuffers";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    size_ = 0;
    auto put_one = [this](uint32_t tag, const auto& x) {
      builder_.Clear();
      builder_.Finish(build(builder_, x));
      auto n = builder_.GetSize();
      if (n + 16 > out_.capacity() - size_)
        return false;
      auto* pos = out_.data() + size_;
      uint32_t header[2] = {tag, n};
      std::memcpy(pos, header, sizeof header);
      std::memcpy(pos + sizeof header, builder_.GetBufferPointer(), n);
      size_ += sizeof header + (size_t{n} + 7) / 8 * 8;
      return true;
    };
    for (auto& round : stream)
      if (!put_one(1, round.ints) || !put_one(2, round.reading) || !put_one(3, round.text)
          || !put_one(4, round.record))
        return false;
    out_.set_size(size_);
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    auto get_one = [&bytes](uint32_t expected, auto& x) {
      uint32_t header[2] = {0, 0};
      if (bytes.size() < sizeof header)
        return false;
      std::memcpy(header, bytes.data(), sizeof header);
      auto padded = (size_t{header[1]} + 7) / 8 * 8;
      if (header[0] != expected || padded > bytes.size() - sizeof header
          || !read(bytes.subspan(sizeof header, header[1]), x))
        return false;
      bytes = bytes.subspan(sizeof header + padded);
      return true;
    };
    for (auto& round : stream)
      if (!get_one(1, round.ints) || !get_one(2, round.reading) || !get_one(3, round.text)
          || !get_one(4, round.record))
        return false;
    return bytes.empty();
  }

  std::span<const std::byte> bytes() const {
    return out_.bytes();
  }

private:
  builder builder_;
  fixed_buffer out_{size_t{512} << 10};
  size_t size_ = 0;
};

[[maybe_unused]] const bool added = add_peer(
  {"flatbuffers",
   std::to_string(FLATBUFFERS_VERSION_MAJOR) + '.' + std::to_string(FLATBUFFERS_VERSION_MINOR) + '.'
     + std::to_string(FLATBUFFERS_VERSION_REVISION),
   add_peer_codec<flatbuffers_contender>, add_stream_contender<flatbuffers_stream>});

} // namespace
} // namespace cafwire::bench
