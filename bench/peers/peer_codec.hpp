// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "codec_operations.hpp"
#include "peer.hpp"
#include "stream_operations.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace cafwire::bench {

/// Whether a contender can do with a value: it has a `save` for it, or for what it converts it to.
template <class Contender, class T>
constexpr bool takes_value() {
  if constexpr (requires(const T& x) { Contender::convert(x); }) {
    return true;
  } else {
    return requires(const T& x, typename Contender::buffer& out) {
      Contender::save(out, x);
    };
  }
}

/// Opens an encoded vector of matrices in place, and reads one number of the matrix in the middle.
template <class Contender>
void run_peer_view(benchmark::State& state, const matrix_vector& value) {
  auto out = encode_once<Contender>(value);
  auto in = Contender::bytes(out);
  auto middle = value.size() / 2;
  auto expected = value[middle].values[0];
  escape(&in);
  measure(state, in.size(), [&] {
    float x = 0;
    auto good = Contender::view(in, middle, x);
    escape(&x);
    return good && x == expected;
  });
}

/// Adds a peer as contender for all values that it can do with.
template <class Contender>
void add_peer_codec(const codec_workloads& all) {
  // A gigabyte is for cafwire and its yardsticks only: some peers need several copies of it.
  constexpr size_t max_bytes = size_t{64} << 20;
  all.for_each([&]<class T>(const workload<T>& what) {
    if constexpr (takes_value<Contender, T>()) {
      if (payload_bytes(*what.value) > max_bytes)
        return;
      add_contender<Contender>(what);
      if constexpr (std::is_same_v<
                      T, matrix_vector> && requires(std::span<const std::byte> in, float& x) {
                      Contender::view(in, size_t{0}, x);
                    }) {
        auto name = what.name + "/view/" + std::string{Contender::name} + what.suffix;
        benchmark::RegisterBenchmark(name.c_str(), [what](benchmark::State& state) {
          run_peer_view<Contender>(state, *what.value);
        });
      }
    }
  });
}

/// A block of memory that peers write into which expect enough room from the start.
class fixed_buffer {
public:
  explicit fixed_buffer(size_t capacity) : bytes_(capacity) {
    // nop
  }

  std::byte* data() noexcept {
    return bytes_.data();
  }

  size_t capacity() const noexcept {
    return bytes_.size();
  }

  /// Sets how many bytes count.
  void set_size(size_t n) noexcept {
    size_ = n;
  }

  std::span<const std::byte> bytes() const noexcept {
    return {bytes_.data(), size_};
  }

private:
  std::vector<std::byte> bytes_;
  size_t size_ = 0;
};

/// The room for a value in formats that spend more bytes on lengths than cafwire.
inline size_t generous(size_t num_bytes) {
  return num_bytes + num_bytes / 2 + 8192;
}

} // namespace cafwire::bench
