// This file is part of cafwire. See the file LICENSE for license terms.

// zpp_bits: one header. Writes into a block that is large enough, which its documentation calls the
// fastest way; it has no vectors of bits, and
// views of bytes only.

#include "peer_codec.hpp"

#include <zpp_bits.h>

#include <string_view>

namespace cafwire::bench {

// Arrays and optional members make the library count wrong.
auto serialize(const mixed&) -> zpp::bits::members<6>;
auto serialize(const matrix4x4&) -> zpp::bits::members<1>;
auto serialize(const object&) -> zpp::bits::members<7>;

namespace {

struct zpp_bits_contender {
  static constexpr std::string_view name = "zpp_bits";

  using buffer = fixed_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return buffer{generous(num_bytes)};
  }

  template <class T>
  requires(!std::is_same_v<T, std::vector<bool>>) static bool save(buffer& out, const T& x) {
    zpp::bits::out archive{std::span{out.data(), out.capacity()}};
    if (zpp::bits::failure(archive(x)))
      return false;
    out.set_size(archive.position());
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    zpp::bits::in archive{in};
    return zpp::bits::success(archive(x)) && archive.position() == in.size();
  }
};

/// One archive for the whole stream.
class zpp_bits_stream {
public:
  static constexpr const char* name = "zpp_bits";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    zpp::bits::out archive{std::span{out_.data(), out_.capacity()}};
    auto put_one = [&archive](uint8_t tag, const auto& x) {
      return zpp::bits::success(archive(tag, x));
    };
    for (auto& round : stream)
      if (!put_one(1, round.ints) || !put_one(2, round.reading) || !put_one(3, round.text)
          || !put_one(4, round.record))
        return false;
    out_.set_size(archive.position());
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    zpp::bits::in archive{bytes};
    auto get_one = [&archive](uint8_t expected, auto& x) {
      uint8_t tag = 0;
      return zpp::bits::success(archive(tag, x)) && tag == expected;
    };
    for (auto& round : stream)
      if (!get_one(1, round.ints) || !get_one(2, round.reading) || !get_one(3, round.text)
          || !get_one(4, round.record))
        return false;
    return archive.position() == bytes.size();
  }

  std::span<const std::byte> bytes() const {
    return out_.bytes();
  }

private:
  fixed_buffer out_{size_t{256} << 10};
};

[[maybe_unused]] const bool added
  = add_peer({"zpp_bits", "of the given header", add_peer_codec<zpp_bits_contender>,
              add_stream_contender<zpp_bits_stream>});

} // namespace
} // namespace cafwire::bench
