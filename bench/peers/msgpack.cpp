// This file is part of cafwire. See the file LICENSE for license terms.

// msgpack-c for C++: objects as arrays without names, blocks of memory as the type `bin`, and
// reading by reference: the intermediate objects point into the input and live in a zone that is
// used again.

#include "peer_codec.hpp"

#define MSGPACK_NO_BOOST
#include <msgpack.hpp>

#include <cstring>
#include <exception>
#include <string_view>

MSGPACK_ADD_ENUM(cafwire::bench::color)

namespace cafwire::bench {
namespace {

/// Writes the fields of an object as an array.
template <class Packer, class... Ts>
void pack_fields(Packer& out, const Ts&... xs) {
  out.pack_array(sizeof...(Ts));
  (out.pack(xs), ...);
}

template <class... Ts>
void unpack_fields(const msgpack::object& in, Ts&... xs) {
  if (in.type != msgpack::type::ARRAY || in.via.array.size != sizeof...(Ts))
    throw msgpack::type_error{};
  auto* pos = in.via.array.ptr;
  ((pos++)->convert(xs), ...);
}

} // namespace
} // namespace cafwire::bench

namespace msgpack {
MSGPACK_API_VERSION_NAMESPACE(MSGPACK_DEFAULT_API_NS) {
  namespace adaptor {

#define CAFWIRE_BENCH_FIELDS(type_name, ...)                                                       \
  template <>                                                                                      \
  struct pack<cafwire::bench::type_name> {                                                         \
    template <class Stream>                                                                        \
    packer<Stream>& operator()(packer<Stream>& out, const cafwire::bench::type_name& x) const {    \
      auto fields = [&](auto&... xs) { cafwire::bench::pack_fields(out, xs...); };                 \
      fields(__VA_ARGS__);                                                                         \
      return out;                                                                                  \
    }                                                                                              \
  };                                                                                               \
  template <>                                                                                      \
  struct convert<cafwire::bench::type_name> {                                                      \
    const msgpack::object& operator()(const msgpack::object& in,                                   \
                                      cafwire::bench::type_name& x) const {                        \
      auto fields = [&](auto&... xs) { cafwire::bench::unpack_fields(in, xs...); };                \
      fields(__VA_ARGS__);                                                                         \
      return in;                                                                                   \
    }                                                                                              \
  };

  CAFWIRE_BENCH_FIELDS(struct12, x.a, x.b, x.c)
  CAFWIRE_BENCH_FIELDS(three_ints, x.x, x.y, x.z)
  CAFWIRE_BENCH_FIELDS(mixed, x.id, x.weight, x.kind, x.count, x.position, x.active)
  CAFWIRE_BENCH_FIELDS(sample, x.id, x.value, x.flags)
  CAFWIRE_BENCH_FIELDS(note, x.id, x.text)
  CAFWIRE_BENCH_FIELDS(object, x.id, x.name, x.weight, x.numbers, x.note, x.tags, x.paint)

#undef CAFWIRE_BENCH_FIELDS

  } // namespace adaptor
}
} // namespace msgpack

namespace cafwire::bench {
namespace {

/// Reads one value at a position, which moves on.
class msgpack_reader {
public:
  const msgpack::object& next(std::span<const std::byte> in, size_t& offset) {
    zone_.clear();
    auto referenced = false;
    object_ = msgpack::unpack(
      zone_, reinterpret_cast<const char*>(in.data()), in.size(), offset, referenced,
      [](msgpack::type::object_type, std::size_t, void*) { return true; }, nullptr, no_limits);
    return object_;
  }

private:
  /// The library's limits would refuse the large values.
  static inline const msgpack::unpack_limit no_limits{};

  msgpack::zone zone_;
  msgpack::object object_;
};

struct msgpack_buffer {
  msgpack::sbuffer bytes;

  const void* data() const noexcept {
    return bytes.data();
  }
};

struct msgpack_contender {
  static constexpr std::string_view name = "msgpack";

  using buffer = msgpack_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return {msgpack::sbuffer{num_bytes}};
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    out.bytes.clear();
    msgpack::packer<msgpack::sbuffer> packer{out.bytes};
    if constexpr (std::is_same_v<T, matrix_vector>) {
      auto n = static_cast<uint32_t>(x.size() * sizeof(matrix4x4));
      packer.pack_bin(n);
      packer.pack_bin_body(reinterpret_cast<const char*>(x.data()), n);
    } else {
      packer.pack(x);
    }
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return std::as_bytes(std::span{out.bytes.data(), out.bytes.size()});
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    static msgpack_reader reader;
    try {
      size_t offset = 0;
      auto& object = reader.next(in, offset);
      if constexpr (std::is_same_v<T, matrix_vector>) {
        if (object.type != msgpack::type::BIN || object.via.bin.size % sizeof(matrix4x4) != 0)
          return false;
        x.resize(object.via.bin.size / sizeof(matrix4x4));
        std::memcpy(static_cast<void*>(x.data()), object.via.bin.ptr, object.via.bin.size);
      } else {
        object.convert(x);
      }
      return offset == in.size();
    } catch (const std::exception&) {
      return false;
    }
  }
};

/// Messages one behind the other, each after a number for its type.
class msgpack_stream {
public:
  static constexpr const char* name = "msgpack";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    out_.clear();
    msgpack::packer<msgpack::sbuffer> packer{out_};
    auto put_one = [&packer](uint8_t tag, auto& x) {
      packer.pack(tag);
      packer.pack(x);
    };
    for (auto& round : stream) {
      put_one(1, round.ints);
      put_one(2, round.reading);
      put_one(3, round.text);
      put_one(4, round.record);
    }
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    size_t offset = 0;
    auto get_one = [&](uint8_t expected, auto& x) {
      if (reader_.next(bytes, offset).as<uint8_t>() != expected)
        return false;
      reader_.next(bytes, offset).convert(x);
      return true;
    };
    for (auto& round : stream)
      if (!get_one(1, round.ints) || !get_one(2, round.reading) || !get_one(3, round.text)
          || !get_one(4, round.record))
        return false;
    return offset == bytes.size();
  }

  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span{out_.data(), out_.size()});
  }

private:
  msgpack::sbuffer out_;
  msgpack_reader reader_;
};

[[maybe_unused]] const bool added
  = add_peer({"msgpack", MSGPACK_VERSION, add_peer_codec<msgpack_contender>,
              add_stream_contender<msgpack_stream>});

} // namespace
} // namespace cafwire::bench
