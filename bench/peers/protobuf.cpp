// This file is part of cafwire. See the file LICENSE for license terms.

// protobuf: its own messages, filled before anything is measured, take the place of the values.
// They are written into one block of the right size. New messages are created on an arena with
// memory that is used again; reused messages keep their memory by themselves.

#include "peer_codec.hpp"

#include <bench.pb.h>

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>

namespace cafwire::bench {
namespace {

namespace proto = google::protobuf;

// -- conversion -----------------------------------------------------------------------------------

pb::Struct12 to_proto(const struct12& x) {
  pb::Struct12 result;
  result.set_a(x.a);
  result.set_b(x.b);
  result.set_c(x.c);
  return result;
}

pb::Struct12 to_proto(const three_ints& x) {
  return to_proto(struct12{x.x, x.y, x.z});
}

pb::Mixed to_proto(const mixed& x) {
  pb::Mixed result;
  result.set_id(x.id);
  result.set_weight(x.weight);
  result.set_kind(x.kind);
  result.set_count(x.count);
  for (auto value : x.position)
    result.add_position(value);
  result.set_active(x.active);
  return result;
}

pb::Bytes to_proto(const byte_vector& xs) {
  pb::Bytes result;
  result.set_values(xs.data(), xs.size());
  return result;
}

pb::Matrices to_proto(const matrix_vector& xs) {
  pb::Matrices result;
  result.mutable_values()->Reserve(static_cast<int>(16 * xs.size()));
  for (auto& matrix : xs)
    result.mutable_values()->Add(matrix.values.begin(), matrix.values.end());
  return result;
}

pb::Objects to_proto(const object_vector& xs) {
  pb::Objects result;
  for (auto& x : xs) {
    auto& to = *result.add_values();
    to.set_id(x.id);
    to.set_name(x.name);
    to.set_weight(x.weight);
    to.mutable_numbers()->Add(x.numbers.begin(), x.numbers.end());
    if (x.note)
      to.set_note(*x.note);
    to.mutable_tags()->insert(x.tags.begin(), x.tags.end());
    to.set_paint(static_cast<pb::Color>(x.paint));
  }
  return result;
}

pb::Strings to_proto(const std::vector<std::string>& xs) {
  pb::Strings result;
  for (auto& x : xs)
    result.add_values(x);
  return result;
}

pb::StringMap to_proto(const std::unordered_map<std::string, double>& xs) {
  pb::StringMap result;
  result.mutable_values()->insert(xs.begin(), xs.end());
  return result;
}

pb::Bools to_proto(const std::vector<bool>& xs) {
  pb::Bools result;
  result.mutable_values()->Add(xs.begin(), xs.end());
  return result;
}

pb::Numbers to_proto(const std::deque<int32_t>& xs) {
  pb::Numbers result;
  result.mutable_values()->Add(xs.begin(), xs.end());
  return result;
}

pb::Sample to_proto(const sample& x) {
  pb::Sample result;
  result.set_id(x.id);
  result.set_value(x.value);
  result.set_flags(x.flags);
  return result;
}

pb::Note to_proto(const note& x) {
  pb::Note result;
  result.set_id(x.id);
  result.set_text(x.text);
  return result;
}

void from_proto(const pb::Struct12& from, struct12& x) {
  x = {from.a(), from.b(), from.c()};
}

void from_proto(const pb::Struct12& from, three_ints& x) {
  x = {from.a(), from.b(), from.c()};
}

void from_proto(const pb::Mixed& from, mixed& x) {
  x = {from.id(), from.weight(), static_cast<uint8_t>(from.kind()), from.count(),
       {},        from.active()};
  std::copy_n(from.position().begin(), std::min(from.position_size(), 4), x.position);
}

void from_proto(const pb::Bytes& from, byte_vector& xs) {
  auto* first = reinterpret_cast<const std::byte*>(from.values().data());
  xs.assign(first, first + from.values().size());
}

void from_proto(const pb::Matrices& from, matrix_vector& xs) {
  xs.resize(static_cast<size_t>(from.values_size()) / 16);
  for (size_t i = 0; i < xs.size(); ++i)
    std::copy_n(from.values().begin() + static_cast<ptrdiff_t>(16 * i), 16, xs[i].values.begin());
}

void from_proto(const pb::Objects& from, object_vector& xs) {
  xs.clear();
  for (auto& x : from.values()) {
    auto& to = xs.emplace_back();
    to.id = x.id();
    to.name = x.name();
    to.weight = x.weight();
    to.numbers.assign(x.numbers().begin(), x.numbers().end());
    if (x.has_note())
      to.note = x.note();
    to.tags.insert(x.tags().begin(), x.tags().end());
    to.paint = static_cast<color>(x.paint());
  }
}

template <class Proto, class T>
void from_proto(const Proto& from, T& xs) {
  xs = T(from.values().begin(), from.values().end());
}

void from_proto(const pb::Sample& from, sample& x) {
  x = {from.id(), from.value(), from.flags()};
}

void from_proto(const pb::Note& from, note& x) {
  x = {from.id(), from.text()};
}

// -- single values --------------------------------------------------------------------------------

/// A new message on an arena whose first block is enough for the usual message.
template <class Proto>
class fresh_proto {
public:
  fresh_proto() : message_(proto::Arena::CreateMessage<Proto>(&arena())) {
    // nop
  }

  ~fresh_proto() {
    arena().Reset();
  }

  Proto& get() noexcept {
    return *message_;
  }

private:
  static proto::Arena& arena() {
    static std::vector<char> block(size_t{256} << 10);
    static proto::Arena result{block.data(), block.size()};
    return result;
  }

  Proto* message_;
};

bool parse(std::span<const std::byte> in, proto::MessageLite& x) {
  return in.size() <= std::numeric_limits<int>::max()
         && x.ParseFromArray(in.data(), static_cast<int>(in.size()));
}

struct protobuf_contender {
  static constexpr std::string_view name = "protobuf";

  using buffer = fixed_buffer;

  template <class T>
  using fresh_type = fresh_proto<T>;

  template <class T>
  static auto convert(const T& x) -> decltype(to_proto(x)) {
    return to_proto(x);
  }

  template <class Proto, class T>
  static bool convert_back(const Proto& from, const T& expected) {
    T x;
    from_proto(from, x);
    return x == expected;
  }

  static size_t encoded_bytes(const proto::MessageLite& x) {
    return x.ByteSizeLong();
  }

  static buffer make_buffer(size_t num_bytes) {
    return buffer{num_bytes};
  }

  static bool save(buffer& out, const proto::MessageLite& x) {
    auto n = x.ByteSizeLong();
    if (n > out.capacity())
      return false;
    auto* begin = reinterpret_cast<uint8_t*>(out.data());
    auto* end = x.SerializeWithCachedSizesToArray(begin);
    out.set_size(static_cast<size_t>(end - begin));
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  static bool load(std::span<const std::byte> in, proto::MessageLite& x) {
    return parse(in, x);
  }

  template <class Proto>
  static bool load(std::span<const std::byte> in, fresh_proto<Proto>& x) {
    return parse(in, x.get());
  }
};

// -- streams --------------------------------------------------------------------------------------

struct proto_round {
  pb::Struct12 ints;
  pb::Sample reading;
  pb::Note text;
  pb::Mixed record;
};

/// Messages with their numbers and sizes in front, as the documentation proposes for streams.
class protobuf_stream {
public:
  static constexpr const char* name = "protobuf";

  bool prepare(const std::vector<round_values>& stream) {
    for (auto& x : stream)
      own_.push_back({to_proto(x.ints), to_proto(x.reading), to_proto(x.text), to_proto(x.record)});
    target_.resize(stream.size());
    return true;
  }

  bool save(const std::vector<round_values>&) {
    auto* pos = reinterpret_cast<uint8_t*>(out_.data());
    auto* end = pos + out_.capacity();
    auto put_one = [&](uint8_t tag, const auto& x) {
      auto n = x.ByteSizeLong();
      if (n + 16 > static_cast<size_t>(end - pos))
        return false;
      *pos++ = tag;
      pos = proto::io::CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(n), pos);
      pos = x.SerializeWithCachedSizesToArray(pos);
      return true;
    };
    for (auto& round : own_)
      if (!put_one(1, round.ints) || !put_one(2, round.reading) || !put_one(3, round.text)
          || !put_one(4, round.record))
        return false;
    out_.set_size(static_cast<size_t>(reinterpret_cast<std::byte*>(pos) - out_.data()));
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>&) {
    auto* pos = bytes.data();
    auto* end = pos + bytes.size();
    auto get_one = [&](uint8_t expected, auto& x) {
      if (end - pos < 2 || static_cast<uint8_t>(*pos++) != expected)
        return false;
      proto::io::CodedInputStream in{reinterpret_cast<const uint8_t*>(pos),
                                     static_cast<int>(std::min<ptrdiff_t>(end - pos, 5))};
      uint32_t n = 0;
      if (!in.ReadVarint32(&n))
        return false;
      pos += in.CurrentPosition();
      if (n > static_cast<size_t>(end - pos) || !x.ParseFromArray(pos, static_cast<int>(n)))
        return false;
      pos += n;
      return true;
    };
    for (auto& round : target_)
      if (!get_one(1, round.ints) || !get_one(2, round.reading) || !get_one(3, round.text)
          || !get_one(4, round.record))
        return false;
    return pos == end;
  }

  bool returned(const std::vector<round_values>& stream) const {
    for (size_t i = 0; i < stream.size(); ++i) {
      round_values x;
      from_proto(target_[i].ints, x.ints);
      from_proto(target_[i].reading, x.reading);
      from_proto(target_[i].text, x.text);
      from_proto(target_[i].record, x.record);
      if (x != stream[i])
        return false;
    }
    return true;
  }

  std::span<const std::byte> bytes() const {
    return out_.bytes();
  }

private:
  fixed_buffer out_{size_t{256} << 10};
  std::vector<proto_round> own_;
  std::vector<proto_round> target_;
};

[[maybe_unused]] const bool added
  = add_peer({"protobuf", proto::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
              add_peer_codec<protobuf_contender>, add_stream_contender<protobuf_stream>});

} // namespace
} // namespace cafwire::bench
