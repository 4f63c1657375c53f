// This file is part of cafwire. See the file LICENSE for license terms.

// cereal's binary archives over a stream buffer that stays in place. What is one block of memory is
// written by `binary_data`, as the documentation recommends.

#include "peer_codec.hpp"

#include <cereal/archives/binary.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/vector.hpp>
#include <cereal/version.hpp>

#include "memory_stream.hpp"

#include <istream>
#include <ostream>
#include <string_view>

namespace cafwire::bench {

template <class Archive>
void serialize(Archive& ar, struct12& x) {
  ar(cereal::binary_data(&x, sizeof x));
}

template <class Archive>
void serialize(Archive& ar, mixed& x) {
  ar(x.id, x.weight, x.kind, x.count, cereal::binary_data(x.position, sizeof x.position), x.active);
}

template <class Archive>
void serialize(Archive& ar, object& x) {
  ar(x.id, x.name, x.weight, x.numbers, x.note, x.tags, x.paint);
}

template <class Archive>
void serialize(Archive& ar, three_ints& x) {
  ar(cereal::binary_data(&x, sizeof x));
}

template <class Archive>
void serialize(Archive& ar, sample& x) {
  ar(x.id, x.value, x.flags);
}

template <class Archive>
void serialize(Archive& ar, note& x) {
  ar(x.id, x.text);
}

namespace {

template <class Archive, class T>
void put(Archive& ar, const T& x) {
  ar(x);
}

template <class Archive, class T>
requires(is_flat<std::vector<T>>) void put(Archive& ar, const std::vector<T>& xs) {
  ar(cereal::make_size_tag(static_cast<cereal::size_type>(xs.size())));
  ar(cereal::binary_data(xs.data(), xs.size() * sizeof(T)));
}

template <class Archive, class T>
void get(Archive& ar, T& x) {
  ar(x);
}

template <class Archive, class T>
requires(is_flat<std::vector<T>>) void get(Archive& ar, std::vector<T>& xs) {
  cereal::size_type n = 0;
  ar(cereal::make_size_tag(n));
  xs.resize(static_cast<size_t>(n));
  ar(cereal::binary_data(xs.data(), xs.size() * sizeof(T)));
}

struct cereal_contender {
  static constexpr std::string_view name = "cereal";

  using buffer = stream_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return buffer{num_bytes};
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    out.clear();
    cereal::BinaryOutputArchive ar{out.stream()};
    put(ar, x);
    return out.stream().good();
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    // A stream is too expensive to create for each message.
    static memory_source source;
    cereal::BinaryInputArchive ar{source.open(in)};
    get(ar, x);
    return source.at_end();
  }
};

/// One archive for the whole stream: binary archives have no header.
class cereal_stream {
public:
  static constexpr const char* name = "cereal";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    out_.clear();
    cereal::BinaryOutputArchive ar{out_.stream()};
    auto put_one = [&ar](uint8_t tag, auto& x) { ar(tag, x); };
    for (auto& round : stream) {
      put_one(1, round.ints);
      put_one(2, round.reading);
      put_one(3, round.text);
      put_one(4, round.record);
    }
    return out_.stream().good();
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    cereal::BinaryInputArchive ar{source_.open(bytes)};
    auto get_one = [&ar](uint8_t expected, auto& x) {
      uint8_t tag = 0;
      ar(tag);
      if (tag != expected)
        return false;
      ar(x);
      return true;
    };
    for (auto& round : stream)
      if (!get_one(1, round.ints) || !get_one(2, round.reading) || !get_one(3, round.text)
          || !get_one(4, round.record))
        return false;
    return source_.at_end();
  }

  std::span<const std::byte> bytes() const {
    return out_.bytes();
  }

private:
  stream_buffer out_{65536};
  memory_source source_;
};

[[maybe_unused]] const bool added
  = add_peer({"cereal",
              std::to_string(CEREAL_VERSION_MAJOR) + '.' + std::to_string(CEREAL_VERSION_MINOR)
                + '.' + std::to_string(CEREAL_VERSION_PATCH),
              add_peer_codec<cereal_contender>, add_stream_contender<cereal_stream>});

} // namespace
} // namespace cafwire::bench
