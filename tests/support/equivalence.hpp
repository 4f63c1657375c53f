// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "support/codec.hpp"
#include "support/random_values.hpp"
#include "support/reference_decoder.hpp"
#include "support/reference_encoder.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

/// An object in memory that was filled with a byte before. Members without an initializer and the
/// padding keep that byte.
template <class T>
class patterned {
public:
  explicit patterned(std::byte fill) {
    std::memset(storage_, static_cast<int>(fill), sizeof storage_);
    // Keeps compilers from dropping the fill because the lifetime of the object only begins later.
    asm volatile("" : : "r"(static_cast<void*>(storage_)) : "memory");
    ::new (static_cast<void*>(storage_)) T;
    asm volatile("" : : "r"(static_cast<void*>(storage_)) : "memory");
  }

  patterned(const patterned&) = delete;

  patterned& operator=(const patterned&) = delete;

  ~patterned() {
    std::destroy_at(&get());
  }

  T& get() noexcept {
    return *std::launder(reinterpret_cast<T*>(storage_));
  }

private:
  alignas(T) std::byte storage_[sizeof(T)];
};

/// Compares `cafwire::serializer` and `cafwire::deserializer` with the reference for one type. An
/// `inspect` overload may change its object, so each run gets an object of its own, made from the
/// same seed.
template <class T>
class equivalence_check {
public:
  explicit equivalence_check(uint64_t seed) : source_(seed) {
    // nop
  }

  void run() {
    for (auto round = 0; round < 24; ++round) {
      single();
      array();
    }
    // Elements without a fixed size never form a long run; sizes around 32 serve them as well.
    auto size = fixed_wire_size<T>();
    auto threshold = size > 0 ? (256 + size - 1) / size : size_t{32};
    for (auto n : {size_t{0}, size_t{1}, size_t{2}, threshold - 1, threshold, threshold + 1})
      for (size_t prefix = 0; prefix < 16; prefix += n < 3 ? 5 : 1)
        sequence(prefix, n);
    many();
  }

private:
  static constexpr std::byte fills[] = {std::byte{0x00}, std::byte{0xff}, std::byte{0xaa}};

  static void fill_random(uint64_t seed, T& x) {
    random_source source{seed};
    if (!randomize(source, x))
      FAIL("no random value is accepted");
  }

  void single() {
    auto seed = source_.next();
    bytes want;
    {
      patterned<T> x{fills[0]};
      fill_random(seed, x.get());
      want = reference_encode(x.get());
    }
    for (auto fill : fills) {
      patterned<T> x{fill};
      fill_random(seed, x.get());
      CHECK(to_hex(encode(x.get())) == to_hex(want));
    }
    compare_decoders(want);
    // One byte changed: both decoders must agree whether that is a value, and which one.
    for (auto round = 0; round < 8 && !want.empty(); ++round) {
      auto changed = want;
      changed[source_.below(want.size())] = random_byte();
      compare_decoders(changed);
    }
    auto longer = want;
    longer.push_back(std::byte{0});
    compare_decoders(longer);
    if (!want.empty()) {
      auto shorter = want;
      shorter.pop_back();
      compare_decoders(shorter);
    }
  }

  std::byte random_byte() {
    constexpr std::byte edges[] = {std::byte{0}, std::byte{1}, std::byte{2}, std::byte{0xff}};
    return source_.below(2) == 0 ? edges[source_.below(4)]
                                 : static_cast<std::byte>(source_.below(256));
  }

  void compare_decoders(const bytes& wire) {
    // Into a new object, and into one that holds another value.
    auto old_seed = source_.next();
    for (auto reuse : {false, true}) {
      patterned<T> want{fills[0]};
      patterned<T> got{fills[0]};
      if (reuse) {
        fill_random(old_seed, want.get());
        fill_random(old_seed, got.get());
      }
      auto ok = reference_decode(wire, want.get());
      exact_copy input{wire, source_.below(16)};
      auto code = cafwire::deserialize(input.get(), got.get());
      INFO("wire: " << to_hex(wire) << ", code: " << to_string(code) << ", reuse: " << reuse);
      CHECK((code == cafwire::ec::none) == ok);
      if (ok && code == cafwire::ec::none)
        CHECK(to_hex(reference_encode(got.get())) == to_hex(reference_encode(want.get())));
    }
  }

  void array() {
    auto seed = source_.next();
    using array_type = std::array<T, 3>;
    auto fill_all = [seed](array_type& xs) {
      for (size_t i = 0; i < xs.size(); ++i)
        fill_random(seed + i, xs[i]);
    };
    patterned<array_type> reference{fills[0]};
    fill_all(reference.get());
    auto want = reference_encode(reference.get());
    for (auto fill : fills) {
      patterned<array_type> xs{fill};
      fill_all(xs.get());
      CHECK(to_hex(encode(xs.get())) == to_hex(want));
    }
    patterned<array_type> decoded{fills[0]};
    patterned<array_type> expected{fills[0]};
    CHECK(reference_decode(want, expected.get()));
    CHECK(decode_into(decoded.get(), want) == cafwire::ec::none);
    CHECK(to_hex(reference_encode(decoded.get())) == to_hex(reference_encode(expected.get())));
  }

  /// Many random values, one by one: the bytes, and what comes out of them.
  void many() {
    auto seed = source_.next();
    cafwire::output_buffer out;
    for (size_t i = 0; i < 10000; ++i) {
      patterned<T> x{fills[i % 3]};
      patterned<T> same{fills[0]};
      fill_random(seed + i, x.get());
      fill_random(seed + i, same.get());
      auto want = reference_encode(same.get());
      out.clear();
      auto code = cafwire::serialize(out, x.get());
      if (code != cafwire::ec::none || to_bytes(out.bytes()) != want)
        FAIL("value " << i << " of seed " << seed << ": " << to_string(code) << ", "
                      << to_hex(out.bytes()) << " instead of " << to_hex(want));
      patterned<T> decoded{fills[(i + 1) % 3]};
      patterned<T> expected{fills[0]};
      auto ok = reference_decode(want, expected.get());
      code = cafwire::deserialize(out.bytes(), decoded.get());
      if ((code == cafwire::ec::none) != ok
          || (ok && reference_encode(decoded.get()) != reference_encode(expected.get())))
        FAIL("value " << i << " of seed " << seed << ": " << to_hex(want) << " reads as "
                      << to_string(code));
    }
    SUCCEED("10000 values");
  }

  static std::vector<T> make_vector(uint64_t seed, size_t n, std::byte fill) {
    std::vector<T> xs(n);
    if constexpr (std::is_trivially_default_constructible_v<T>)
      if (n > 0)
        std::memset(static_cast<void*>(xs.data()), static_cast<int>(fill), n * sizeof(T));
    for (size_t i = 0; i < n; ++i)
      fill_random(seed + i, xs[i]);
    return xs;
  }

  /// A string in front of the elements makes them start at all residues of the alignment.
  void sequence(size_t prefix_size, size_t n) {
    auto seed = source_.next();
    auto prefix = std::string(prefix_size, 'x');
    auto want = reference_encode(prefix, make_vector(seed, n, fills[0]));
    for (auto fill : fills)
      CHECK(to_hex(encode(prefix, make_vector(seed, n, fill))) == to_hex(want));
    compare_sequence_decoders(want, n);
    if (n > 0) {
      auto changed = want;
      changed[1 + prefix_size + source_.below(want.size() - 1 - prefix_size)] = random_byte();
      compare_sequence_decoders(changed, n);
    }
  }

  void compare_sequence_decoders(const bytes& wire, size_t n) {
    auto old_seed = source_.next();
    for (auto old_size : {size_t{0}, n, n + 3}) {
      std::string prefix;
      auto want = make_vector(old_seed, old_size, fills[0]);
      auto got = make_vector(old_seed, old_size, fills[0]);
      auto ok = reference_decode(wire, prefix, want);
      exact_copy input{wire, source_.below(2) * source_.below(16)};
      auto code = cafwire::deserialize(input.get(), prefix, got);
      INFO("wire: " << to_hex(wire) << ", code: " << to_string(code) << ", old: " << old_size);
      CHECK((code == cafwire::ec::none) == ok);
      if (ok && code == cafwire::ec::none)
        CHECK(to_hex(reference_encode(got)) == to_hex(reference_encode(want)));
    }
  }

  random_source source_;
};

/// Compares the codec with the reference for `T`, with values made from `seed`.
template <class T>
void check_equivalence(uint64_t seed = 1) {
  equivalence_check<T>{seed}.run();
}

} // namespace test
