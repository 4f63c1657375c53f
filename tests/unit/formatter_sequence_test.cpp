// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/sequence.hpp"

#include "support/cases/all.hpp"
#include "support/codec.hpp"
#include "support/random_values.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <string>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::to_hex;
using namespace test::cases;

namespace {

template <class T>
std::vector<T> some(size_t n) {
  std::vector<T> xs;
  for (size_t i = 0; i < n; ++i)
    xs.push_back(static_cast<T>(i * 37 + 1));
  return xs;
}

/// Writes a string and numbers one by one, without any shortcut.
template <class T>
std::string one_by_one(const std::string& text, const std::vector<T>& xs) {
  auto result = encode(text);
  auto n = xs.size();
  if (n > 127) {
    result.push_back(static_cast<std::byte>(n % 128 + 128));
    n /= 128;
  }
  result.push_back(static_cast<std::byte>(n));
  if (xs.size() * sizeof(T) >= 256)
    result.resize((result.size() + 15) / 16 * 16);
  for (auto x : xs) {
    auto bytes = encode(x);
    result.insert(result.end(), bytes.begin(), bytes.end());
  }
  return to_hex(result);
}

template <class T>
void check_lengths() {
  for (size_t n : {0,   1,   2,   15,  16,  17,  31,   32,   33,   63,   64,   65,
                   127, 128, 129, 255, 256, 257, 1000, 1024, 4095, 4096, 4097, 20000}) {
    auto xs = some<T>(n);
    for (size_t prefix : {1, 2, 3, 9, 16}) {
      auto text = std::string(prefix - 1, 'x');
      auto bytes = encode(text, xs);
      if (n < 300)
        CHECK(to_hex(bytes) == one_by_one(text, xs));
      for (size_t shift : {0, 1, 8}) {
        test::exact_copy input{bytes, shift};
        for (auto old_size : {size_t{0}, n / 2, n, n + 10}) {
          auto ys = std::vector<T>(old_size, T{99});
          std::string decoded_text;
          CHECK(cafwire::deserialize(input.get(), decoded_text, ys) == ec::none);
          CHECK(decoded_text == text);
          CHECK(ys == xs);
        }
      }
    }
  }
}

} // namespace

TEST_CASE("bytes survive a round trip at all sizes, offsets and addresses") {
  check_lengths<uint8_t>();
}

TEST_CASE("numbers of four bytes survive a round trip at all sizes, offsets and addresses") {
  check_lengths<int32_t>();
}

TEST_CASE("numbers of eight bytes survive a round trip at all sizes, offsets and addresses") {
  check_lengths<double>();
}

TEST_CASE("long runs begin at 256 bytes") {
  // The length takes one byte, so the elements begin at 1 or 16.
  CHECK(encode(std::vector<uint64_t>(31)).size() == 1 + 31 * 8);
  CHECK(encode(std::vector<uint64_t>(32)).size() == 16 + 32 * 8);
  CHECK(encode(std::vector<uint8_t>(255)).size() == 2 + 255);
  CHECK(encode(std::vector<uint8_t>(256)).size() == 16 + 256);
  CHECK(encode(std::vector<point>(21)).size() == 1 + 21 * 12);
  CHECK(encode(std::vector<point>(22)).size() == 16 + 22 * 12);
  // The bytes on the wire count, not those in memory.
  CHECK(encode(std::vector<padded_middle>(51)).size() == 1 + 51 * 5);
  CHECK(encode(std::vector<padded_middle>(52)).size() == 16 + 52 * 5);
  CHECK(encode(std::vector<long double>(25)).size() == 1 + 25 * 10);
  CHECK(encode(std::vector<long double>(26)).size() == 16 + 26 * 10);
  CHECK(encode(std::list<uint64_t>(32)).size() == 16 + 32 * 8);
  // Elements whose sizes differ never make a long run.
  CHECK(encode(std::vector<std::string>(300)).size() == 2 + 300);
}

TEST_CASE("alignment in front of a long run is zero") {
  auto bytes = encode(std::vector<uint64_t>(32));
  for (size_t i = 1; i < 16; ++i) {
    for (auto bad : {1, 0x80, 0xff}) {
      auto changed = bytes;
      changed[i] = static_cast<std::byte>(bad);
      CHECK(decode_code<std::vector<uint64_t>>(changed) == ec::nonzero_padding);
      CHECK(decode_code<std::deque<uint64_t>>(changed) == ec::nonzero_padding);
    }
  }
}

TEST_CASE("all sequences have the encoding of vectors") {
  auto numbers = some<int32_t>(100);
  auto want = to_hex(encode(numbers));
  CHECK(to_hex(encode(std::deque<int32_t>(numbers.begin(), numbers.end()))) == want);
  CHECK(to_hex(encode(std::list<int32_t>(numbers.begin(), numbers.end()))) == want);
  auto deque = decode<std::deque<int32_t>>(encode(numbers));
  CHECK(std::vector<int32_t>(deque.begin(), deque.end()) == numbers);
  auto list = decode<std::list<int32_t>>(encode(numbers));
  CHECK(std::vector<int32_t>(list.begin(), list.end()) == numbers);
}

TEST_CASE("the old elements are replaced, never kept") {
  auto bytes = encode(std::vector<std::string>{"new"});
  auto strings = std::vector<std::string>{"old", "older", "oldest"};
  CHECK(decode_into(strings, bytes) == ec::none);
  CHECK(strings == std::vector<std::string>{"new"});
  auto deque = std::deque<std::string>{"old", "older"};
  CHECK(decode_into(deque, bytes) == ec::none);
  CHECK(deque == std::deque<std::string>{"new"});
  auto list = std::list<std::string>{"old"};
  CHECK(decode_into(list, bytes) == ec::none);
  CHECK(list == std::list<std::string>{"new"});
  auto empty = encode(std::vector<std::string>{});
  CHECK(decode_into(strings, empty) == ec::none);
  CHECK(strings.empty());
}

TEST_CASE("fields that are not on the wire do not survive in reused elements") {
  auto bytes = encode(std::vector<with_cache>{{1, 2, 3}});
  std::vector<omits_last> xs = {{7, 8, 9}};
  CHECK(decode_into(xs, from_hex("01 01000000 02000000")) == ec::none);
  REQUIRE(xs.size() == 1);
  CHECK(xs[0].c == 0);
  auto ys = decode<std::vector<with_cache>>(bytes);
  CHECK(ys.at(0).sum == 3);
}

TEST_CASE("elements that are refused one by one are refused in a row") {
  // The third of many is bad: neither the copy nor what is left of it may get through.
  for (size_t n : {4, 40, 400}) {
    auto bytes = encode(std::vector<with_invariant>(n, {1, 2}));
    bytes[bytes.size() - 8 * (n - 2) + 3] = std::byte{0x80};
    std::vector<with_invariant> xs;
    CHECK(decode_into(xs, bytes) == ec::invariant_failed);
  }
}

TEST_CASE("elements that read themselves in another size are read one by one") {
  auto rare = rare_short_kind::rare;
  for (size_t n : {2, 20, 200}) {
    std::vector<rare_short_kind> xs(n, {2, 5});
    xs[n / 2] = {rare, 6};
    auto bytes = encode(xs);
    auto ys = decode<std::vector<rare_short_kind>>(bytes);
    REQUIRE(ys.size() == n);
    CHECK(ys[n / 2].kind == rare);
    CHECK(ys[n / 2].number == 6);
    CHECK(ys[0].number == 5);
  }
}

TEST_CASE("vectors may be nested") {
  using type = std::vector<std::vector<std::vector<int16_t>>>;
  auto xs = type{{{1, 2}, {}}, {}, {{3}}};
  auto bytes = encode(xs);
  CHECK(to_hex(bytes) == to_hex(from_hex("03 02 02 0100 0200 00 00 01 01 0300")));
  CHECK(decode<type>(bytes) == xs);
}

TEST_CASE("arrays in vectors are copied as one") {
  using type = std::vector<std::array<std::array<uint8_t, 3>, 2>>;
  auto xs = type(50, {{{1, 2, 3}, {4, 5, 6}}});
  auto bytes = encode(xs);
  CHECK(bytes.size() == 16 + 300);
  CHECK(decode<type>(bytes) == xs);
}

TEST_CASE("float arrays of 0 to 33 elements are the same copied and one by one") {
  test::random_source source{7};
  for (size_t n = 0; n <= 33; ++n) {
    std::vector<float> xs(n);
    for (auto& x : xs) {
      auto bits = static_cast<uint32_t>(source.next());
      std::memcpy(&x, &bits, 4);
    }
    auto bytes = encode(xs);
    CHECK(to_hex(bytes) == to_hex(encode(std::list<float>(xs.begin(), xs.end()))));
    CHECK(to_hex(encode(decode<std::vector<float>>(bytes))) == to_hex(bytes));
    CHECK(to_hex(encode(decode<std::list<float>>(bytes))) == to_hex(bytes));
  }
}
