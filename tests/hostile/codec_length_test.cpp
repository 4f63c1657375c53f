// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/varint.hpp"

#include "hostile/allocations.hpp"
#include "support/codec.hpp"
#include "support/specimens.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

using cafwire::ec;
using cafwire::limits;
using test::encode;
using test::to_hex;

namespace {

struct outcome {
  ec code;
  size_t largest_allocation;
};

template <class T>
outcome watch_decoding(T& x, const test::bytes& bytes, const limits& bounds) {
  test::exact_copy input{bytes};
  hostile::allocation_watch watch;
  auto code = cafwire::deserialize(input.get(), bounds, x);
  return {code, watch.largest()};
}

/// Puts a varint in the place of the one at `offset`.
test::bytes replace_varint(const test::bytes& bytes, size_t offset, uint64_t value) {
  auto end = offset;
  while (end < bytes.size() && bytes[end++] >= std::byte{0x80})
    ;
  std::array<std::byte, cafwire::max_varint_size> varint;
  auto* varint_end = cafwire::write_varint(varint.data(), value);
  test::bytes result(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(offset));
  result.insert(result.end(), varint.data(), varint_end);
  result.insert(result.end(), bytes.begin() + static_cast<ptrdiff_t>(end), bytes.end());
  return result;
}

/// All lengths that are worth a try, except for the right one.
std::set<uint64_t> wrong_lengths(uint64_t right) {
  constexpr auto max = std::numeric_limits<uint64_t>::max();
  std::set<uint64_t> result{0, right - 1, right + 1, max, max - 1, max / 2, max / 8, max / 12};
  for (unsigned bit = 0; bit < 64; ++bit)
    for (auto off_by : {-1, 0, 1})
      result.insert((uint64_t{1} << bit) + static_cast<uint64_t>(off_by));
  result.erase(right);
  return result;
}

uint64_t length_of(const test::bytes& bytes) {
  cafwire::input_cursor in{bytes};
  uint64_t result = 0;
  REQUIRE(in.read_varint(result) == ec::none);
  return result;
}

} // namespace

TEST_CASE("a wrong length is refused before memory is used for it") {
  test::for_each_container([](const auto& x) {
    auto bytes = encode(x);
    for (auto length : wrong_lengths(length_of(bytes))) {
      auto changed = replace_varint(bytes, 0, length);
      auto fresh = std::decay_t<decltype(x)>{};
      auto [code, largest] = watch_decoding(fresh, changed, limits::untrusted());
      INFO("bytes: " << to_hex(changed) << ", code: " << to_string(code));
      CHECK(code != ec::none);
      CHECK(largest <= 16 * changed.size() + 65536);
      // Trusted input may be damaged, too. Memory then follows the input, not the length.
      auto reused = x;
      auto [trusted_code, trusted_largest] = watch_decoding(reused, changed, limits::trusted());
      INFO("code for trusted input: " << to_string(trusted_code));
      CHECK(trusted_code != ec::none);
      CHECK(trusted_largest <= 64 * changed.size() + 65536);
    }
  });
}

TEST_CASE("lengths at all places, right or wrong, use no more memory than allowed") {
  test::for_each_specimen([](const auto& x) {
    auto bytes = encode(x);
    for (size_t offset = 0; offset < bytes.size(); ++offset) {
      for (unsigned bit = 0; bit < 64; bit += 3) {
        auto changed = replace_varint(bytes, offset, uint64_t{1} << bit);
        auto y = std::decay_t<decltype(x)>{};
        auto [code, largest] = watch_decoding(y, changed, limits::untrusted());
        INFO("bytes: " << to_hex(changed) << ", code: " << to_string(code));
        CHECK(largest <= 16 * changed.size() + 65536);
      }
    }
  });
}

TEST_CASE("a length that says too much is called so") {
  CHECK(test::decode_code<std::vector<int32_t>>(test::from_hex("02 01000000"))
        == ec::length_exceeds_input);
  CHECK(test::decode_code<std::vector<test::cases::point>>(test::from_hex("ffffff7f 00"))
        == ec::length_exceeds_input);
  CHECK(test::decode_code<std::vector<std::pair<int8_t, int8_t>>>(test::from_hex("ffffff7f 00"))
        == ec::length_exceeds_input);
  CHECK(test::decode_code<std::vector<std::string>>(test::from_hex("ffffff7f 00"))
        == ec::length_exceeds_input);
}

TEST_CASE("lengths are varints in their shortest form") {
  test::for_each_container([](const auto& x) {
    auto bytes = encode(x);
    if (bytes[0] >= std::byte{0x80})
      return;
    bytes[0] |= std::byte{0x80};
    bytes.insert(bytes.begin() + 1, std::byte{0});
    auto y = std::decay_t<decltype(x)>{};
    CHECK(test::decode_into(y, bytes) == ec::invalid_varint);
    bytes.insert(bytes.begin() + 1, 9, std::byte{0x80});
    CHECK(test::decode_into(y, bytes) == ec::invalid_varint);
  });
}

TEST_CASE("any changed byte gives an error or a value with exactly these bytes") {
  test::for_each_specimen([](const auto& x) {
    auto bytes = encode(x);
    for (size_t offset = 0; offset < bytes.size(); ++offset) {
      auto changed = bytes;
      for (auto value : {0x00, 0x01, 0x02, 0x7f, 0x80, 0x81, 0xfe, 0xff}) {
        changed[offset] = static_cast<std::byte>(value);
        auto y = std::decay_t<decltype(x)>{};
        auto [code, largest] = watch_decoding(y, changed, limits::untrusted());
        INFO("bytes: " << to_hex(changed) << ", code: " << to_string(code));
        CHECK(largest <= 16 * changed.size() + 65536);
        if (code == ec::none)
          CHECK(to_hex(encode(y)) == to_hex(changed));
      }
    }
  });
}
