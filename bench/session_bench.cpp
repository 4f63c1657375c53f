// This file is part of cafwire. See the file LICENSE for license terms.

// What a message costs in a session: `session/PAYLOAD/MODE/OPERATION`. The counter `wire_bytes` is
// the size of a whole message: definitions that it needs, signature slot, length and value.

#include "measure.hpp"
#include "messages.hpp"
#include "program.hpp"

#include <cafwire/codec.hpp>
#include <cafwire/init_global_meta_objects.hpp>
#include <cafwire/message/known_types.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>
#include <cafwire/wire/input_cursor.hpp>
#include <cafwire/wire/output_buffer.hpp>

#include <benchmark/benchmark.h>
#include <caf/init_global_meta_objects.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

namespace cafwire::bench {
namespace {

/// What becomes of the session between two messages.
enum class session_reuse {
  /// There is no session: the message is the bare value.
  no_session,

  /// Each message has a session of its own.
  none,

  /// All messages share a session that forgets its definitions before each message.
  forget,

  /// All messages share a session that has carried a message of this type before.
  full,
};

struct session_mode {
  const char* name;
  session_reuse reuse;

  /// Whether both sides hold the same registry of types.
  bool known;
};

constexpr session_mode fresh_mode = {"fresh", session_reuse::none, false};

constexpr session_mode modes[] = {
  {"none", session_reuse::no_session, false}, fresh_mode,
  {"manifest", session_reuse::forget, false}, {"reused", session_reuse::full, false},
  {"known", session_reuse::none, true},       {"known_reused", session_reuse::full, true},
};

/// What a writing or reading side is made from.
class session_factory {
public:
  explicit session_factory(const session_mode& mode) : types_(known_types::global()) {
    if (mode.known)
      options_.peer_registry_hash = types_->hash();
  }

  serializer_session writer() const {
    return serializer_session{types_, options_};
  }

  deserializer_session reader() const {
    return deserializer_session{types_, options_};
  }

private:
  known_types_ptr types_;
  session_options options_;
};

// -- operations -----------------------------------------------------------------------------------

/// Writes one message.
template <class T>
bool write(const session_mode& mode, serializer_session& session, output_buffer& out,
           const T& value) {
  if (mode.reuse == session_reuse::forget)
    session.reset();
  out.clear();
  return session.write(out, value) == ec::none;
}

/// Writes the value alone.
template <class T>
void run_bare_serialize(benchmark::State& state, const T& value) {
  output_buffer out;
  if (serialize(out, value) != ec::none) {
    report_failure(state, "cannot write the value");
    return;
  }
  escape(&value);
  escape(&out);
  measure(state, out.size(), [&] {
    out.clear();
    auto good = serialize(out, value) == ec::none;
    clobber();
    return good;
  });
}

/// Reads the value alone.
template <class T>
void run_bare_deserialize(benchmark::State& state, const T& value) {
  output_buffer out;
  T first;
  if (serialize(out, value) != ec::none || deserialize(out.bytes(), first) != ec::none
      || first != value) {
    report_failure(state, "the value does not survive");
    return;
  }
  auto in = out.bytes();
  escape(&in);
  measure(state, in.size(), [&] {
    T x;
    auto good = deserialize(in, x) == ec::none;
    escape(&x);
    return good;
  });
}

template <class T>
void run_serialize(benchmark::State& state, const session_mode& mode, const T& value) {
  if (mode.reuse == session_reuse::no_session)
    return run_bare_serialize(state, value);
  session_factory factory{mode};
  auto session = factory.writer();
  output_buffer out;
  if (!write(mode, session, out, value)
      || (mode.reuse != session_reuse::none && !write(mode, session, out, value))) {
    report_failure(state, "cannot write the value");
    return;
  }
  escape(&value);
  escape(&out);
  escape(&session);
  escape(&factory);
  measure(state, out.size(), [&] {
    auto good = false;
    if (mode.reuse == session_reuse::none) {
      auto fresh = factory.writer();
      good = write(mode, fresh, out, value);
    } else {
      good = write(mode, session, out, value);
    }
    clobber();
    return good;
  });
}

/// Reads one message.
template <class T>
bool read(deserializer_session& session, std::span<const std::byte> bytes, T& x) {
  input_cursor in{bytes};
  return session.read(in, x) == ec::none && in.at_end();
}

template <class T>
void run_deserialize(benchmark::State& state, const session_mode& mode, const T& value) {
  if (mode.reuse == session_reuse::no_session)
    return run_bare_deserialize(state, value);
  session_factory factory{mode};
  auto writer = factory.writer();
  auto session = factory.reader();
  output_buffer out;
  T first;
  if (!write(mode, writer, out, value) || !read(session, out.bytes(), first) || first != value) {
    report_failure(state, "the value does not survive the session");
    return;
  }
  // The second message of a session is what all others look like.
  if (mode.reuse != session_reuse::none && !write(mode, writer, out, value)) {
    report_failure(state, "cannot write the value");
    return;
  }
  auto in = out.bytes();
  escape(&in);
  escape(&session);
  escape(&factory);
  measure(state, in.size(), [&] {
    T x;
    auto good = false;
    if (mode.reuse == session_reuse::none) {
      auto fresh = factory.reader();
      good = read(fresh, in, x);
    } else {
      good = read(session, in, x);
    }
    escape(&x);
    return good;
  });
}

// -- registration ---------------------------------------------------------------------------------

/// Both sides start anew, as after a connection has ended, and exchange one message.
void run_reconnect(benchmark::State& state) {
  session_factory factory{fresh_mode};
  three_ints value{0x12345678, -0x23456789, 0x3456789A};
  output_buffer out;
  auto first = factory.writer();
  if (!write(fresh_mode, first, out, value)) {
    report_failure(state, "cannot write the value");
    return;
  }
  escape(&value);
  escape(&out);
  escape(&factory);
  measure(state, out.size(), [&] {
    auto writer = factory.writer();
    auto reader = factory.reader();
    three_ints x;
    auto good = write(fresh_mode, writer, out, value) && read(reader, out.bytes(), x);
    escape(&x);
    return good;
  });
}

/// @param suffix what stands behind the names of modes.
template <class T>
void add_payload(const std::string& payload, const T& value, const std::string& suffix) {
  for (auto& mode : modes) {
    auto name = "session/" + payload + '/' + mode.name + suffix;
    benchmark::RegisterBenchmark((name + "/serialize").c_str(), [&mode, value](auto& state) {
      run_serialize(state, mode, value);
    });
    benchmark::RegisterBenchmark((name + "/deserialize").c_str(), [&mode, value](auto& state) {
      run_deserialize(state, mode, value);
    });
  }
}

/// Adds a struct, with the fast path for structs and without.
template <class T>
void add_payload(const std::string& payload, const T& value) {
  add_payload(payload, value, "");
  add_payload(payload, fieldwise<T>{value}, "_fieldwise");
}

template <class T>
nested_map_of<T> make_nested_map() {
  nested_map_of<T> result;
  for (auto* outer : {"first", "second", "third", "fourth"})
    for (auto* inner : {"north", "east", "south", "west"})
      result[outer][inner] = T{three_ints{1, 2, 3}};
  return result;
}

void add_containers() {
  constexpr size_t num_structs = 64;
  three_ints_vector structs(num_structs, three_ints{1, -2, 3});
  fieldwise_vector others(num_structs, fieldwise<three_ints>{three_ints{1, -2, 3}});
  add_payload("structs", structs, "");
  add_payload("structs", others, "_fieldwise");
  add_payload("nested_map", make_nested_map<three_ints>(), "");
  add_payload("nested_map", make_nested_map<fieldwise<three_ints>>(), "_fieldwise");
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  using namespace cafwire::bench;
  cafwire::init_global_meta_objects<caf::id_block::cafwire_bench>();
  caf::core::init_global_meta_objects();
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  add_payload("one_field", one_field{0x123456789ABCDEF});
  add_payload("three_ints", three_ints{0x12345678, -0x23456789, 0x3456789A});
  add_payload("sixteen_fields", sixteen_fields{1, -2, 3, -4, 5, -6, 7, -8, 9, 10, 11, 12, 13, 14});
  add_containers();
  benchmark::RegisterBenchmark("session/reconnect", run_reconnect);
  return run();
}
