// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "contenders.hpp"
#include "measure.hpp"
#include "messages.hpp"
#include "placement.hpp"
#include "program.hpp"
#include "workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cafwire::bench {

// The operations `serialize`, `deserialize` and `deserialize_reuse` for any contender, and what the
// programs encode.

// -- workloads ------------------------------------------------------------------------------------

/// A value that all contenders encode.
template <class T>
struct workload {
  /// What the names of its benchmarks begin with.
  std::string name;

  /// The size behind a slash, or empty.
  std::string suffix;

  std::shared_ptr<const T> value;
};

template <class T>
workload<T> make_workload(std::string name, std::string suffix, T value) {
  return {std::move(name), std::move(suffix), std::make_shared<const T>(std::move(value))};
}

/// All values of the program `codec_bench`.
struct codec_workloads {
  workload<struct12> ints;
  workload<mixed> record;
  std::vector<workload<byte_vector>> bytes;
  std::vector<workload<matrix_vector>> matrices;
  workload<object_vector> objects;
  workload<std::vector<std::string>> strings;
  workload<std::unordered_map<std::string, double>> string_map;
  workload<std::vector<bool>> bools;
  workload<std::deque<int32_t>> deque;

  /// Calls `fn` with each of them.
  template <class Fn>
  void for_each(Fn fn) const {
    fn(ints);
    fn(record);
    for (auto& x : bytes)
      fn(x);
    for (auto& x : matrices)
      fn(x);
    fn(objects);
    fn(strings);
    fn(string_map);
    fn(bools);
    fn(deque);
  }
};

// -- operations -----------------------------------------------------------------------------------

/// Vectors whose memory is one block.
template <class T>
constexpr bool is_vector = is_flat<T>&& std::is_class_v<T>&& requires(T x) {
  x.data();
};

template <class T>
memory_range content_range(const T& value) {
  if constexpr (is_flat<T>)
    return {content_of(value), payload_bytes(value)};
  else
    return range_of(value);
}

/// Room for the value in the encoding of a contender.
template <class Contender, class T>
size_t buffer_bytes(const T& value) {
  if constexpr (requires { Contender::encoded_bytes(value); })
    return Contender::encoded_bytes(value) + 64;
  else
    return payload_bytes(value) + 64;
}

/// Encodes into the same buffer again and again.
template <class Contender, class T>
void run_serialize(benchmark::State& state, const T& value) {
  placement<typename Contender::buffer> place{
    buffer_bytes<Contender>(value), {range_of(value), content_range(value)}, [&] {
      return Contender::make_buffer(buffer_bytes<Contender>(value));
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
  auto out = Contender::make_buffer(buffer_bytes<Contender>(value));
  if (!Contender::save(out, value))
    throw std::runtime_error{"cannot encode the value"};
  return out;
}

/// Decodes into a new object each time.
template <class Contender, class T>
void run_deserialize(benchmark::State& state, const T& value) {
  std::span<const std::byte> in;
  placement<typename Contender::buffer> source{buffer_bytes<Contender>(value), {range_of(in)}, [&] {
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
  placement<typename Contender::buffer> source{buffer_bytes<Contender>(value),
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

// -- registration ---------------------------------------------------------------------------------

/// What a contender encodes in place of a `T`: most take the value as it is, some have a type of
/// their own, to which the value is converted before anything is measured.
template <class Contender, class T>
auto make_own(const std::shared_ptr<const T>& value) {
  if constexpr (requires { Contender::convert(*value); })
    return std::make_shared<const decltype(Contender::convert(*value))>(Contender::convert(*value));
  else
    return value;
}

/// Changes an object that a contender reads into next, so that everything has to be replaced.
template <class T>
void spoil(T& x) {
  if constexpr (std::is_same_v<T, std::unordered_map<std::string, double>>) {
    for (auto& [key, value] : x)
      value += 1;
    x.emplace("left over", 1.0);
  } else if constexpr (std::is_same_v<T, object_vector>) {
    for (auto& object : x) {
      object.tags.clear();
      object.tags.emplace("height", -1);
      object.tags.emplace("left over", 1);
      object.note = "left over";
      object.numbers.resize(9);
    }
    x.emplace_back();
  } else if constexpr (requires { x.resize(1); }) {
    x.resize(x.size() / 2);
  } else {
    x = T{};
  }
}

/// Returns whether a contender gives a value back, also into an object that holds something else.
/// What is no codec need not.
template <class Contender, class T, class Own>
bool returns_value(const T& value, const Own& own) {
  if constexpr (requires { Contender::is_yardstick; })
    return true;
  auto out = Contender::make_buffer(buffer_bytes<Contender>(own));
  auto equals = [&value](const auto& x) {
    if constexpr (requires { Contender::convert_back(x, value); })
      return Contender::convert_back(x, value);
    else
      return x == value;
  };
  for (auto repeat = 0; repeat < 2; ++repeat)
    if (!Contender::save(out, own))
      return false;
  Own copy;
  if (!Contender::load(Contender::bytes(out), copy) || !equals(copy))
    return false;
  if constexpr (std::is_same_v<T, Own>)
    spoil(copy);
  return Contender::load(Contender::bytes(out), copy) && equals(copy);
}

/// The state that the three operations of a contender on a workload share.
template <class Contender, class T>
class contender_state {
public:
  using own_type = typename decltype(make_own<Contender>(
    std::declval<const std::shared_ptr<const T>&>()))::element_type;

  explicit contender_state(std::shared_ptr<const T> value) : value_(std::move(value)) {
    // nop
  }

  /// Returns the value to encode, or `nullptr` if the contender does not return what it was given.
  /// The first call makes the round trip.
  const own_type* verified() {
    std::call_once(once_, [this] {
      auto own = make_own<Contender>(value_);
      if (returns_value<Contender>(*value_, *own))
        own_ = std::move(own);
    });
    return own_.get();
  }

private:
  std::shared_ptr<const T> value_;
  std::shared_ptr<const own_type> own_;
  std::once_flag once_;
};

/// Adds the three operations of one contender. The first that runs checks that the contender
/// returns the value.
template <class Contender, class T>
void add_contender(const workload<T>& what) {
  auto shared = std::make_shared<contender_state<Contender, T>>(what.value);
  using own_type = std::remove_const_t<typename contender_state<Contender, T>::own_type>;
  auto add = [&](const char* operation, auto run) {
    auto name = what.name + '/' + operation + '/' + std::string{Contender::name} + what.suffix;
    benchmark::RegisterBenchmark(name.c_str(), [shared, run](benchmark::State& state) {
      if (auto* own = shared->verified(); own != nullptr)
        run(state, *own);
      else
        report_failure(state, "does not return the value that it was given");
    });
  };
  add("serialize", run_serialize<Contender, own_type>);
  add("deserialize", run_deserialize<Contender, own_type>);
  add("deserialize_reuse", run_deserialize_reuse<Contender, own_type>);
}

} // namespace cafwire::bench
