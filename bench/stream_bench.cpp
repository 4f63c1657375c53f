// This file is part of cafwire. See the file LICENSE for license terms.

// A stream of 1000 small messages of four types in turn: `stream/OPERATION/CONTENDER` with values,
// `stream_message/OPERATION/CONTENDER` with messages of CAF. An operation writes or reads the whole
// stream. cafwire sends it through one session that has told about its types before.

#include "caf_api.hpp"
#include "hand_objects.hpp"
#include "measure.hpp"
#include "messages.hpp"
#include "program.hpp"

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

constexpr size_t num_rounds = 250;

/// What one round of the stream consists of.
struct round_values {
  three_ints ints;
  sample reading;
  note text;
  mixed record;

  friend bool operator==(const round_values&, const round_values&) = default;
};

std::vector<round_values> make_stream() {
  auto texts = make_strings(num_rounds);
  std::vector<round_values> result(num_rounds);
  for (size_t i = 0; i < num_rounds; ++i) {
    auto n = static_cast<int32_t>(i);
    result[i].ints = {n, -n, 2 * n};
    result[i].reading = {i * 0x123456789, 0.5 * static_cast<double>(i), static_cast<uint32_t>(i)};
    result[i].text = {static_cast<uint32_t>(i), texts[i]};
    result[i].record = make_mixed();
    result[i].record.id += n;
  }
  return result;
}

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

/// Calls `fn` with all values of a round until it returns false.
template <class Round, class Fn>
bool each_of(Round& x, Fn fn) {
  return fn(x.ints) && fn(x.reading) && fn(x.text) && fn(x.record);
}

// -- contenders -----------------------------------------------------------------------------------

// Each one writes into a buffer of its own and reads what `bytes()` returns. `prepare` is called
// once.

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

// -- operations -----------------------------------------------------------------------------------

template <class Contender, class Values>
void run_serialize(benchmark::State& state, const std::vector<round_values>& stream,
                   const Values& values) {
  Contender contender;
  if (!contender.prepare(stream) || !contender.save(values)) {
    report_failure(state, "cannot write the stream");
    return;
  }
  escape(&values);
  escape(&contender);
  measure(state, contender.bytes().size(), [&] {
    auto good = contender.save(values);
    clobber();
    return good;
  });
}

template <class Contender, class Values>
void run_deserialize(benchmark::State& state, const std::vector<round_values>& stream,
                     const Values& values) {
  Contender contender;
  if (!contender.prepare(stream) || !contender.save(values)) {
    report_failure(state, "cannot write the stream");
    return;
  }
  auto in = contender.bytes();
  auto copy = values;
  escape(&in);
  escape(&copy);
  measure(state, in.size(), [&] {
    auto good = contender.load(in, copy);
    clobber();
    return good;
  });
}

/// Stops the program unless a contender gets the stream back and writes the bytes of cafwire, if it
/// claims to.
template <class Contender>
void verify(const std::vector<round_values>& stream, bool same_bytes) {
  cafwire_stream ours;
  Contender theirs;
  std::vector<round_values> copy(stream.size());
  if (!ours.prepare(stream) || !ours.save(stream) || !theirs.prepare(stream) || !theirs.save(stream)
      || !theirs.load(theirs.bytes(), copy) || copy != stream
      || (same_bytes && !std::ranges::equal(ours.bytes(), theirs.bytes()))) {
    std::fprintf(stderr, "stream_bench: %s does not work\n", Contender::name);
    std::abort();
  }
}

template <class Contender>
void add_contender(const std::vector<round_values>& stream,
                   const std::vector<caf::message>& messages, bool same_bytes) {
  verify<Contender>(stream, same_bytes);
  auto add = [&](const char* workload, const char* operation, auto run, auto& values) {
    auto name = std::string{workload} + '/' + operation + '/' + Contender::name;
    benchmark::RegisterBenchmark(name.c_str(), [run, &stream, &values](benchmark::State& state) {
      run(state, stream, values);
    });
  };
  using message_vector = std::vector<caf::message>;
  using value_vector = std::vector<round_values>;
  add("stream", "serialize", run_serialize<Contender, value_vector>, stream);
  add("stream", "deserialize_reuse", run_deserialize<Contender, value_vector>, stream);
  add("stream_message", "serialize", run_serialize<Contender, message_vector>, messages);
  add("stream_message", "deserialize", run_deserialize<Contender, message_vector>, messages);
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
  add_contender<cafwire_stream>(stream, messages, true);
  add_contender<caf_stream>(stream, messages, false);
  add_contender<hand_stream>(stream, messages, true);
  return run();
}
