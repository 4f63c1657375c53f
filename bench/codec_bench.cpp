// This file is part of cafwire. See the file LICENSE for license terms.

// Encodes and decodes single values: `WORKLOAD/OPERATION/CONTENDER[/SIZE]`.

#include "codec_operations.hpp"
#include "peers/peer.hpp"
#include "struct12_ways.hpp"

#include <cafwire/init_global_meta_objects.hpp>

#include <benchmark/benchmark.h>
#include <caf/init_global_meta_objects.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cafwire::bench {
namespace {

// -- operations that only cafwire has -------------------------------------------------------------

/// Encodes into a new buffer each time.
template <class T>
void run_serialize_unpooled(benchmark::State& state, const T& value) {
  output_buffer first;
  if (serialize(first, value) != ec::none) {
    report_failure(state, "cannot encode the value");
    return;
  }
  escape(&value);
  measure(state, first.size(), [&] {
    output_buffer out;
    auto code = serialize(out, value);
    escape(&out);
    return code == ec::none;
  });
}

/// Opens a view of a matrix vector in shared bytes and reads one element.
void run_view(benchmark::State& state, const matrix_vector& value) {
  output_buffer out;
  if (serialize(out, value) != ec::none) {
    report_failure(state, "cannot encode the value");
    return;
  }
  auto input = share(std::move(out));
  auto middle = value.size() / 2;
  auto expected = value[middle].values[0];
  escape(&input);
  measure(state, input.bytes.size(), [&] {
    array_view<matrix4x4> xs;
    auto good = deserialize(input, xs) == ec::none;
    escape(&xs);
    return good && xs[middle].values[0] == expected;
  });
}

// -- registration ---------------------------------------------------------------------------------

/// Stops the program unless `hand` writes the same bytes as cafwire, because comparing times makes
/// no sense otherwise.
template <class T>
void compare_bytes(const workload<T>& what) {
  auto ours = cafwire_contender::make_buffer(0);
  auto theirs = hand_contender::make_buffer(0);
  if (!cafwire_contender::save(ours, *what.value) || !hand_contender::save(theirs, *what.value)
      || !std::ranges::equal(ours.bytes(), theirs.bytes())) {
    std::fprintf(stderr, "codec_bench: %s: hand does not write the same bytes as cafwire\n",
                 what.name.c_str());
    std::abort();
  }
}

template <class T>
void add_workload(const workload<T>& what) {
  compare_bytes(what);
  add_contender<cafwire_contender>(what);
  auto unpooled = what.name + "/serialize/cafwire_unpooled" + what.suffix;
  benchmark::RegisterBenchmark(unpooled.c_str(), [what](benchmark::State& state) {
    run_serialize_unpooled(state, *what.value);
  });
  add_contender<caf_contender>(what);
  add_contender<hand_contender>(what);
  // More contenders can do with values that are one block of memory.
  if constexpr (is_flat<T>) {
    add_contender<memcpy_contender>(what);
    add_contender<elements_contender>(what);
  }
  if constexpr (std::is_same_v<T, matrix_vector>) {
    auto view = what.name + "/view/cafwire" + what.suffix;
    benchmark::RegisterBenchmark(view.c_str(),
                                 [what](benchmark::State& state) { run_view(state, *what.value); });
  }
}

codec_workloads make_workloads() {
  codec_workloads result{make_workload("struct12", "", make_struct12()),
                         make_workload("mixed", "", make_mixed()),
                         {},
                         {},
                         make_workload("objects", "", make_objects(100)),
                         make_workload("strings", "", make_strings(1000)),
                         make_workload("string_map", "", make_string_map(1000)),
                         make_workload("bools", "", make_bools(1000)),
                         make_workload("deque", "", make_deque(1000))};
  for (auto n : std::vector<size_t>{1, 64, 1024, 262144, 16777216})
    result.bytes.push_back(make_workload("bytes", '/' + std::to_string(n), make_bytes(n)));
  std::vector<size_t> sizes{1, 64, 1024, 4096, 1048576};
  // One gigabyte, three times over: only on request.
  auto* large = std::getenv("CAFWIRE_BENCH_LARGE");
  if (large != nullptr && std::string_view{large} == "1")
    sizes.push_back(16777216);
  for (auto n : sizes)
    result.matrices.push_back(
      make_workload("matrix4x4", '/' + std::to_string(n), make_matrices(n)));
  return result;
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  using namespace cafwire::bench;
  cafwire::init_global_meta_objects<caf::id_block::cafwire_bench>();
  caf::core::init_global_meta_objects();
  if (!initialize(argc, argv))
    return EXIT_FAILURE;
  auto workloads = make_workloads();
  workloads.for_each([](auto& what) { add_workload(what); });
  add_struct12_ways(*workloads.ints.value);
  for (auto& peer : peers()) {
    benchmark::AddCustomContext("peer_" + std::string{peer.name}, peer.version);
    peer.add_codec(workloads);
  }
  return run();
}
