// This file is part of cafwire. See the file LICENSE for license terms.

// Bytes that no peer wrote: loading fails with an error, takes little memory and throws nothing.

#include "accelerator/stock.hpp"
#include "accelerator/types.hpp"
#include "support/codec.hpp"

#include <caf/sec.hpp>

#include <limits>

using namespace accelerator_test;

using test::bytes;
using test::encode;
using test::from_hex;
using test::to_hex;

namespace {

template <class T>
caf::error error_of(const bytes& wire) {
  T x{};
  auto result = stock_decode(wire, x);
  CHECK_FALSE(result.ok);
  return result.error;
}

/// Returns the elements of a vector behind another length.
bytes with_length(uint64_t n, std::span<const std::byte> rest) {
  std::byte varint[cafwire::max_varint_size];
  auto* end = cafwire::write_varint(varint, n);
  bytes result(varint, end);
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

template <class T>
void check_lengths() {
  constexpr auto max = std::numeric_limits<uint64_t>::max();
  auto some = bytes(1000, std::byte{0});
  // Fewer elements than this could be of a type that takes no bytes.
  for (unsigned bit = 14; bit < 64; ++bit)
    for (auto off_by : {-1, 0, 1})
      CHECK_FALSE(error_of<std::vector<T>>(
                    with_length((uint64_t{1} << bit) + static_cast<uint64_t>(off_by), some))
                    .empty());
  for (auto n : {max, max - 1, max / sizeof(T), max / sizeof(T) + 1, max / 16})
    CHECK_FALSE(error_of<std::vector<T>>(with_length(n, some)).empty());
}

/// Loading succeeds or fails with an error.
template <class T>
void check_any(const bytes& wire) {
  T x{};
  auto result = stock_decode(wire, x);
  CHECK(result.ok == result.error.empty());
}

} // namespace

TEST_CASE("a value that is cut off is an error") {
  auto check_cuts = [](const auto& x) {
    auto wire = stock_encode(x);
    for (size_t n = 0; n < wire.size(); ++n)
      CHECK(error_of<std::decay_t<decltype(x)>>(bytes(wire.begin(), wire.begin() + n))
            == caf::sec::end_of_stream);
  };
  check_cuts(make_matrix<fast>(1));
  check_cuts(make_matrices<fast>(5));
  check_cuts(padded<fast>{1, 2, true});
  check_cuts(std::vector<padded<fast>>(3));
  check_cuts(std::vector<lamp<fast>>(100));
}

TEST_CASE("lengths that lie are errors") {
  check_lengths<matrix<fast>>();
  check_lengths<lamp<fast>>();
  check_lengths<padded<fast>>();
  check_lengths<brief<fast>>();
  check_lengths<patch<fast>>();
  check_lengths<silent<fast>>();
}

TEST_CASE("a length must be in its shortest form") {
  CHECK_FALSE(error_of<std::vector<lamp<fast>>>(from_hex("8000")).empty());
  CHECK_FALSE(error_of<std::vector<lamp<fast>>>(from_hex("ffffffffffffffffff02")).empty());
}

TEST_CASE("the zero bytes in front of a long run are checked") {
  auto wire = stock_encode(make_matrices<fast>(5));
  wire[1] = std::byte{1};
  CHECK_FALSE(error_of<std::vector<matrix<fast>>>(wire).empty());
}

TEST_CASE("values that cannot be are errors") {
  CHECK_FALSE(error_of<lamp<fast>>(from_hex("0100 02 00")).empty());
  CHECK_FALSE(error_of<lamp<fast>>(from_hex("0100 ff 01")).empty());
  CHECK_FALSE(error_of<lamp<fast>>(from_hex("0100 01 02")).empty());
  CHECK(error_of<lamp<fast>>(from_hex("e903 01 01")) == caf::sec::field_invariant_check_failed);
  auto wire = stock_encode(std::vector<lamp<fast>>(100));
  wire[wire.size() - 2] = std::byte{2};
  CHECK_FALSE(error_of<std::vector<lamp<fast>>>(wire).empty());
}

TEST_CASE("what is behind a value that failed is not read") {
  lamp<fast> x;
  uint32_t next = 7;
  auto result = stock_decode(from_hex("0100 02 00 00000001"), x, next);
  CHECK_FALSE(result.ok);
  CHECK(next == 7);
}

TEST_CASE("any byte may be wrong") {
  auto wire = stock_encode(make_scene<fast>());
  for (size_t i = 0; i < wire.size(); ++i) {
    for (auto value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      auto changed = wire;
      changed[i] = static_cast<std::byte>(value);
      check_any<std::vector<matrix<fast>>>(changed);
      check_any<std::vector<patch<fast>>>(changed);
      check_any<patch<fast>>(changed);
    }
  }
}

TEST_CASE("values of few bytes that take much memory are accepted, since a peer may write them") {
  auto xs = std::vector<patch<fast>>(100000);
  std::vector<patch<fast>> copy;
  CHECK(stock_decode(stock_encode(xs), copy).ok);
  CHECK(copy == xs);
}
