// This file is part of cafwire. See the file LICENSE for license terms.

// Boost.Serialization's binary archives: no header, no tracking, no class versions, and bitwise
// serializable structs, which its documentation offers for speed.

#include "peer_codec.hpp"

#include "memory_stream.hpp"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/array_wrapper.hpp>
#include <boost/serialization/binary_object.hpp>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/is_bitwise_serializable.hpp>
#include <boost/serialization/level.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/split_free.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/tracking.hpp>
#include <boost/serialization/unordered_map.hpp>
#include <boost/serialization/vector.hpp>
#include <boost/version.hpp>

#include <exception>
#include <string_view>

namespace boost::serialization {

template <class Archive, class... Ts>
void put_or_get(Archive& ar, Ts&... xs) {
  (ar & ... & xs);
}

template <class Archive>
void serialize(Archive& ar, cafwire::bench::struct12& x, unsigned) {
  ar& make_binary_object(&x, sizeof x);
}

template <class Archive>
void serialize(Archive& ar, cafwire::bench::three_ints& x, unsigned) {
  ar& make_binary_object(&x, sizeof x);
}

template <class Archive>
void serialize(Archive& ar, cafwire::bench::mixed& x, unsigned) {
  put_or_get(ar, x.id, x.weight, x.kind, x.count, x.position, x.active);
}

template <class Archive>
void serialize(Archive& ar, cafwire::bench::matrix4x4& x, unsigned) {
  ar& make_binary_object(&x, sizeof x);
}

template <class Archive>
void serialize(Archive& ar, cafwire::bench::sample& x, unsigned) {
  put_or_get(ar, x.id, x.value, x.flags);
}

template <class Archive>
void serialize(Archive& ar, cafwire::bench::note& x, unsigned) {
  put_or_get(ar, x.id, x.text);
}

template <class Archive>
void save(Archive& ar, const std::optional<std::string>& x, unsigned) {
  auto has_value = x.has_value();
  ar << has_value;
  if (has_value)
    ar << *x;
}

template <class Archive>
void load(Archive& ar, std::optional<std::string>& x, unsigned) {
  auto has_value = false;
  ar >> has_value;
  if (!has_value) {
    x.reset();
    return;
  }
  if (!x)
    x.emplace();
  ar >> *x;
}

template <class Archive>
void serialize(Archive& ar, std::optional<std::string>& x, unsigned version) {
  split_free(ar, x, version);
}

template <class Archive>
void serialize(Archive& ar, cafwire::bench::object& x, unsigned) {
  put_or_get(ar, x.id, x.name, x.weight, x.numbers, x.note, x.tags, x.paint);
}

} // namespace boost::serialization

BOOST_IS_BITWISE_SERIALIZABLE(std::byte)
BOOST_IS_BITWISE_SERIALIZABLE(cafwire::bench::struct12)
BOOST_IS_BITWISE_SERIALIZABLE(cafwire::bench::three_ints)
BOOST_IS_BITWISE_SERIALIZABLE(cafwire::bench::matrix4x4)

#define CAFWIRE_BENCH_LEAN(type)                                                                   \
  BOOST_CLASS_IMPLEMENTATION(type, boost::serialization::object_serializable)                      \
  BOOST_CLASS_TRACKING(type, boost::serialization::track_never)

CAFWIRE_BENCH_LEAN(cafwire::bench::struct12)
CAFWIRE_BENCH_LEAN(cafwire::bench::three_ints)
CAFWIRE_BENCH_LEAN(cafwire::bench::mixed)
CAFWIRE_BENCH_LEAN(cafwire::bench::matrix4x4)
CAFWIRE_BENCH_LEAN(cafwire::bench::sample)
CAFWIRE_BENCH_LEAN(cafwire::bench::note)
CAFWIRE_BENCH_LEAN(cafwire::bench::object)
CAFWIRE_BENCH_LEAN(std::optional<std::string>)
CAFWIRE_BENCH_LEAN(std::vector<int32_t>)
CAFWIRE_BENCH_LEAN(std::vector<std::string>)
CAFWIRE_BENCH_LEAN(std::vector<bool>)
CAFWIRE_BENCH_LEAN(cafwire::bench::byte_vector)
CAFWIRE_BENCH_LEAN(cafwire::bench::matrix_vector)
CAFWIRE_BENCH_LEAN(cafwire::bench::object_vector)
CAFWIRE_BENCH_LEAN(std::deque<int32_t>)

#undef CAFWIRE_BENCH_LEAN

namespace cafwire::bench {
namespace {

constexpr unsigned flags = boost::archive::no_header | boost::archive::no_tracking
                           | boost::archive::no_codecvt;

struct boost_contender {
  static constexpr std::string_view name = "boost";

  using buffer = stream_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return buffer{num_bytes};
  }

  template <class T>
  static bool save(buffer& out, const T& x) {
    out.clear();
    boost::archive::binary_oarchive ar{out.sink(), flags};
    ar << x;
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    static memory_source source;
    try {
      boost::archive::binary_iarchive ar{source.open_buffer(in), flags};
      ar >> x;
      return source.at_end();
    } catch (const std::exception&) {
      return false;
    }
  }
};

/// One archive for the whole stream.
class boost_stream {
public:
  static constexpr const char* name = "boost";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    out_.clear();
    boost::archive::binary_oarchive ar{out_.sink(), flags};
    auto put_one = [&ar](uint8_t tag, auto& x) { ar << tag << x; };
    for (auto& round : stream) {
      put_one(1, round.ints);
      put_one(2, round.reading);
      put_one(3, round.text);
      put_one(4, round.record);
    }
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    boost::archive::binary_iarchive ar{source_.open_buffer(bytes), flags};
    auto get_one = [&ar](uint8_t expected, auto& x) {
      uint8_t tag = 0;
      ar >> tag;
      if (tag != expected)
        return false;
      ar >> x;
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

[[maybe_unused]] const bool added = add_peer(
  {"boost",
   std::to_string(BOOST_VERSION / 100000) + '.' + std::to_string(BOOST_VERSION / 100 % 1000) + '.'
     + std::to_string(BOOST_VERSION % 100),
   add_peer_codec<boost_contender>, add_stream_contender<boost_stream>});

} // namespace
} // namespace cafwire::bench
