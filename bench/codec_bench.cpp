// This file is part of cafwire. See the file LICENSE for license terms.

// Encodes and decodes single values: `WORKLOAD/OPERATION/CONTENDER[/SIZE]`.

#include "contenders.hpp"
#include "measure.hpp"
#include "messages.hpp"
#include "placement.hpp"
#include "program.hpp"
#include "workloads.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cafwire::bench {
namespace {

/// Vectors whose memory is one block.
template <class T>
constexpr bool is_vector = is_flat<T>&& std::is_class_v<T>&& requires(T x) {
  x.data();
};

template <class T>
memory_range content_range(const T& value) {
  return {content_of(value), payload_bytes(value)};
}

/// Room for the value in the encoding of any contender.
template <class T>
size_t buffer_bytes(const T& value) {
  return payload_bytes(value) + 64;
}

// -- operations -----------------------------------------------------------------------------------

/// Encodes into the same buffer again and again.
template <class Contender, class T>
void run_serialize(benchmark::State& state, const T& value) {
  placement<typename Contender::buffer> place{buffer_bytes(value),
                                              {range_of(value), content_range(value)},
                                              [&] {
                                                return Contender::make_buffer(buffer_bytes(value));
                                              }};
  auto& out = place.get();
  if (!Contender::save(out, value)) {
    report_failure(state, "cannot encode the value");
    return;
  }
  escape(&value);
  escape(&out);
  measure(state, Contender::bytes(out).size(), [&] {
    auto good = Contender::save(out, value);
    clobber();
    return good;
  });
}

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

/// The type of a new object that a contender reads into.
template <class Contender, class T>
auto fresh_type_of() {
  if constexpr (requires { typename Contender::template fresh_type<T>; })
    return std::type_identity<typename Contender::template fresh_type<T>>{};
  else
    return std::type_identity<T>{};
}

/// Encodes a value once, for decoding.
template <class Contender, class T>
typename Contender::buffer encode_once(const T& value) {
  auto out = Contender::make_buffer(buffer_bytes(value));
  if (!Contender::save(out, value))
    throw std::runtime_error{"cannot encode the value"};
  return out;
}

/// Decodes into a new object each time.
template <class Contender, class T>
void run_deserialize(benchmark::State& state, const T& value) {
  std::span<const std::byte> in;
  placement<typename Contender::buffer> source{buffer_bytes(value), {range_of(in)}, [&] {
                                                 return encode_once<Contender>(value);
                                               }};
  in = Contender::bytes(source.get());
  std::optional<placement<T>> target;
  if constexpr (is_vector<T>) {
    target.emplace(payload_bytes(value),
                   std::vector<memory_range>{range_of(in), {in.data(), in.size()}},
                   [&] { return value; });
    target->vacate();
  }
  escape(&in);
  measure(state, in.size(), [&] {
    typename decltype(fresh_type_of<Contender, T>())::type x;
    auto good = Contender::load(in, x);
    escape(&x);
    return good;
  });
}

template <class Contender, class T>
void measure_reuse(benchmark::State& state, std::span<const std::byte>& in, T& x) {
  escape(&in);
  escape(&x);
  measure(state, in.size(), [&] {
    auto good = Contender::load(in, x);
    clobber();
    return good;
  });
}

/// Decodes into the same object again and again.
template <class Contender, class T>
void run_deserialize_reuse(benchmark::State& state, const T& value) {
  auto x = value;
  std::span<const std::byte> in;
  placement<typename Contender::buffer> source{buffer_bytes(value),
                                               {range_of(in), range_of(x)},
                                               [&] { return encode_once<Contender>(value); }};
  in = Contender::bytes(source.get());
  if constexpr (is_vector<T>) {
    placement<T> target{payload_bytes(value), {range_of(in), {in.data(), in.size()}}, [&] {
                          return value;
                        }};
    measure_reuse<Contender>(state, in, target.get());
  } else {
    measure_reuse<Contender>(state, in, x);
  }
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

// -- verification ---------------------------------------------------------------------------------

[[noreturn]] void fail(const std::string& workload, std::string_view contender, const char* what) {
  std::fprintf(stderr, "codec_bench: %s: %.*s %s\n", workload.c_str(),
               static_cast<int>(contender.size()), contender.data(), what);
  std::abort();
}

/// Stops the program unless a contender gets its value back.
template <class Contender, class T>
void verify_round_trip(const std::string& workload, const T& value) {
  auto out = Contender::make_buffer(buffer_bytes(value));
  T copy;
  if (!Contender::save(out, value) || !Contender::load(Contender::bytes(out), copy)
      || copy != value)
    fail(workload, Contender::name, "does not return the value that it was given");
}

/// Stops the program unless `hand` writes the same bytes as cafwire, because comparing times makes
/// no sense otherwise, and unless the most important codecs work.
template <class T>
void verify(const std::string& workload, const T& value) {
  auto ours = cafwire_contender::make_buffer(0);
  auto theirs = hand_contender::make_buffer(0);
  if (!cafwire_contender::save(ours, value) || !hand_contender::save(theirs, value)
      || !std::ranges::equal(ours.bytes(), theirs.bytes()))
    fail(workload, hand_contender::name, "does not write the same bytes as cafwire");
  verify_round_trip<cafwire_contender>(workload, value);
  verify_round_trip<hand_contender>(workload, value);
}

// -- registration ---------------------------------------------------------------------------------

template <class Contender, class T>
void add_contender(const std::string& workload, const std::string& suffix,
                   const std::shared_ptr<const T>& value) {
  auto add = [&](const char* operation, auto run) {
    auto name = workload + '/' + operation + '/' + std::string{Contender::name} + suffix;
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) { run(state, *value); });
  };
  add("serialize", run_serialize<Contender, T>);
  add("deserialize", run_deserialize<Contender, T>);
  add("deserialize_reuse", run_deserialize_reuse<Contender, T>);
}

/// Adds all operations for the contenders that can do with any value, and returns the value, which
/// the benchmarks share.
/// @param suffix the size of the workload behind a slash, or empty.
template <class T>
std::shared_ptr<const T>
add_workload(const std::string& workload, const std::string& suffix, T made) {
  auto value = std::make_shared<const T>(std::move(made));
  verify(workload + suffix, *value);
  add_contender<cafwire_contender>(workload, suffix, value);
  auto unpooled = workload + "/serialize/cafwire_unpooled" + suffix;
  benchmark::RegisterBenchmark(unpooled.c_str(), [=](benchmark::State& state) {
    run_serialize_unpooled(state, *value);
  });
  add_contender<caf_contender>(workload, suffix, value);
  add_contender<hand_contender>(workload, suffix, value);
  // Stock CAF takes seconds for the large values.
  if (payload_bytes(*value) <= size_t{1} << 20)
    verify_round_trip<caf_contender>(workload, *value);
  return value;
}

/// The same for values that are one block of memory, which more contenders can do with.
template <class T>
void add_flat_workload(const std::string& workload, const std::string& suffix, T made) {
  auto value = add_workload(workload, suffix, std::move(made));
  add_contender<memcpy_contender>(workload, suffix, value);
  add_contender<elements_contender>(workload, suffix, value);
  if (payload_bytes(*value) <= size_t{1} << 20)
    verify_round_trip<elements_contender>(workload, *value);
}

void add_benchmarks() {
  add_flat_workload("struct12", "", make_struct12());
  add_flat_workload("mixed", "", make_mixed());
  for (auto n : std::vector<size_t>{1, 64, 1024, 262144, 16777216})
    add_flat_workload("bytes", '/' + std::to_string(n), make_bytes(n));
  std::vector<size_t> sizes{1, 64, 1024, 4096, 1048576};
  // One gigabyte, three times over: only on request.
  auto* large = std::getenv("CAFWIRE_BENCH_LARGE");
  if (large != nullptr && std::string_view{large} == "1")
    sizes.push_back(16777216);
  for (auto n : sizes) {
    add_flat_workload("matrix4x4", '/' + std::to_string(n), make_matrices(n));
    auto name = "matrix4x4/view/cafwire/" + std::to_string(n);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      run_view(state, make_matrices(n));
    });
  }
  add_workload("objects", "", make_objects(100));
  add_workload("strings", "", make_strings(1000));
  add_workload("string_map", "", make_string_map(1000));
  add_workload("bools", "", make_bools(1000));
  add_workload("deque", "", make_deque(1000));
}

} // namespace
} // namespace cafwire::bench

int main(int argc, char** argv) {
  if (!cafwire::bench::initialize(argc, argv))
    return EXIT_FAILURE;
  cafwire::bench::add_benchmarks();
  return cafwire::bench::run();
}
