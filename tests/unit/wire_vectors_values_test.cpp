// This file is part of cafwire. See the file LICENSE for license terms.

// The values of numbers.json, strings.json, containers.json and structs.json in tests/vectors.

#include "support/session_types.hpp"
#include "support/vector_file.hpp"

#include <array>
#include <bit>
#include <bitset>
#include <chrono>
#include <complex>
#include <filesystem>
#include <forward_list>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <valarray>
#include <variant>
#include <vector>

using namespace session_test;

namespace vector_test {

enum class weekday : int16_t { monday, tuesday, wednesday, thursday };

struct triple {
  int32_t x = 0;
  int32_t y = 0;
  int32_t z = 0;

  friend bool operator==(const triple&, const triple&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, triple& x) {
  return f.object(x).fields(f.field("x", x.x), f.field("y", x.y), f.field("z", x.z));
}

struct padded {
  int8_t a = 0;
  int32_t b = 0;
  bool c = false;

  friend bool operator==(const padded&, const padded&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, padded& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b), f.field("c", x.c));
}

struct nothing {
  friend bool operator==(const nothing&, const nothing&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, nothing& x) {
  return f.object(x).fields();
}

struct with_array {
  float m[2][2] = {};

  friend bool operator==(const with_array& x, const with_array& y) {
    return std::equal(&x.m[0][0], &x.m[0][0] + 4, &y.m[0][0]);
  }
};

template <class Inspector>
bool inspect(Inspector& f, with_array& x) {
  return f.object(x).fields(f.field("m", x.m));
}

class with_getter {
public:
  with_getter() = default;

  explicit with_getter(double kelvin) : kelvin_(kelvin) {
    // nop
  }

  friend bool operator==(const with_getter&, const with_getter&) = default;

  template <class Inspector>
  friend bool inspect(Inspector& f, with_getter& x) {
    auto get = [&x] { return x.kelvin_ - 273; };
    auto set = [&x](double celsius) {
      x.kelvin_ = celsius + 273;
      return true;
    };
    return f.object(x).fields(f.field("celsius", get, set));
  }

private:
  double kelvin_ = 0;
};

struct with_fallback {
  uint8_t a = 0;
  int32_t b = 0;

  friend bool operator==(const with_fallback&, const with_fallback&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, with_fallback& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b).fallback(7));
}

struct with_absence {
  uint8_t a = 0;
  std::optional<uint16_t> b;

  friend bool operator==(const with_absence&, const with_absence&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, with_absence& x) {
  auto is_present = [&x] { return x.b.has_value(); };
  auto get = [&x]() -> const uint16_t& { return *x.b; };
  auto reset = [&x] { x.b.reset(); };
  auto set = [&x](uint16_t value) {
    x.b = value;
    return true;
  };
  return f.object(x).fields(f.field("a", x.a), f.field("b", is_present, get, reset, set));
}

struct tree {
  uint8_t value = 0;
  std::vector<tree> children;

  friend bool operator==(const tree& x, const tree& y) {
    return x.value == y.value && x.children == y.children;
  }
};

template <class Inspector>
bool inspect(Inspector& f, tree& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("children", x.children));
}

struct with_run {
  uint8_t id = 0;
  std::vector<uint8_t> data;

  friend bool operator==(const with_run&, const with_run&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, with_run& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("data", x.data));
}

struct with_runs {
  std::vector<uint8_t> a;
  std::vector<uint8_t> b;

  friend bool operator==(const with_runs&, const with_runs&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, with_runs& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

struct shape {
  virtual ~shape() = default;
};

struct circle : shape {
  circle() = default;

  explicit circle(uint8_t x) : radius(x) {
    // nop
  }

  uint8_t radius = 0;
};

struct square : shape {
  square() = default;

  explicit square(uint16_t x) : side(x) {
    // nop
  }

  uint16_t side = 0;
};

template <class Inspector>
bool inspect(Inspector& f, circle& x) {
  return f.object(x).fields(f.field("radius", x.radius));
}

template <class Inspector>
bool inspect(Inspector& f, square& x) {
  return f.object(x).fields(f.field("side", x.side));
}

} // namespace vector_test

template <>
inline constexpr auto cafwire::derived_types<vector_test::shape> = cafwire::derived_list<
  vector_test::square, vector_test::circle>{};

template <>
inline constexpr std::string_view cafwire::wire_name<vector_test::circle> = "circle";

template <>
inline constexpr std::string_view cafwire::wire_name<vector_test::square> = "square";

using namespace vector_test;

TEST_CASE("the vectors of numbers") {
  vector_group x{"numbers.json"};
  x.check("bool_false", false);
  x.check("bool_true", true);
  x.check("i8_minus_one", int8_t{-1});
  x.check("u8_max", uint8_t{255});
  x.check("i16_min", std::numeric_limits<int16_t>::min());
  x.check("u16", uint16_t{0x1234});
  x.check("i32_minus_two", int32_t{-2});
  x.check("u32", uint32_t{0x12345678});
  x.check("i64_min", std::numeric_limits<int64_t>::min());
  x.check("u64", uint64_t{0x0123456789abcdef});
  x.check("c8", 'A');
  x.check("c16", char16_t{0x20ac});
  x.check("c32", char32_t{0x1f600});
  x.check("byte", std::byte{0x7f});
  x.check("f32", 1.5f);
  x.check("f32_minus_zero", -0.0f);
  x.check("f32_subnormal", std::numeric_limits<float>::denorm_min());
  x.check("f32_nan_with_payload", std::bit_cast<float>(0x7fc12345u));
  x.check("f64", 3.141592653589793);
  x.check("f64_infinity", std::numeric_limits<double>::infinity());
  x.check("f64_signalling_nan", std::bit_cast<double>(uint64_t{0x7ff0000000000001}));
  x.check("f80", 1.0l);
  x.check("f80_minus_two", -2.0l);
  x.check("enum_with_inspect", color::blue);
  x.check("enum_without_inspect", weekday::thursday);
  x.check("duration", std::chrono::duration<int64_t, std::milli>{1500});
  x.check("time_point", caf::timestamp{caf::timespan{-1}});
  x.check("i128_minus_two", cafwire::layout::int128{-2});
  x.check("u128", (cafwire::layout::uint128{0x0123456789abcdef} << 64) + 1);
  x.check("duration_of_floats", std::chrono::duration<double, std::ratio<60>>{1.5});
  x.check("duration_of_odd_period", std::chrono::duration<int32_t, std::ratio<7, 9>>{3});
  x.check("time_point_of_steady_clock",
          std::chrono::steady_clock::time_point{std::chrono::nanoseconds{1}});
  x.check("complex", std::complex<double>{1.5, -2.0});
  x.check("error_code", std::error_code{5, std::generic_category()});
  x.finish();
}

TEST_CASE("the vectors of strings") {
  vector_group x{"strings.json"};
  x.check("string_empty", std::string{});
  x.check("string", std::string{"hello"});
  x.check("string_with_zero", std::string{"a\0b", 3});
  x.check("string_16", std::u16string{u'a', char16_t{0xe9}});
  x.check("string_32", std::u32string{char32_t{0x1f600}});
  x.check("string_127", std::string(127, 'x'));
  x.check("string_128", std::string(128, 'x'));
  x.check("string_255", std::string(255, 'x'));
  x.check("string_256", std::string(256, 'x'));
  x.check("string_16_127", std::u16string(127, char16_t{0x7878}));
  x.check("string_16_128", std::u16string(128, char16_t{0x7878}));
  x.check("string_of_utf8", std::u8string{u8"\u20ac"});
  x.check("string_of_wide_characters", std::wstring{L"a"});
  x.check("string_16_with_zero", std::u16string{u'a', u'\0'});
  x.check("path", std::filesystem::path{"/a/b"});
  x.finish();
}

TEST_CASE("the vectors of containers") {
  vector_group x{"containers.json"};
  using bytes = std::vector<uint8_t>;
  x.check("seq_empty", std::vector<int32_t>{});
  x.check("seq", std::vector<int32_t>{1, 2, -1});
  x.check("seq_of_seq", std::vector<bytes>{{1}, {}, {2, 3}});
  x.check("seq_in_a_list", std::list<int16_t>{1, 2});
  x.check("seq_255_bytes", bytes(255, 0xaa));
  x.check("seq_256_bytes", bytes(256, 0xaa));
  x.check("seq_of_pairs", std::vector<std::pair<uint8_t, uint16_t>>(86, {uint8_t{1}, 0x0101}));
  x.check("seq_of_optionals", std::vector<std::optional<uint8_t>>(256));
  x.check("bits_empty", std::vector<bool>{});
  x.check("bits", std::vector<bool>{1, 0, 1, 1, 0, 0, 0, 0, 1});
  x.check("bits_8", std::vector<bool>(8, true));
  x.check("array", std::array<uint8_t, 3>{1, 2, 3});
  x.check("array_of_arrays", std::array<std::array<int16_t, 2>, 2>{{{1, 2}, {3, 4}}});
  std::array<uint8_t, 256> array;
  array.fill(0xaa);
  x.check("array_256_bytes", array);
  x.check("pair", std::pair{uint8_t{7}, std::string{"a"}});
  x.check("tuple", std::tuple{true, int16_t{-2}, std::optional<uint8_t>{}});
  x.check("opt_nothing", std::optional<uint16_t>{});
  x.check("opt", std::optional<uint16_t>{0x1234});
  using nested = std::optional<std::optional<uint8_t>>;
  x.check("opt_of_opt", nested{std::in_place});
  using var = std::variant<uint8_t, std::string>;
  x.check("var_first", var{uint8_t{5}});
  x.check("var_second", var{std::string{"a"}});
  x.check("var_monostate", std::variant<std::monostate, std::string, int32_t>{});
  x.check("var_same_type_twice",
          std::variant<uint8_t, uint8_t>{std::in_place_index<1>, uint8_t{7}});
  x.check("set_empty", std::set<int32_t>{});
  x.check("set", std::set<int32_t>{2, -1});
  x.check("multiset", std::multiset<uint8_t>{2, 1, 1});
  x.check("unordered_set", std::unordered_set<std::string>{"a"});
  x.check("map", std::map<std::string, uint8_t>{{"b", uint8_t{2}}, {"a", uint8_t{1}}});
  x.check("multimap",
          std::multimap<uint8_t, uint8_t>{{uint8_t{1}, uint8_t{9}}, {uint8_t{1}, uint8_t{8}}});
  x.check("unordered_map", std::unordered_map<uint8_t, bytes>{{uint8_t{5}, bytes{6}}});
  x.check("bitset", std::bitset<12>{0x801});
  x.check("seq_of_bitsets", std::vector<std::bitset<4>>{0b0101, 0b0010});
  x.check("stack", std::stack<uint8_t>{{1, 2}});
  x.check("queue", std::queue<uint8_t>{{1, 2}});
  std::priority_queue<uint8_t> priorities;
  for (auto number : bytes{1, 5, 3, 4})
    priorities.push(number);
  x.check("priority_queue", priorities);
  x.check("forward_list", std::forward_list<int16_t>{1, 2});
  x.check("valarray", std::valarray<float>{1.0f, 1.5f});
  x.check("seq_of_complex_long", std::vector<std::complex<double>>(16));
  x.check("unique_ptr_null", std::unique_ptr<uint16_t>{});
  x.check("unique_ptr", std::make_unique<uint16_t>(uint16_t{0x1234}));
  using pointer = std::shared_ptr<uint8_t>;
  auto seven = std::make_shared<uint8_t>(uint8_t{7});
  auto other = std::make_shared<uint8_t>(uint8_t{7});
  x.check("shared_ptr_null", std::shared_ptr<uint16_t>{});
  x.check("shared_ptr", std::make_shared<uint16_t>(uint16_t{0x1234}));
  x.check("base_ptr", std::unique_ptr<shape>{std::make_unique<circle>(uint8_t{2})});
  auto shared = std::shared_ptr<shape>{std::make_shared<square>(uint16_t{3})};
  x.check("shared_base_ptrs", std::vector<std::shared_ptr<shape>>{shared, shared});
  auto object = std::make_shared<uint8_t>(uint8_t{7});
  x.check("weak_ptr", std::pair{object, std::weak_ptr{object}});
  x.check("seq_of_shared", std::vector<pointer>{seven, other, seven, nullptr, other});
  x.finish();
}

TEST_CASE("the vectors of structs") {
  vector_group x{"structs.json"};
  x.check("struct_without_name", triple{1, 2, -1});
  x.check("struct_with_name", point{1, 2, -1});
  x.check("struct_in_struct", track{"t", {{1, 2, 3}}});
  x.check("struct_with_padding", padded{1, 2, true});
  x.check("struct_empty", nothing{});
  x.check("struct_with_array", with_array{{{1, 0}, {0, 1}}});
  x.check("struct_with_getter", with_getter{274.5});
  x.check("struct_with_fallback", with_fallback{1, 5});
  x.check("struct_at_fallback", with_fallback{1, 7});
  x.check("struct_with_absent_field", with_absence{1, {}});
  x.check("struct_with_present_field", with_absence{1, uint16_t{0x1234}});
  x.check("struct_recursive", tree{1, {{2, {}}, {3, {}}}});
  x.check("struct_with_long_run", with_run{1, std::vector<uint8_t>(256, 0xaa)});
  x.check("struct_with_two_long_runs",
          with_runs{std::vector<uint8_t>(257, 0xaa), std::vector<uint8_t>(256, 0xbb)});
  x.check("seq_of_structs", std::vector<triple>(21, {-1, -1, -1}));
  x.check("seq_of_structs_long", std::vector<triple>(22, {-1, -1, -1}));
  x.check("seq_of_padded_structs_long", std::vector<padded>(43, {1, 0x01010101, true}));
  x.finish();
}
