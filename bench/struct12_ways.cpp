// This file is part of cafwire. See the file LICENSE for license terms.

#include "struct12_ways.hpp"

#include "measure.hpp"
#include "messages.hpp"

#include <cafwire/codec.hpp>
#include <cafwire/message/known_types.hpp>
#include <cafwire/message/message_type.hpp>

#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

namespace cafwire::bench {

namespace {

template <class T>
output_buffer encode(const T& value) {
  output_buffer out;
  if (serialize(out, value) != ec::none)
    std::abort();
  return out;
}

/// Reads objects of one type again and again.
/// @param read reads from a span and returns whether that was successful.
template <class Read>
void run_read(benchmark::State& state, const struct12& value, Read read) {
  auto out = encode(value);
  auto in = out.bytes();
  struct12 x;
  if (!read(in, x) || x != value) {
    report_failure(state, "the value does not survive");
    return;
  }
  escape(&in);
  escape(&x);
  measure(state, in.size(), [&] {
    auto good = read(in, x);
    clobber();
    return good;
  });
}

void run_view(benchmark::State& state, const struct12& value) {
  auto out = encode(std::vector<struct12>(64, value));
  auto input = share(std::move(out));
  escape(&input);
  measure(state, input.bytes.size(), [&] {
    array_view<struct12> xs;
    auto good = deserialize(input, xs) == ec::none;
    escape(&xs);
    return good && xs[32] == value;
  });
}

} // namespace

void add_struct12_ways(const struct12& value) {
  benchmark::RegisterBenchmark("struct12/read/generic", [value](benchmark::State& state) {
    run_read(state, value, [](std::span<const std::byte> in, struct12& x) {
      return deserialize(in, x) == ec::none;
    });
  });
  benchmark::RegisterBenchmark("struct12/read/erased", [value](benchmark::State& state) {
    auto types = known_types::global();
    auto load = types->find(caf::type_id_v<struct12>)->load;
    // The compiler must not look through the pointer.
    escape(&load);
    run_read(state, value, [&load](std::span<const std::byte> in, struct12& x) {
      deserializer f{in};
      return load(f, &x) && f.remaining() == 0;
    });
  });
  benchmark::RegisterBenchmark("struct12/read/view",
                               [value](benchmark::State& state) { run_view(state, value); });
}

} // namespace cafwire::bench
