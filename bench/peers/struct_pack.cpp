// This file is part of cafwire. See the file LICENSE for license terms.

// struct_pack of yalantinglibs: the size is computed first and the value written into a block that
// is large enough; without the hash of the type, which its documentation offers for small messages.
// It has no vectors of bits.

#include "peer_codec.hpp"

#include <ylt/struct_pack.hpp>
#include <ylt/version.hpp>

#include <string_view>

namespace cafwire::bench {
namespace {

constexpr auto lean = static_cast<uint64_t>(struct_pack::sp_config::DISABLE_ALL_META_INFO);

/// Reading merges new entries into old maps, so reused maps have to be emptied.
template <class T>
void forget_entries(T& x) {
  if constexpr (std::is_same_v<T, object_vector>) {
    for (auto& object : x)
      object.tags.clear();
  } else if constexpr (std::is_same_v<T, std::unordered_map<std::string, double>>) {
    x.clear();
  }
}

struct struct_pack_contender {
  static constexpr std::string_view name = "struct_pack";

  using buffer = fixed_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return buffer{generous(num_bytes)};
  }

  template <class T>
  requires(!std::is_same_v<T, std::vector<bool>>) static bool save(buffer& out, const T& x) {
    auto info = struct_pack::get_needed_size<lean>(x);
    if (info.size() > out.capacity())
      return false;
    struct_pack::serialize_to<lean>(reinterpret_cast<char*>(out.data()), info, x);
    out.set_size(info.size());
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    forget_entries(x);
    size_t used = 0;
    std::string_view text{reinterpret_cast<const char*>(in.data()), in.size()};
    return !struct_pack::deserialize_to<lean>(x, text, used) && used == in.size();
  }

  static bool view(std::span<const std::byte> in, size_t index, float& x) {
    std::span<matrix4x4> xs;
    std::string_view text{reinterpret_cast<const char*>(in.data()), in.size()};
    if (struct_pack::deserialize_to<lean>(xs, text) || index >= xs.size())
      return false;
    x = xs[index].values[0];
    return true;
  }
};

/// Messages one behind the other, each after a number for its type.
class struct_pack_stream {
public:
  static constexpr const char* name = "struct_pack";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    size_t size = 0;
    auto put_one = [&](char tag, const auto& x) {
      auto info = struct_pack::get_needed_size<lean>(x);
      if (info.size() + 1 > out_.capacity() - size)
        return false;
      auto* pos = reinterpret_cast<char*>(out_.data()) + size;
      *pos++ = tag;
      struct_pack::serialize_to<lean>(pos, info, x);
      size += 1 + info.size();
      return true;
    };
    for (auto& round : stream)
      if (!put_one(1, round.ints) || !put_one(2, round.reading) || !put_one(3, round.text)
          || !put_one(4, round.record))
        return false;
    out_.set_size(size);
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    auto get_one = [&text](char expected, auto& x) {
      if (text.empty() || text.front() != expected)
        return false;
      text.remove_prefix(1);
      size_t used = 0;
      if (struct_pack::deserialize_to<lean>(x, text, used))
        return false;
      text.remove_prefix(used);
      return true;
    };
    for (auto& round : stream)
      if (!get_one(1, round.ints) || !get_one(2, round.reading) || !get_one(3, round.text)
          || !get_one(4, round.record))
        return false;
    return text.empty();
  }

  std::span<const std::byte> bytes() const {
    return out_.bytes();
  }

private:
  fixed_buffer out_{size_t{256} << 10};
};

[[maybe_unused]] const bool added
  = add_peer({"struct_pack",
              std::to_string(YLT_VERSION / 100000) + '.' + std::to_string(YLT_VERSION / 100 % 1000)
                + '.' + std::to_string(YLT_VERSION % 100),
              add_peer_codec<struct_pack_contender>, add_stream_contender<struct_pack_stream>});

} // namespace
} // namespace cafwire::bench
