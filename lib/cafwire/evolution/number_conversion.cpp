// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/evolution/number_conversion.hpp"

#include "cafwire/layout/type_traits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cafwire::evolution {

using layout::int128;
using layout::schema_kind;
using layout::uint128;

namespace {

/// The C++ types of the kinds, in their order. Characters are the integers that they are.
using number_types
  = std::tuple<bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
               int128, uint128, uint8_t, uint16_t, uint32_t, float, double, long double>;

constexpr size_t num_kinds = std::tuple_size_v<number_types>;

static_assert(num_kinds == static_cast<size_t>(schema_kind::f80) + 1);

template <size_t Kind>
using number_of = std::tuple_element_t<Kind, number_types>;

/// Whether `long double` is what the format calls `f80`.
constexpr bool has_f80 = LDBL_MANT_DIG == 64;

template <class T>
constexpr size_t wire_size = std::is_same_v<T, long double> ? 10 : sizeof(T);

template <class T>
constexpr bool is_float = std::is_floating_point_v<T>;

template <class T>
constexpr bool is_negative(T x) {
  if constexpr (T(-1) < T(0))
    return x < 0;
  else
    return false;
}

void copy_bytes(std::byte* out, const std::byte* in, size_t size) {
  if constexpr (std::endian::native == std::endian::little)
    std::memcpy(out, in, size);
  else
    std::reverse_copy(in, in + size, out);
}

/// @returns whether the bytes are a number.
template <class T>
bool read(const std::byte* in, T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    x = *in != std::byte{0};
    return *in <= std::byte{1};
  } else if constexpr (std::is_same_v<T, long double>) {
    x = 0;
    std::memcpy(&x, in, wire_size<T>);
    auto exponent = std::to_integer<unsigned>(in[8]) | std::to_integer<unsigned>(in[9]) << 8;
    return ((exponent & 0x7fff) != 0) == (std::to_integer<unsigned>(in[7]) >= 0x80);
  } else {
    std::byte bytes[sizeof(T)];
    copy_bytes(bytes, in, sizeof(T));
    std::memcpy(&x, bytes, sizeof(T));
    return true;
  }
}

template <class T>
void write(std::byte* out, T x) {
  if constexpr (std::is_same_v<T, long double>) {
    std::memcpy(out, &x, wire_size<T>);
  } else {
    std::byte bytes[sizeof(T)];
    std::memcpy(bytes, &x, sizeof(T));
    copy_bytes(out, bytes, sizeof(T));
  }
}

/// Returns how many bits stand between the first and the last one that is set.
template <class T>
int significant_bits(T x) {
  auto bits = is_negative(x) ? uint128{0} - static_cast<uint128>(x) : static_cast<uint128>(x);
  if (bits == 0)
    return 0;
  auto low = static_cast<uint64_t>(bits);
  auto high = static_cast<uint64_t>(bits >> 64);
  auto first = high != 0 ? 63 + static_cast<int>(std::bit_width(high)) + 1
                         : static_cast<int>(std::bit_width(low));
  auto zeros = low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high);
  return first - zeros;
}

/// Returns the least power of two that does not fit into an integer.
template <class Float, class Integer>
Float limit_of() {
  constexpr auto bits = static_cast<int>(sizeof(Integer) * 8) - (Integer(-1) < Integer(0) ? 1 : 0);
  return std::ldexp(Float{1}, bits);
}

/// @returns whether `y` is exactly what `x` was.
template <class From, class To>
bool convert(From x, To& y) {
  if constexpr (std::is_same_v<From, To>) {
    y = x;
    return true;
  } else if constexpr (std::is_same_v<To, bool>) {
    y = x == From{1};
    return x == From{1} || x == From{0};
  } else if constexpr (std::is_same_v<From, bool>) {
    y = static_cast<To>(x ? 1 : 0);
    return true;
  } else if constexpr (is_float<From> && is_float<To>) {
    y = static_cast<To>(x);
    return static_cast<From>(y) == x || std::isnan(x);
  } else if constexpr (is_float<From>) {
    // Numbers without a fraction between the limits; comparisons are false for a NaN.
    auto lower = is_negative(To(-1)) ? -limit_of<From, To>() : From{0};
    if (!(x >= lower && x < limit_of<From, To>() && std::trunc(x) == x))
      return false;
    y = static_cast<To>(x);
    return true;
  } else if constexpr (is_float<To>) {
    if (significant_bits(x) > std::numeric_limits<To>::digits)
      return false;
    y = static_cast<To>(x);
    return std::isfinite(y);
  } else {
    y = static_cast<To>(x);
    return static_cast<From>(y) == x && is_negative(y) == is_negative(x);
  }
}

template <class From, class To>
size_t convert_row(number_row<const std::byte> in, number_row<std::byte> out, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    From x;
    To y;
    if (!read(in.first + i * in.stride, x) || !convert(x, y))
      return i;
    write(out.first + i * out.stride, y);
  }
  return n;
}

constexpr bool is_character(size_t kind) {
  return kind >= static_cast<size_t>(schema_kind::c8)
         && kind <= static_cast<size_t>(schema_kind::c32);
}

template <size_t From, size_t To>
constexpr number_converter converter() {
  constexpr auto f80 = static_cast<size_t>(schema_kind::f80);
  if constexpr (!has_f80 && (From == f80 || To == f80)) {
    return nullptr;
  } else if constexpr (is_character(From) || is_character(To)) {
    // Another width would need another encoding of the text.
    if constexpr (std::is_same_v<number_of<From>, number_of<To>>)
      return convert_row<number_of<From>, number_of<To>>;
    else
      return nullptr;
  } else {
    return convert_row<number_of<From>, number_of<To>>;
  }
}

template <size_t... Pairs>
constexpr auto make_converters(std::index_sequence<Pairs...>) {
  return std::array<number_converter, sizeof...(Pairs)>{
    converter<Pairs / num_kinds, Pairs % num_kinds>()...};
}

constexpr auto converters = make_converters(std::make_index_sequence<num_kinds * num_kinds>{});

/// @returns whether the result is exact.
template <class T>
bool scale(T& x, uint64_t factor, uint64_t divisor) {
  if constexpr (is_float<T>) {
    auto result = x * static_cast<T>(factor) / static_cast<T>(divisor);
    auto exact = result * static_cast<T>(divisor) / static_cast<T>(factor) == x;
    auto ok = std::isnan(x) || std::isinf(x) || (exact && std::isfinite(result));
    x = result;
    return ok;
  } else {
    int128 product;
    if (__builtin_mul_overflow(x, static_cast<int128>(factor), &product)
        || product % static_cast<int128>(divisor) != 0)
      return false;
    x = product / static_cast<int128>(divisor);
    return true;
  }
}

} // namespace

number_converter find_converter(schema_kind from, schema_kind to) noexcept {
  return converters[static_cast<size_t>(from) * num_kinds + static_cast<size_t>(to)];
}

size_t tick_conversion::operator()(number_row<const std::byte> in, number_row<std::byte> out,
                                   size_t n) const {
  auto is_float_kind = [](schema_kind x) { return x >= schema_kind::f32 && x <= schema_kind::f80; };
  auto by_way_of = [&](auto number, schema_kind kind) -> size_t {
    auto first = find_converter(from, kind);
    auto second = find_converter(kind, to);
    if (first == nullptr || second == nullptr)
      return 0;
    for (size_t i = 0; i < n; ++i) {
      std::byte bytes[sizeof number];
      if (first({in.first + i * in.stride, 0}, {bytes, 0}, 1) != 1)
        return i;
      read(bytes, number);
      if (!scale(number, factor, divisor))
        return i;
      write(bytes, number);
      if (second({bytes, 0}, {out.first + i * out.stride, 0}, 1) != 1)
        return i;
    }
    return n;
  };
  return is_float_kind(from) || is_float_kind(to) ? by_way_of(double{}, schema_kind::f64)
                                                  : by_way_of(int128{}, schema_kind::i128);
}

} // namespace cafwire::evolution
