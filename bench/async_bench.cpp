// This file is part of cafwire. See the file LICENSE for license terms.

// Encodes and decodes lists of objects in the calling thread and off it, with and without a pool of
// buffers: `objectsN/OPERATION/CONTENDER`. For the asynchronous operations, the CPU time is what
// the caller spends, and the real time is how long it takes until the caller has the result. Their
// allocations are those of all threads.

#include "caf_api.hpp"
#include "measure.hpp"
#include "measure_process.hpp"
#include "messages.hpp"
#include "program.hpp"

#include <cafwire/init_global_meta_objects.hpp>
#include <cafwire/message/async.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace cafwire::bench {
namespace {

using value_ptr = std::shared_ptr<const object_vector>;

/// Buffers of any size are worth keeping here.
std::shared_ptr<buffer_pool> make_pool() {
  return std::make_shared<buffer_pool>(8, size_t{64} << 20);
}

/// The encoding of a value.
shared_bytes encode(const object_vector& value) {
  output_buffer out;
  if (serialize(out, value) != ec::none)
    std::abort();
  return share(std::move(out));
}

// -- in the calling thread ------------------------------------------------------------------------

/// Encodes into a buffer from a pool, which is also how `serialize_async` works.
void run_serialize(benchmark::State& state, const object_vector& value,
                   const std::shared_ptr<buffer_pool>& pool) {
  measure(state, encode(value).bytes.size(), [&] {
    auto out = pool != nullptr ? pool->acquire() : output_buffer{};
    auto code = serialize(out, value);
    escape(&out);
    if (pool != nullptr)
      pool->release(std::move(out));
    return code == ec::none;
  });
}

void run_stock_serialize(benchmark::State& state, const object_vector& value) {
  caf::byte_buffer out;
  stock_save(out, value);
  measure(state, out.size(), [&] {
    out.clear();
    return stock_save(out, value);
  });
}

void run_deserialize(benchmark::State& state, const object_vector& value) {
  auto input = encode(value);
  measure(state, input.bytes.size(), [&] {
    object_vector x;
    auto good = deserialize(input, x) == ec::none;
    escape(&x);
    return good;
  });
}

void run_stock_deserialize(benchmark::State& state, const object_vector& value) {
  caf::byte_buffer out;
  stock_save(out, value);
  auto bytes = std::as_bytes(std::span{out.data(), out.size()});
  measure(state, out.size(), [&] {
    object_vector x;
    auto good = stock_load(bytes, x);
    escape(&x);
    return good;
  });
}

// -- off the caller -------------------------------------------------------------------------------

/// Waits for the response.
template <class T, class Handle>
bool wait(Handle handle) {
  auto good = false;
  std::move(handle).receive(
    [&](T& x) {
      escape(&x);
      good = true;
    },
    [](caf::error&) {});
  return good;
}

void run_serialize_async(benchmark::State& state, caf::actor_system& sys, const value_ptr& value,
                         const std::shared_ptr<buffer_pool>& pool) {
  caf::scoped_actor self{sys};
  async_options options;
  options.buffers = pool;
  measure_process(state, encode(*value).bytes.size(),
                  [&] { return wait<shared_bytes>(serialize_async(self, value, options)); });
}

void run_deserialize_async(benchmark::State& state, caf::actor_system& sys,
                           const value_ptr& value) {
  caf::scoped_actor self{sys};
  auto input = encode(*value);
  measure_process(state, input.bytes.size(), [&] {
    return wait<object_vector>(deserialize_async<object_vector>(self, input));
  });
}

// -- registration ---------------------------------------------------------------------------------

void add_benchmarks(caf::actor_system& sys) {
  for (auto n : {10, 100, 1000, 10000}) {
    auto value = std::make_shared<const object_vector>(make_objects(static_cast<size_t>(n)));
    auto workload = "objects" + std::to_string(n) + '/';
    auto add = [&](const char* name, auto run) {
      return benchmark::RegisterBenchmark((workload + name).c_str(), run);
    };
    add("serialize/cafwire", [=](auto& state) { run_serialize(state, *value, make_pool()); });
    add("serialize/cafwire_unpooled", [=](auto& state) { run_serialize(state, *value, nullptr); });
    add("serialize/caf", [=](auto& state) { run_stock_serialize(state, *value); });
    add("deserialize/cafwire", [=](auto& state) { run_deserialize(state, *value); });
    add("deserialize/caf", [=](auto& state) { run_stock_deserialize(state, *value); });
    add("serialize_async/cafwire",
        [=, &sys](auto& state) { run_serialize_async(state, sys, value, make_pool()); });
    add("serialize_async/cafwire_unpooled",
        [=, &sys](auto& state) { run_serialize_async(state, sys, value, nullptr); });
    add("deserialize_async/cafwire",
        [=, &sys](auto& state) { run_deserialize_async(state, sys, value); });
  }
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  cafwire::init_global_meta_objects<caf::id_block::cafwire_bench>();
  caf::core::init_global_meta_objects();
  if (!cafwire::bench::initialize(argc, argv))
    return EXIT_FAILURE;
  caf::actor_system_config config;
  config.set("caf.scheduler.max-threads", 2);
  caf::actor_system sys{config};
  cafwire::bench::add_benchmarks(sys);
  auto result = cafwire::bench::run();
  benchmark::ClearRegisteredBenchmarks();
  return result;
}
