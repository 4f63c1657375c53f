// This file is part of cafwire. See the file LICENSE for license terms.

// A stream of 1000 small messages of four types in turn: `stream/OPERATION/CONTENDER` with values,
// `stream_message/OPERATION/CONTENDER` with messages of CAF. An operation writes or reads the whole
// stream. cafwire sends it through one session that has told about its types before.

#include "caf_api.hpp"
#include "hand_objects.hpp"
#include "measure.hpp"
#include "messages.hpp"
#include "peers/peer.hpp"
#include "program.hpp"
#include "stream_operations.hpp"

#include <cafwire/init_global_meta_objects.hpp>
#include <cafwire/message/known_types.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include <benchmark/benchmark.h>
#include <caf/init_global_meta_objects.hpp>
#include <caf/message.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace cafwire::bench {
namespace {

std::vector<caf::message> make_messages(const std::vector<round_values>& stream) {
  std::vector<caf::message> result;
  for (auto& x : stream) {
    result.push_back(caf::make_message(x.ints));
    result.push_back(caf::make_message(x.reading));
    result.push_back(caf::make_message(x.text));
    result.push_back(caf::make_message(x.record));
  }
  return result;
}

// -- contenders -----------------------------------------------------------------------------------

class cafwire_stream {
public:
  static constexpr const char* name = "cafwire";

  bool prepare(const std::vector<round_values>& stream) {
    output_buffer first;
    three_ints ints;
    sample reading;
    note text;
    mixed record;
    auto good = each_of(stream.front(),
                        [&](auto& x) { return writer_.write(first, x) == ec::none; });
    input_cursor in{first.bytes()};
    return good && reader_.read(in, ints) == ec::none && reader_.read(in, reading) == ec::none
           && reader_.read(in, text) == ec::none && reader_.read(in, record) == ec::none;
  }

  bool save(const std::vector<round_values>& stream) {
    out_.clear();
    for (auto& round : stream)
      if (!each_of(round, [&](auto& x) { return writer_.write(out_, x) == ec::none; }))
        return false;
    return true;
  }

  bool save(const std::vector<caf::message>& messages) {
    out_.clear();
    for (auto& msg : messages)
      if (writer_.write_message(out_, msg) != ec::none)
        return false;
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    input_cursor in{bytes};
    for (auto& round : stream)
      if (!each_of(round, [&](auto& x) { return reader_.read(in, x) == ec::none; }))
        return false;
    return in.at_end();
  }

  bool load(std::span<const std::byte> bytes, std::vector<caf::message>& messages) {
    input_cursor in{bytes};
    for (auto& msg : messages)
      if (reader_.read_message(in, msg) != ec::none)
        return false;
    return in.at_end();
  }

  std::span<const std::byte> bytes() const {
    return out_.bytes();
  }

private:
  serializer_session writer_;
  deserializer_session reader_;
  output_buffer out_;
};

/// Values one behind the other, without types; messages with CAF's own type lists.
class caf_stream {
public:
  static constexpr const char* name = "caf";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    out_.clear();
    stock_sink sink{out_};
    for (auto& round : stream)
      if (!each_of(round, [&](auto& x) { return sink.apply(x); }))
        return false;
    return true;
  }

  bool save(const std::vector<caf::message>& messages) {
    out_.clear();
    stock_sink sink{out_};
    for (auto& msg : messages)
      if (!sink.apply(msg))
        return false;
    return true;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    stock_source source{bytes};
    for (auto& round : stream)
      if (!each_of(round, [&](auto& x) { return source.apply(x); }))
        return false;
    return source.remaining() == 0;
  }

  bool load(std::span<const std::byte> bytes, std::vector<caf::message>& messages) {
    stock_source source{bytes};
    for (auto& msg : messages)
      if (!source.apply(msg))
        return false;
    return source.remaining() == 0;
  }

  std::span<const std::byte> bytes() const {
    return {reinterpret_cast<const std::byte*>(out_.data()), out_.size()};
  }

private:
  caf::byte_buffer out_;
};

/// The bytes of a session, written by code that knows the four types and their slots.
class hand_stream {
public:
  static constexpr const char* name = "hand";

  bool prepare(const std::vector<round_values>&) {
    return true;
  }

  bool save(const std::vector<round_values>& stream) {
    out_.clear();
    for (auto& round : stream)
      if (!put(round.ints) || !put(round.reading) || !put(round.text) || !put(round.record))
        return false;
    return true;
  }

  bool save(const std::vector<caf::message>& messages) {
    out_.clear();
    auto good = true;
    for (auto& msg : messages) {
      auto type = msg.type_at(0);
      if (type == caf::type_id_v<three_ints>)
        good &= put(msg.get_as<three_ints>(0));
      else if (type == caf::type_id_v<sample>)
        good &= put(msg.get_as<sample>(0));
      else if (type == caf::type_id_v<note>)
        good &= put(msg.get_as<note>(0));
      else if (type == caf::type_id_v<mixed>)
        good &= put(msg.get_as<mixed>(0));
      else
        return false;
    }
    return good;
  }

  bool load(std::span<const std::byte> bytes, std::vector<round_values>& stream) {
    hand_detail::reader in{bytes};
    for (auto& round : stream)
      if (!get(in, round.ints) || !get(in, round.reading) || !get(in, round.text)
          || !get(in, round.record))
        return false;
    return in.left() == 0;
  }

  bool load(std::span<const std::byte> bytes, std::vector<caf::message>& messages) {
    hand_detail::reader in{bytes};
    for (size_t i = 0; i < messages.size(); i += 4)
      if (!get_message<three_ints>(in, messages[i]) || !get_message<sample>(in, messages[i + 1])
          || !get_message<note>(in, messages[i + 2]) || !get_message<mixed>(in, messages[i + 3]))
        return false;
    return in.left() == 0;
  }

  std::span<const std::byte> bytes() const {
    return out_.bytes();
  }

private:
  template <class T>
  static constexpr uint8_t slot_of = std::is_same_v<T, three_ints> ? 1
                                     : std::is_same_v<T, sample>   ? 2
                                     : std::is_same_v<T, note>     ? 3
                                                                   : 4;

  template <class T>
  static constexpr uint8_t size_of = std::is_same_v<T, three_ints> ? 12
                                     : std::is_same_v<T, sample>   ? 20
                                                                   : hand_codec::mixed_bytes;

  template <class T>
  bool put(const T& x) {
    using hand_detail::put;
    if (!out_.reserve_more(2 + size_of<T>))
      return false;
    auto* pos = out_.data() + out_.size();
    pos = put(pos, slot_of<T>);
    pos = put(pos, size_of<T>);
    if constexpr (std::is_same_v<T, three_ints>) {
      pos = put(pos, x);
    } else if constexpr (std::is_same_v<T, sample>) {
      pos = put(pos, x.id);
      pos = put(pos, x.value);
      pos = put(pos, x.flags);
    } else {
      pos = put(pos, x.id);
      pos = put(pos, x.weight);
      pos = put(pos, x.kind);
      pos = put(pos, x.count);
      pos = put(pos, x.position);
      pos = put(pos, x.active);
    }
    out_.set_size(static_cast<size_t>(pos - out_.data()));
    return true;
  }

  bool put(const note& x) {
    using hand_detail::put;
    auto n = x.text.size();
    if (n >= 0x80 || !out_.reserve_more(2 + 4 + 2 + n))
      return false;
    auto* pos = out_.data() + out_.size();
    pos = put(pos, slot_of<note>);
    pos = put(pos, static_cast<uint8_t>(4 + 1 + n));
    pos = put(pos, x.id);
    pos = put(pos, static_cast<uint8_t>(n));
    hand_detail::copy_some(pos, x.text.data(), n);
    out_.set_size(static_cast<size_t>(pos - out_.data()) + n);
    return true;
  }

  template <class T>
  static bool get(hand_detail::reader& in, T& x) {
    using hand_detail::get;
    if (in.left() < 2 + size_of<T> || in.pos[0] != std::byte{slot_of<T>}
        || in.pos[1] != std::byte{size_of<T>})
      return false;
    auto* pos = in.pos + 2;
    in.pos += 2 + size_of<T>;
    if constexpr (std::is_same_v<T, three_ints>) {
      get(pos, x);
    } else if constexpr (std::is_same_v<T, sample>) {
      pos = get(pos, x.id);
      pos = get(pos, x.value);
      get(pos, x.flags);
    } else {
      return hand_codec::load({pos, size_of<T>}, x);
    }
    return true;
  }

  static bool get(hand_detail::reader& in, note& x) {
    using hand_detail::get;
    if (in.left() < 2 + 5 || in.pos[0] != std::byte{slot_of<note>})
      return false;
    auto size = static_cast<size_t>(in.pos[1]);
    auto* pos = in.pos + 2;
    if (size < 5 || size >= 0x80 || size > in.left() - 2 || static_cast<size_t>(pos[4]) != size - 5)
      return false;
    in.pos = pos + size;
    get(pos, x.id);
    x.text.assign(reinterpret_cast<const char*>(pos + 5), size - 5);
    return true;
  }

  template <class T>
  static bool get_message(hand_detail::reader& in, caf::message& msg) {
    T x;
    if (!get(in, x))
      return false;
    msg = caf::make_message(std::move(x));
    return true;
  }

  output_buffer out_;
};

// -- registration ---------------------------------------------------------------------------------

/// Stops the program unless `hand` writes the bytes of cafwire.
void compare_bytes(const std::vector<round_values>& stream) {
  cafwire_stream ours;
  hand_stream theirs;
  if (!ours.prepare(stream) || !ours.save(stream) || !theirs.save(stream)
      || !std::ranges::equal(ours.bytes(), theirs.bytes())) {
    std::fprintf(stderr, "stream_bench: hand does not write the same bytes as cafwire\n");
    std::abort();
  }
}

template <class Contender>
void add_contender(const std::vector<round_values>& stream,
                   const std::vector<caf::message>& messages) {
  add_stream_contender<Contender>(stream);
  auto add = [&](const char* operation, auto run) {
    auto name = std::string{"stream_message/"} + operation + '/' + Contender::name;
    benchmark::RegisterBenchmark(name.c_str(), [run, &stream, &messages](benchmark::State& state) {
      run(state, stream, messages);
    });
  };
  add("serialize", run_stream_serialize<Contender, std::vector<caf::message>>);
  add("deserialize", run_stream_deserialize<Contender, std::vector<caf::message>>);
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  using namespace cafwire::bench;
  cafwire::init_global_meta_objects<caf::id_block::cafwire_bench>();
  caf::core::init_global_meta_objects();
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  auto stream = make_stream();
  auto messages = make_messages(stream);
  compare_bytes(stream);
  add_contender<cafwire_stream>(stream, messages);
  add_contender<caf_stream>(stream, messages);
  add_contender<hand_stream>(stream, messages);
  for (auto& peer : peers())
    if (peer.add_stream != nullptr)
      peer.add_stream(stream);
  return run();
}
