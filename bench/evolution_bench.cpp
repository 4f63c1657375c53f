// This file is part of cafwire. See the file LICENSE for license terms.

// What it costs to read another version of a type: `evolution/PAYLOAD/PEER`, where the peer has the
// `same` version, or an `older` one with narrower numbers and without one of the fields.

#include "measure.hpp"
#include "program.hpp"

#include <cafwire/evolution/aliases.hpp>
#include <cafwire/init_global_meta_objects.hpp>
#include <cafwire/message/known_types.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>
#include <cafwire/wire/input_cursor.hpp>
#include <cafwire/wire/output_buffer.hpp>

#include <benchmark/benchmark.h>
#include <caf/init_global_meta_objects.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace cafwire::bench {

struct old_tick {
  int64_t time = 1;
  int32_t price = 2;
  int32_t volume = 3;
};

template <class Inspector>
bool inspect(Inspector& f, old_tick& x) {
  return f.object(x).fields(f.field("time", x.time), f.field("price", x.price),
                            f.field("volume", x.volume));
}

struct tick {
  int64_t time = 1;
  double price = 2;
  int32_t volume = 3;
  int32_t venue = 4;
};

template <class Inspector>
bool inspect(Inspector& f, tick& x) {
  return f.object(x).fields(f.field("time", x.time), f.field("price", x.price),
                            f.field("volume", x.volume), f.field("venue", x.venue));
}

template <class Tick>
struct page {
  std::string symbol = "CAF";
  std::vector<Tick> ticks;
};

template <class Inspector, class Tick>
bool inspect(Inspector& f, page<Tick>& x) {
  return f.object(x).fields(f.field("symbol", x.symbol), f.field("ticks", x.ticks));
}

using old_page = page<old_tick>;
using new_page = page<tick>;

} // namespace cafwire::bench

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_evolution_bench, first_custom_type_id)

  CAF_ADD_TYPE_ID(cafwire_evolution_bench, (cafwire::bench::old_tick))
  CAF_ADD_TYPE_ID(cafwire_evolution_bench, (cafwire::bench::tick))
  CAF_ADD_TYPE_ID(cafwire_evolution_bench, (cafwire::bench::old_page))
  CAF_ADD_TYPE_ID(cafwire_evolution_bench, (cafwire::bench::new_page))

CAF_END_TYPE_ID_BLOCK(cafwire_evolution_bench)

namespace cafwire::bench {
namespace {

/// Reads the same message of a session over and over.
template <class To, class From>
void run_read(benchmark::State& state, const From& value) {
  serializer_session writer;
  deserializer_session reader{known_types::only({caf::type_id_v<tick>, caf::type_id_v<new_page>})};
  output_buffer out;
  To result;
  auto good = writer.write(out, value) == ec::none;
  input_cursor first{out.bytes()};
  good = good && reader.read(first, result) == ec::none;
  out.clear();
  good = good && writer.write(out, value) == ec::none;
  if (!good) {
    report_failure(state, "cannot read the value");
    return;
  }
  escape(&result);
  escape(&out);
  escape(&reader);
  measure(state, out.size(), [&] {
    input_cursor in{out.bytes()};
    auto ok = reader.read(in, result) == ec::none;
    clobber();
    return ok;
  });
}

template <class To, class From>
void add(const std::string& name, From value) {
  benchmark::RegisterBenchmark(("evolution/" + name).c_str(),
                               [value](auto& state) { run_read<To>(state, value); });
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  using namespace cafwire::bench;
  cafwire::init_global_meta_objects<caf::id_block::cafwire_evolution_bench>();
  caf::core::init_global_meta_objects();
  cafwire::alias<tick>("cafwire::bench::old_tick");
  cafwire::alias<new_page>("cafwire::bench::old_page");
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  constexpr size_t num_ticks = 10'000;
  add<tick>("struct/same", tick{});
  add<tick>("struct/older", old_tick{});
  add<new_page>("array_of_structs/same", new_page{"CAF", std::vector<tick>(num_ticks)});
  add<new_page>("array_of_structs/older", old_page{"CAF", std::vector<old_tick>(num_ticks)});
  return run();
}
