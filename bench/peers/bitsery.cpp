// This file is part of cafwire. See the file LICENSE for license terms.

// bitsery with its buffer adapters and unlimited sizes. Whatever has a size of its own in numbers
// is a container of numbers, which it copies as a block; it has no vectors of bits.

#include "peer_codec.hpp"

#include <bitsery/adapter/buffer.h>
#include <bitsery/bitsery.h>
#include <bitsery/ext/std_map.h>
#include <bitsery/ext/std_optional.h>
#include <bitsery/traits/array.h>
#include <bitsery/traits/deque.h>
#include <bitsery/traits/string.h>
#include <bitsery/traits/vector.h>

#include <string_view>

namespace cafwire::bench {

inline constexpr size_t any_size = size_t{1} << 29;

template <class S>
void serialize(S& s, struct12& x) {
  s.value4b(x.a);
  s.value4b(x.b);
  s.value4b(x.c);
}

template <class S>
void serialize(S& s, three_ints& x) {
  s.value4b(x.x);
  s.value4b(x.y);
  s.value4b(x.z);
}

template <class S>
void serialize(S& s, mixed& x) {
  s.value8b(x.id);
  s.value8b(x.weight);
  s.value1b(x.kind);
  s.value4b(x.count);
  s.container4b(x.position);
  s.boolValue(x.active);
}

template <class S>
void serialize(S& s, matrix4x4& x) {
  s.container4b(x.values);
}

template <class S>
void serialize(S& s, object& x) {
  s.value8b(x.id);
  s.text1b(x.name, any_size);
  s.value8b(x.weight);
  s.container4b(x.numbers, any_size);
  s.ext(x.note, bitsery::ext::StdOptional{},
        [](S& inner, std::string& text) { inner.text1b(text, any_size); });
  s.ext(x.tags, bitsery::ext::StdMap{any_size}, [](S& inner, std::string& key, int32_t& value) {
    inner.text1b(key, any_size);
    inner.value4b(value);
  });
  s.value1b(x.paint);
}

template <class S>
void serialize(S& s, sample& x) {
  s.value8b(x.id);
  s.value8b(x.value);
  s.value4b(x.flags);
}

template <class S>
void serialize(S& s, note& x) {
  s.value4b(x.id);
  s.text1b(x.text, any_size);
}

template <class S>
void serialize(S& s, byte_vector& xs) {
  s.container1b(xs, any_size);
}

template <class S>
void serialize(S& s, matrix_vector& xs) {
  s.container(xs, any_size);
}

template <class S>
void serialize(S& s, object_vector& xs) {
  s.container(xs, any_size);
}

template <class S>
void serialize(S& s, std::vector<std::string>& xs) {
  s.container(xs, any_size, [](S& inner, std::string& x) { inner.text1b(x, any_size); });
}

template <class S>
void serialize(S& s, std::unordered_map<std::string, double>& xs) {
  s.ext(xs, bitsery::ext::StdMap{any_size}, [](S& inner, std::string& key, double& value) {
    inner.text1b(key, any_size);
    inner.value8b(value);
  });
}

template <class S>
void serialize(S& s, std::deque<int32_t>& xs) {
  s.container4b(xs, any_size);
}

namespace {

using byte_buffer = std::vector<uint8_t>;

using sink = bitsery::Serializer<bitsery::OutputBufferAdapter<byte_buffer>>;

using source = bitsery::Deserializer<bitsery::InputBufferAdapter<const uint8_t*>>;

struct bitsery_buffer {
  byte_buffer bytes;
  size_t size;

  const void* data() const noexcept {
    return bytes.data();
  }
};

struct bitsery_contender {
  static constexpr std::string_view name = "bitsery";

  using buffer = bitsery_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return {byte_buffer(generous(num_bytes)), 0};
  }

  template <class T>
  requires(!std::is_same_v<T, std::vector<bool>>) static bool save(buffer& out, const T& x) {
    sink s{out.bytes};
    // The functions are written once for both directions; this one does not change the value.
    serialize(s, const_cast<T&>(x));
    s.adapter().flush();
    out.size = s.adapter().writtenBytesCount();
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return std::as_bytes(std::span{out.bytes.data(), out.size});
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    source s{reinterpret_cast<const uint8_t*>(in.data()), in.size()};
    serialize(s, x);
    return s.adapter().error() == bitsery::ReaderError::NoError
           && s.adapter().isCompletedSuccessfully();
  }
};

/// One adapter for the whole stream.
class bitsery_stream {
public:
  static constexpr const char* name = "bitsery";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    sink s{out_};
    auto put_one = [&s](uint8_t tag, auto& x) {
      s.value1b(tag);
      serialize(s, const_cast<std::remove_cvref_t<decltype(x)>&>(x));
    };
    for (auto& round : stream) {
      put_one(1, round.ints);
      put_one(2, round.reading);
      put_one(3, round.text);
      put_one(4, round.record);
    }
    s.adapter().flush();
    size_ = s.adapter().writtenBytesCount();
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    source s{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
    auto get_one = [&s](uint8_t expected, auto& x) {
      uint8_t tag = 0;
      s.value1b(tag);
      serialize(s, x);
      return tag == expected;
    };
    for (auto& round : stream)
      if (!get_one(1, round.ints) || !get_one(2, round.reading) || !get_one(3, round.text)
          || !get_one(4, round.record))
        return false;
    return s.adapter().isCompletedSuccessfully();
  }

  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span{out_.data(), size_});
  }

private:
  byte_buffer out_ = byte_buffer(size_t{64} << 10);
  size_t size_ = 0;
};

[[maybe_unused]] const bool added
  = add_peer({"bitsery", BITSERY_VERSION, add_peer_codec<bitsery_contender>,
              add_stream_contender<bitsery_stream>});

} // namespace
} // namespace cafwire::bench
