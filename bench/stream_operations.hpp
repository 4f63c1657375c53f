// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "measure.hpp"
#include "messages.hpp"
#include "program.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cafwire::bench {

// The stream of the program `stream_bench` and its operations for any contender.

inline constexpr size_t num_rounds = 250;

/// What one round of the stream consists of.
struct round_values {
  three_ints ints;
  sample reading;
  note text;
  mixed record;

  friend bool operator==(const round_values&, const round_values&) = default;
};

/// Returns the stream, the same in every run.
inline std::vector<round_values> make_stream() {
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

/// Calls `fn` with all values of a round until it returns false.
template <class Round, class Fn>
bool each_of(Round& x, Fn fn) {
  return fn(x.ints) && fn(x.reading) && fn(x.text) && fn(x.record);
}

// -- operations -----------------------------------------------------------------------------------

// A contender writes into a buffer of its own and reads what `bytes()` returns. `prepare` is called
// once.

template <class Contender, class Values>
void run_stream_serialize(benchmark::State& state, const std::vector<round_values>& stream,
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
void run_stream_deserialize(benchmark::State& state, const std::vector<round_values>& stream,
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

// -- registration ---------------------------------------------------------------------------------

/// Returns whether a contender gives the stream back.
template <class Contender>
bool returns_stream(const std::vector<round_values>& stream) {
  Contender contender;
  std::vector<round_values> copy(stream.size());
  if (!contender.prepare(stream) || !contender.save(stream)
      || !contender.load(contender.bytes(), copy))
    return false;
  // Some contenders read into objects of their own.
  if constexpr (requires { contender.returned(stream); })
    return contender.returned(stream);
  else
    return copy == stream;
}

/// Adds the operations of a contender on values.
/// @param stream has to outlive the program's benchmarks.
template <class Contender>
void add_stream_contender(const std::vector<round_values>& stream) {
  auto add = [&](const char* operation, auto run) {
    auto name = std::string{"stream/"} + operation + '/' + std::string{Contender::name};
    benchmark::RegisterBenchmark(name.c_str(), [run, &stream](benchmark::State& state) {
      if (returns_stream<Contender>(stream))
        run(state, stream, stream);
      else
        report_failure(state, "does not return the stream that it was given");
    });
  };
  add("serialize", run_stream_serialize<Contender, std::vector<round_values>>);
  add("deserialize_reuse", run_stream_deserialize<Contender, std::vector<round_values>>);
}

} // namespace cafwire::bench
