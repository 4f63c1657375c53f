// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/wire/array_view.hpp"

#include "accelerator/stock.hpp"
#include "support/codec.hpp"
#include "view/types.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/message.hpp>

#include <optional>
#include <string>
#include <thread>

using namespace view_test;

using cafwire::array_view;
using cafwire::ec;
using cafwire::shared_bytes;
using test::encode;
using test::to_hex;

namespace {

/// Input that ends with its owner, so that AddressSanitizer sees each later access.
shared_bytes make_input(std::span<const std::byte> bytes, size_t shift = 0) {
  auto owner = std::make_shared<const test::exact_copy>(bytes, shift);
  auto content = owner->get();
  return {std::move(owner), content};
}

template <class T>
bool points_into(const array_view<T>& xs, std::span<const std::byte> bytes) {
  auto* first = reinterpret_cast<const std::byte*>(xs.data());
  return first >= bytes.data() && first + xs.size() * sizeof(T) <= bytes.data() + bytes.size();
}

template <class T>
bool is_aligned(const array_view<T>& xs) {
  return reinterpret_cast<uintptr_t>(xs.data()) % alignof(T) == 0;
}

template <class T>
ec error_of(const test::bytes& wire) {
  array_view<T> shared;
  array_view<T> alone;
  std::vector<T> reference;
  auto code = cafwire::deserialize(make_input(wire), shared);
  CHECK(cafwire::deserialize(wire, alone) == code);
  CHECK(cafwire::deserialize(wire, reference) == code);
  return code;
}

template <class T>
void check_values(const std::vector<T>& xs, bool shares) {
  auto view = array_view<T>{xs};
  auto wire = encode(xs);
  CHECK(to_hex(encode(view)) == to_hex(wire));
  array_view<T> read;
  {
    auto input = make_input(wire);
    REQUIRE(cafwire::deserialize(input, read) == ec::none);
    CHECK(points_into(read, input.bytes) == shares);
  }
  CHECK(is_aligned(read));
  CHECK(read == view);
  CHECK(read.to_vector() == xs);
  for (size_t shift = 1; shift < 16; ++shift) {
    auto input = make_input(wire, shift);
    array_view<T> other;
    REQUIRE(cafwire::deserialize(input, other) == ec::none);
    CHECK(is_aligned(other));
    CHECK(other == view);
  }
  array_view<T> unowned;
  REQUIRE(test::decode_into(unowned, wire) == ec::none);
  CHECK(unowned == view);
}

} // namespace

TEST_CASE("a view is empty at first") {
  matrix_view xs;
  CHECK(xs.empty());
  CHECK(xs.begin() == xs.end());
  CHECK(xs.owner() == nullptr);
  CHECK(xs == matrix_view{std::vector<matrix>{}});
}

TEST_CASE("a view takes a vector over and shares it with its copies") {
  auto data = make_matrices(5);
  auto* first = data.data();
  auto xs = matrix_view{std::move(data)};
  auto ys = xs;
  CHECK(xs.data() == first);
  CHECK(ys.data() == first);
  xs = {};
  CHECK(ys.size() == 5);
  CHECK(ys[3] == make_matrices(5)[3]);
  CHECK(ys.front() == make_matrices(5).front());
  CHECK(ys.back() == make_matrices(5).back());
  CHECK(ys.span().size() == 5);
  CHECK(std::vector<matrix>(ys.begin(), ys.end()) == make_matrices(5));
}

TEST_CASE("long views point into shared input") {
  check_values(make_matrices(4), true);
  check_values(make_matrices(1000), true);
  check_values(std::vector<uint8_t>(256, 7), true);
  check_values(std::vector<double>(32, 0.5), true);
  check_values(std::vector<std::byte>(5000, std::byte{3}), true);
  check_values(std::vector<flags>(64, {1, true, false}), true);
  check_values(std::vector<clamped>(64, {100}), true);
}

TEST_CASE("short views, and those that the input does not suit, own a copy") {
  check_values(make_matrices(0), false);
  check_values(make_matrices(1), false);
  check_values(make_matrices(3), false);
  check_values(std::vector<uint8_t>(255, 7), false);
  check_values(std::vector<padded>(100, {1, 2}), false);
  check_values(std::vector<std::string>(100, "text"), false);
  check_values(std::vector<std::optional<int32_t>>(100, 5), false);
  check_values(std::vector<std::vector<int16_t>>(100, {1, 2}), false);
}

TEST_CASE("elements with more alignment than the input are copied") {
  auto xs = std::vector<wide>(20);
  xs.back().values.back() = 7;
  auto wire = encode(xs);
  for (size_t shift = 0; shift < 64; shift += 16) {
    array_view<wide> read;
    REQUIRE(cafwire::deserialize(make_input(wire, shift), read) == ec::none);
    CHECK(is_aligned(read));
    CHECK(read.to_vector() == xs);
  }
}

TEST_CASE("values that loading changes are copied, and the input is not") {
  auto wire = encode(std::vector<clamped>(64, {100}));
  auto input = make_input(wire);
  const_cast<std::byte&>(input.bytes[wire.size() - 4]) = std::byte{101};
  array_view<clamped> read;
  REQUIRE(cafwire::deserialize(input, read) == ec::none);
  CHECK(!points_into(read, input.bytes));
  CHECK(read.back().value == 100);
  CHECK(input.bytes[wire.size() - 4] == std::byte{101});
}

TEST_CASE("a view outlives everything but its copies") {
  matrix_view xs;
  std::weak_ptr<const void> watch;
  {
    cafwire::output_buffer out;
    REQUIRE(cafwire::serialize(out, std::string{"head"}, make_matrices(100)) == ec::none);
    auto input = cafwire::share(std::move(out));
    watch = input.owner;
    std::string head;
    REQUIRE(cafwire::deserialize(input, head, xs) == ec::none);
    CHECK(points_into(xs, input.bytes));
  }
  CHECK(!watch.expired());
  CHECK(xs.to_vector() == make_matrices(100));
  auto ys = xs;
  xs = {};
  std::thread{[zs = ys] { CHECK(zs.size() == 100); }}.join();
  CHECK(ys.to_vector() == make_matrices(100));
  ys = matrix_view{make_matrices(1)};
  CHECK(watch.expired());
}

TEST_CASE("malformed views give the errors of vectors") {
  auto wire = encode(std::vector<flags>(100));
  wire.back() = std::byte{2};
  CHECK(error_of<flags>(wire) == ec::invalid_bool);
  auto matrices = encode(make_matrices(10));
  for (size_t n = 0; n < matrices.size(); n += 7)
    CHECK(error_of<matrix>({matrices.begin(), matrices.begin() + static_cast<ptrdiff_t>(n)})
          != ec::none);
  auto nonzero = matrices;
  nonzero[3] = std::byte{1};
  CHECK(error_of<matrix>(nonzero) == ec::nonzero_padding);
  auto longer = matrices;
  longer.push_back(std::byte{0});
  CHECK(error_of<matrix>(longer) == ec::trailing_bytes);
  for (unsigned bit = 5; bit < 64; ++bit) {
    std::byte varint[cafwire::max_varint_size];
    auto* end = cafwire::write_varint(varint, uint64_t{1} << bit);
    auto lying = test::bytes(varint, end);
    lying.insert(lying.end(), matrices.begin() + 1, matrices.end());
    CHECK(error_of<matrix>(lying) != ec::none);
    CHECK(error_of<flags>(lying) != ec::none);
  }
}

TEST_CASE("a view replaces what was in it") {
  auto xs = matrix_view{make_matrices(7)};
  REQUIRE(test::decode_into(xs, encode(make_matrices(2))) == ec::none);
  CHECK(xs.to_vector() == make_matrices(2));
}

TEST_CASE("views and vectors have the same schema") {
  CHECK(cafwire::layout::schema_of<matrix_view>().text
        == cafwire::layout::schema_of<std::vector<matrix>>().text);
}

TEST_CASE("what is valid in any case is not looked at") {
  CHECK_FALSE(cafwire::layout::all_images_are_valid<flags>());
  CHECK_FALSE(cafwire::layout::all_images_are_valid<clamped>());
#if defined(__OPTIMIZE__) && defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  CHECK(cafwire::layout::all_images_are_valid<matrix>());
#endif
}

TEST_CASE("CAF sees views as lists") {
  auto xs = make_matrices(3);
  auto view = matrix_view{xs};
  CHECK(caf::deep_to_string(view) == caf::deep_to_string(xs));
  CHECK(caf::deep_to_string(array_view<int32_t>{{1, 2, 3}}) == "[1, 2, 3]");
  CHECK(to_string(caf::make_message(view)) == "message(" + caf::deep_to_string(xs) + ")");
  CHECK(to_hex(accelerator_test::stock_encode(view)) == to_hex(accelerator_test::stock_encode(xs)));
  auto wire = accelerator_test::stock_encode(scene{"a", view});
  scene copy;
  CHECK(accelerator_test::stock_decode(wire, copy).ok);
  CHECK(copy == scene{"a", view});
}
