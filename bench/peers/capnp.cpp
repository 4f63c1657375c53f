// This file is part of cafwire. See the file LICENSE for license terms.

// Cap'n Proto: messages are built in one flat block, without a copy of the finished message, and
// read where they are into the same C++ objects that all contenders fill.

#include "peer_codec.hpp"

#include <bench.capnp.h>

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/common.h>
#include <kj/exception.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace cafwire::bench {
namespace {

// -- building -------------------------------------------------------------------------------------

kj::StringPtr view_of(const std::string& x) {
  return {x.data(), x.size()};
}

void build(capnp::MessageBuilder& out, const struct12& x) {
  auto to = out.initRoot<cp::Struct12>();
  to.setA(x.a);
  to.setB(x.b);
  to.setC(x.c);
}

void build(capnp::MessageBuilder& out, const three_ints& x) {
  build(out, struct12{x.x, x.y, x.z});
}

void build(capnp::MessageBuilder& out, const mixed& x) {
  auto to = out.initRoot<cp::Mixed>();
  to.setId(x.id);
  to.setWeight(x.weight);
  to.setKind(x.kind);
  to.setCount(x.count);
  to.setPosition0(x.position[0]);
  to.setPosition1(x.position[1]);
  to.setPosition2(x.position[2]);
  to.setPosition3(x.position[3]);
  to.setActive(x.active);
}

template <class T>
requires(is_flat<std::vector<T>>) void build(capnp::MessageBuilder& out, const std::vector<T>& xs) {
  auto* first = reinterpret_cast<const capnp::byte*>(xs.data());
  out.initRoot<cp::Bytes>().setValues({first, xs.size() * sizeof(T)});
}

void build(capnp::MessageBuilder& out, const object_vector& xs) {
  auto values = out.initRoot<cp::Objects>().initValues(static_cast<unsigned>(xs.size()));
  for (unsigned i = 0; i < xs.size(); ++i) {
    auto& x = xs[i];
    auto to = values[i];
    to.setId(x.id);
    to.setName(view_of(x.name));
    to.setWeight(x.weight);
    auto numbers = to.initNumbers(static_cast<unsigned>(x.numbers.size()));
    for (unsigned k = 0; k < x.numbers.size(); ++k)
      numbers.set(k, x.numbers[k]);
    if (x.note)
      to.setNote(view_of(*x.note));
    auto tags = to.initTags(static_cast<unsigned>(x.tags.size()));
    unsigned k = 0;
    for (auto& [key, value] : x.tags) {
      tags[k].setKey(view_of(key));
      tags[k++].setValue(value);
    }
    to.setPaint(static_cast<cp::Color>(x.paint));
  }
}

void build(capnp::MessageBuilder& out, const std::vector<std::string>& xs) {
  auto values = out.initRoot<cp::Strings>().initValues(static_cast<unsigned>(xs.size()));
  for (unsigned i = 0; i < xs.size(); ++i)
    values.set(i, view_of(xs[i]));
}

void build(capnp::MessageBuilder& out, const std::unordered_map<std::string, double>& xs) {
  auto values = out.initRoot<cp::StringMap>().initValues(static_cast<unsigned>(xs.size()));
  unsigned i = 0;
  for (auto& [key, value] : xs) {
    values[i].setKey(view_of(key));
    values[i++].setValue(value);
  }
}

template <class Root, class Container>
void build_list(capnp::MessageBuilder& out, const Container& xs) {
  auto values = out.initRoot<Root>().initValues(static_cast<unsigned>(xs.size()));
  unsigned i = 0;
  for (auto x : xs)
    values.set(i++, x);
}

void build(capnp::MessageBuilder& out, const std::vector<bool>& xs) {
  build_list<cp::Bools>(out, xs);
}

void build(capnp::MessageBuilder& out, const std::deque<int32_t>& xs) {
  build_list<cp::Numbers>(out, xs);
}

void build(capnp::MessageBuilder& out, const sample& x) {
  auto to = out.initRoot<cp::Sample>();
  to.setId(x.id);
  to.setValue(x.value);
  to.setFlags(x.flags);
}

void build(capnp::MessageBuilder& out, const note& x) {
  auto to = out.initRoot<cp::Note>();
  to.setId(x.id);
  to.setText(view_of(x.text));
}

// -- reading --------------------------------------------------------------------------------------

void assign(std::string& x, capnp::Text::Reader from) {
  x.assign(from.cStr(), from.size());
}

/// The iterators of lists are none of the standard library, so they are copied in a loop.
template <class List, class Container>
void assign(Container& xs, const List& from) {
  xs.resize(from.size());
  auto pos = xs.begin();
  for (auto x : from)
    *pos++ = x;
}

bool read(capnp::MessageReader& in, struct12& x) {
  auto from = in.getRoot<cp::Struct12>();
  x = {from.getA(), from.getB(), from.getC()};
  return true;
}

bool read(capnp::MessageReader& in, three_ints& x) {
  auto from = in.getRoot<cp::Struct12>();
  x = {from.getA(), from.getB(), from.getC()};
  return true;
}

bool read(capnp::MessageReader& in, mixed& x) {
  auto from = in.getRoot<cp::Mixed>();
  x = {from.getId(),
       from.getWeight(),
       from.getKind(),
       from.getCount(),
       {from.getPosition0(), from.getPosition1(), from.getPosition2(), from.getPosition3()},
       from.getActive()};
  return true;
}

template <class T>
requires(is_flat<std::vector<T>>) bool read(capnp::MessageReader& in, std::vector<T>& xs) {
  auto from = in.getRoot<cp::Bytes>().getValues();
  if (from.size() % sizeof(T) != 0)
    return false;
  // Blobs start on a multiple of eight.
  auto* first = reinterpret_cast<const T*>(from.begin());
  xs.assign(first, first + from.size() / sizeof(T));
  return true;
}

bool read(capnp::MessageReader& in, object_vector& xs) {
  auto values = in.getRoot<cp::Objects>().getValues();
  xs.resize(values.size());
  auto pos = xs.begin();
  for (auto from : values) {
    auto& x = *pos++;
    x.id = from.getId();
    assign(x.name, from.getName());
    x.weight = from.getWeight();
    assign(x.numbers, from.getNumbers());
    if (!from.hasNote()) {
      x.note.reset();
    } else {
      if (!x.note)
        x.note.emplace();
      assign(*x.note, from.getNote());
    }
    x.tags.clear();
    for (auto tag : from.getTags()) {
      auto key = tag.getKey();
      x.tags.emplace_hint(x.tags.end(), std::string{key.cStr(), key.size()}, tag.getValue());
    }
    x.paint = static_cast<color>(from.getPaint());
    if (x.paint > color::blue)
      return false;
  }
  return true;
}

bool read(capnp::MessageReader& in, std::vector<std::string>& xs) {
  auto values = in.getRoot<cp::Strings>().getValues();
  xs.resize(values.size());
  auto pos = xs.begin();
  for (auto from : values)
    assign(*pos++, from);
  return true;
}

bool read(capnp::MessageReader& in, std::unordered_map<std::string, double>& xs) {
  auto values = in.getRoot<cp::StringMap>().getValues();
  xs.clear();
  xs.reserve(values.size());
  for (auto from : values) {
    auto key = from.getKey();
    xs.emplace(std::string{key.cStr(), key.size()}, from.getValue());
  }
  return true;
}

bool read(capnp::MessageReader& in, std::vector<bool>& xs) {
  assign(xs, in.getRoot<cp::Bools>().getValues());
  return true;
}

bool read(capnp::MessageReader& in, std::deque<int32_t>& xs) {
  assign(xs, in.getRoot<cp::Numbers>().getValues());
  return true;
}

bool read(capnp::MessageReader& in, sample& x) {
  auto from = in.getRoot<cp::Sample>();
  x = {from.getId(), from.getValue(), from.getFlags()};
  return true;
}

bool read(capnp::MessageReader& in, note& x) {
  auto from = in.getRoot<cp::Note>();
  x.id = from.getId();
  assign(x.text, from.getText());
  return true;
}

// -- contenders -----------------------------------------------------------------------------------

constexpr size_t word_bytes = sizeof(capnp::word);

kj::ArrayPtr<capnp::word> words_of(std::byte* first, size_t num_bytes) {
  return {reinterpret_cast<capnp::word*>(first), num_bytes / word_bytes};
}

/// Builds a message with its table of segments in a block that has been filled with zeros.
/// @returns the number of its bytes.
template <class T>
size_t build_at(std::byte* pos, size_t num_bytes, const T& x) {
  capnp::FlatMessageBuilder builder{words_of(pos + word_bytes, num_bytes - word_bytes)};
  build(builder, x);
  auto num_words = builder.getSegmentsForOutput()[0].size();
  // One segment: the number of segments minus one, and the size.
  uint32_t table[2] = {0, static_cast<uint32_t>(num_words)};
  std::memcpy(pos, table, sizeof table);
  return (1 + num_words) * word_bytes;
}

template <class T>
bool read_at(std::span<const std::byte> in, T& x) {
  // The default limit is for what a stranger sends; the large values exceed it.
  constexpr capnp::ReaderOptions options{kj::maxValue, 64};
  try {
    capnp::FlatArrayMessageReader reader{
      {reinterpret_cast<const capnp::word*>(in.data()), in.size() / word_bytes}, options};
    return read(reader, x);
  } catch (const kj::Exception&) {
    return false;
  }
}

struct capnp_contender {
  static constexpr std::string_view name = "capnp";

  using buffer = fixed_buffer;

  static buffer make_buffer(size_t num_bytes) {
    return buffer{2 * generous(num_bytes)};
  }

  template <class T>
  static auto save(buffer& out, const T& x)
    -> decltype(build(std::declval<capnp::MessageBuilder&>(), x), true) {
    // Builders rely on zeros. The last message is in the way.
    std::memset(out.data(), 0, out.bytes().size());
    out.set_size(build_at(out.data(), out.capacity(), x));
    return true;
  }

  static std::span<const std::byte> bytes(const buffer& out) {
    return out.bytes();
  }

  template <class T>
  static bool load(std::span<const std::byte> in, T& x) {
    return read_at(in, x);
  }

  static bool view(std::span<const std::byte> in, size_t index, float& x) {
    constexpr capnp::ReaderOptions options{kj::maxValue, 64};
    capnp::FlatArrayMessageReader reader{
      {reinterpret_cast<const capnp::word*>(in.data()), in.size() / word_bytes}, options};
    auto values = reader.getRoot<cp::Bytes>().getValues();
    if ((index + 1) * sizeof(matrix4x4) > values.size())
      return false;
    std::memcpy(&x, values.begin() + index * sizeof(matrix4x4), sizeof x);
    return true;
  }
};

/// Messages with a word for the number of their type in front.
class capnp_stream {
public:
  static constexpr const char* name = "capnp";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    std::memset(out_.data(), 0, out_.bytes().size());
    size_t size = 0;
    auto put_one = [&](uint64_t tag, const auto& x) {
      std::memcpy(out_.data() + size, &tag, sizeof tag);
      size += sizeof tag;
      size += build_at(out_.data() + size, out_.capacity() - size, x);
    };
    for (auto& round : stream) {
      put_one(1, round.ints);
      put_one(2, round.reading);
      put_one(3, round.text);
      put_one(4, round.record);
    }
    out_.set_size(size);
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    auto get_one = [&bytes](uint64_t expected, auto& x) {
      uint64_t header[2] = {0, 0};
      if (bytes.size() < sizeof header)
        return false;
      std::memcpy(header, bytes.data(), sizeof header);
      auto size = word_bytes + (header[1] >> 32) * word_bytes;
      if (header[0] != expected || size > bytes.size() - word_bytes
          || !read_at(bytes.subspan(word_bytes, size), x))
        return false;
      bytes = bytes.subspan(word_bytes + size);
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
  fixed_buffer out_{size_t{512} << 10};
};

[[maybe_unused]] const bool added
  = add_peer({"capnp",
              std::to_string(CAPNP_VERSION_MAJOR) + '.' + std::to_string(CAPNP_VERSION_MINOR) + '.'
                + std::to_string(CAPNP_VERSION_MICRO),
              add_peer_codec<capnp_contender>, add_stream_contender<capnp_stream>});

} // namespace
} // namespace cafwire::bench
