// This file is part of cafwire. See the file LICENSE for license terms.

// Each row of the tables in docs/types.md is a test, and each test is a row.

#include "cafwire/all.hpp"
#include "cafwire/reflect.hpp"

#include "support/catch.hpp"
#include "support/codec.hpp"
#include "support/wire_check.hpp"

#include <caf/actor.hpp>
#include <caf/config_value.hpp>
#include <caf/node_id.hpp>
#include <caf/sec.hpp>
#include <caf/timespan.hpp>
#include <caf/uri.hpp>

#include <atomic>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

namespace table_test {

enum class level : int16_t { low, high };

enum class color : uint8_t { red, green, blue };

template <class Inspector>
bool inspect(Inspector& f, color& x) {
  auto get = [&x] { return static_cast<uint8_t>(x); };
  auto set = [&x](uint8_t y) {
    x = static_cast<color>(y);
    return y < 3;
  };
  return f.apply(get, set);
}

struct pixel {
  int32_t x = 0;
  int32_t y = 0;

  friend bool operator==(const pixel&, const pixel&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, pixel& p) {
  return f.object(p).fields(f.field("x", p.x), f.field("y", p.y));
}

struct padded {
  int8_t a = 0;
  int32_t b = 0;

  friend bool operator==(const padded&, const padded&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, padded& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
}

struct temperature {
  int32_t kelvin = 0;

  friend bool operator==(const temperature&, const temperature&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, temperature& x) {
  auto get = [&x] { return x.kelvin - 273; };
  auto set = [&x](int32_t celsius) { x.kelvin = celsius + 273; };
  return f.object(x).fields(f.field("celsius", get, set));
}

struct with_fallback {
  uint8_t a = 0;
  int32_t b = 0;

  friend bool operator==(const with_fallback&, const with_fallback&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, with_fallback& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b).fallback(7));
}

struct nothing {
  friend bool operator==(const nothing&, const nothing&) = default;
};

template <class Inspector>
bool inspect(Inspector& f, nothing& x) {
  return f.object(x).fields();
}

struct aggregate {
  int32_t x;
  int32_t y;

  friend bool operator==(const aggregate&, const aggregate&) = default;
};

struct foreign {
  int32_t celsius = 0;

  friend bool operator==(const foreign&, const foreign&) = default;
};

struct formatted {
  std::vector<int16_t> items;

  friend bool operator==(const formatted&, const formatted&) = default;
};

struct array_member {
  int16_t xs[2] = {};

  friend bool operator==(const array_member& x, const array_member& y) {
    return x.xs[0] == y.xs[0] && x.xs[1] == y.xs[1];
  }
};

template <class Inspector>
bool inspect(Inspector& f, array_member& x) {
  return f.object(x).fields(f.field("xs", x.xs));
}

struct shape {
  virtual ~shape() = default;

  virtual int area() const = 0;
};

struct circle : shape {
  explicit circle(int8_t r = 0) : radius(r) {
    // nop
  }

  int area() const override {
    return 3 * radius * radius;
  }

  int8_t radius;
};

struct square : shape {
  explicit square(int16_t s = 0) : side(s) {
    // nop
  }

  int area() const override {
    return side * side;
  }

  int16_t side;
};

template <class Inspector>
bool inspect(Inspector& f, circle& x) {
  return f.object(x).fields(f.field("radius", x.radius));
}

template <class Inspector>
bool inspect(Inspector& f, square& x) {
  return f.object(x).fields(f.field("side", x.side));
}

/// Looks like a vector, and is none.
class lookalike {
public:
  using value_type = int16_t;

  lookalike() = default;

  lookalike(std::initializer_list<int16_t> xs) : items_(xs) {
    // nop
  }

  size_t size() const {
    return items_.size();
  }

  auto begin() const {
    return items_.begin();
  }

  auto end() const {
    return items_.end();
  }

  void clear() {
    items_.clear();
  }

  template <class Iterator>
  void insert(Iterator, int16_t x) {
    items_.push_back(x);
  }

  friend bool operator==(const lookalike&, const lookalike&) = default;

private:
  std::deque<int16_t> items_;
};

} // namespace table_test

using namespace table_test;

template <>
inline constexpr bool cafwire::reflect_members<aggregate> = true;

template <>
inline constexpr auto cafwire::derived_types<shape> = cafwire::derived_list<circle, square>{};

template <>
inline constexpr std::string_view cafwire::wire_name<circle> = "circle";

template <>
inline constexpr std::string_view cafwire::wire_name<square> = "square";

template <>
struct caf::inspector_access<foreign> : caf::inspector_access_base<foreign> {
  template <class Inspector>
  static bool apply(Inspector& f, foreign& x) {
    return f.object(x).fields(f.field("celsius", x.celsius));
  }
};

template <>
struct cafwire::formatter<formatted> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const formatted& x) {
    return f.apply(x.items);
  }

  static bool load(deserializer& f, formatted& x) {
    return f.apply(x.items);
  }

  static void schema(layout::schema_builder& f) {
    f.type<std::vector<int16_t>>();
  }
};

namespace {

struct row {
  std::string name;
  std::string schema;
};

/// Removes the backticks around code.
std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

/// Reads the tables whose first column is "type".
std::vector<row> read_tables() {
  std::ifstream in{std::string{CAFWIRE_VECTORS_DIR} + "/../../docs/types.md"};
  REQUIRE(in);
  std::vector<row> result;
  auto inside = false;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("|")) {
      inside = false;
    } else if (line.starts_with("| type |")) {
      inside = true;
    } else if (inside && !line.starts_with("|---")) {
      auto name_end = line.find(" | ");
      auto schema_end = line.find(" | ", name_end + 3);
      REQUIRE(schema_end != std::string::npos);
      result.push_back({plain(line.substr(2, name_end - 2)),
                        plain(line.substr(name_end + 3, schema_end - name_end - 3))});
    }
  }
  return result;
}

/// The rows of the tables, in their order. Each check takes the next one.
class tables {
public:
  ~tables() {
    CHECK(next_ == rows_.size());
  }

  /// Checks the encoding of `x`, and what a reader makes of it that held `old` before.
  template <class T, class Equal = std::equal_to<>>
  void check(std::string_view name, const T& x, T old, std::string_view bytes, Equal equal = {}) {
    auto schema = take(name);
    test::check_wire(x, std::move(old), {schema, bytes}, equal);
  }

  /// Returns the schema in the next row, which must have this name.
  std::string take(std::string_view name) {
    REQUIRE(next_ < rows_.size());
    CHECK(rows_[next_].name == name);
    return rows_[next_++].schema;
  }

private:
  std::vector<row> rows_ = read_tables();
  size_t next_ = 0;
};

constexpr auto same_object = [](const auto& x, const auto& y) {
  return x == nullptr ? y == nullptr : y != nullptr && *x == *y;
};

constexpr auto same_area = [](const auto& x, const auto& y) {
  return x == nullptr ? y == nullptr : y != nullptr && x->area() == y->area();
};

constexpr auto same_atomic = [](const auto& x, const auto& y) { return x.load() == y.load(); };

template <class T>
T queue_of(std::initializer_list<int16_t> xs) {
  T result;
  for (auto x : xs)
    result.push(x);
  return result;
}

caf::uri make_uri(std::string_view text) {
  auto result = caf::make_uri(text);
  REQUIRE(result);
  return *result;
}

void check_numbers(tables& t) {
  t.check("bool", true, false, "01");
  t.check("int8_t", int8_t{-2}, int8_t{9}, "fe");
  t.check("uint8_t", uint8_t{2}, uint8_t{9}, "02");
  t.check("int16_t", int16_t{-2}, int16_t{9}, "feff");
  t.check("uint16_t", uint16_t{2}, uint16_t{9}, "0200");
  t.check("int32_t", int32_t{-2}, int32_t{9}, "feffffff");
  t.check("uint32_t", uint32_t{2}, uint32_t{9}, "02000000");
  t.check("int64_t", int64_t{-2}, int64_t{9}, "feffffffffffffff");
  t.check("uint64_t", uint64_t{2}, uint64_t{9}, "0200000000000000");
  t.check("__int128", cafwire::layout::int128{-2}, cafwire::layout::int128{9},
          "feffffffffffffffffffffffffffffff");
  t.check("unsigned __int128", cafwire::layout::uint128{2}, cafwire::layout::uint128{9},
          "02000000000000000000000000000000");
  t.check("char", 'a', 'x', "61");
  t.check("char8_t", u8'a', u8'x', "61");
  t.check("char16_t", u'a', u'x', "6100");
  t.check("char32_t", U'a', U'x', "61000000");
  t.check("wchar_t", L'a', L'x', "61000000");
  t.check("std::byte", std::byte{2}, std::byte{9}, "02");
  t.check("float", 1.5f, 9.0f, "0000c03f");
  t.check("double", 1.5, 9.0, "000000000000f83f");
  t.check("long double", 1.0L, 9.0L, "0000000000000080ff3f");
  t.check("enum without inspect", level::high, level::low, "0100");
  t.check("enum with inspect", color::blue, color::red, "02");
  t.check("std::complex<T>", std::complex<double>{1.5, -2.0}, {},
          "000000000000f83f00000000000000c0");
  t.check("std::bitset<N>", std::bitset<12>{0x801}, std::bitset<12>{0xfff}, "0108");
  {
    auto schema = t.take("std::atomic<T>");
    CHECK(cafwire::layout::schema_of<std::atomic<int32_t>>().text == schema);
    std::atomic<int32_t> x{-2};
    std::atomic<int32_t> y{9};
    CHECK(test::to_hex(test::encode(x)) == "feffffff");
    CHECK(test::decode_into(y, test::encode(x)) == cafwire::ec::none);
    CHECK(same_atomic(x, y));
  }
  t.check("std::chrono::duration<Rep, Period>", std::chrono::milliseconds{1500}, {},
          "dc05000000000000");
  t.check("std::chrono::time_point<Clock, Duration>",
          std::chrono::steady_clock::time_point{std::chrono::nanoseconds{-2}}, {},
          "feffffffffffffff");
}

void check_structs(tables& t) {
  t.check("struct with inspect", pixel{1, -2}, pixel{9, 9}, "01000000feffffff");
  t.check("struct with padding", padded{1, -2}, padded{9, 9}, "01feffffff");
  t.check("struct with getters and setters", temperature{275}, temperature{}, "02000000");
  t.check("struct with fallback", with_fallback{1, 5}, with_fallback{9, 9}, "010105000000");
  t.check("struct without fields", nothing{}, nothing{}, "");
  t.check("aggregate with cafwire::reflect_members", aggregate{1, -2}, aggregate{9, 9},
          "01000000feffffff");
  t.check("type with caf::inspector_access", foreign{2}, foreign{9}, "02000000");
  t.check("type with cafwire::formatter", formatted{{1, -2}}, formatted{{9}}, "020100feff");
  t.check("T[N]", array_member{{1, -2}}, array_member{}, "0100feff");
  t.check("std::array<T, N>", std::array<int16_t, 2>{1, -2}, {}, "0100feff");
  t.check("std::pair<T, U>", std::pair{int8_t{1}, std::string{"a"}}, {}, "010161");
  t.check("std::tuple<Ts...>", std::tuple{true, int16_t{-2}}, {}, "01feff");
}

void check_choices(tables& t) {
  using maybe = std::optional<int16_t>;
  t.check("std::optional<T>", maybe{int16_t{-2}}, maybe{}, "01feff");
  t.check("std::optional<std::optional<T>>", std::optional<maybe>{maybe{}}, std::optional<maybe>{},
          "0100");
  using either = std::variant<int8_t, std::string>;
  t.check("std::variant<Ts...>", either{"a"}, either{}, "010161");
  using perhaps = std::variant<std::monostate, int8_t>;
  t.check("std::variant<std::monostate, Ts...>", perhaps{}, perhaps{int8_t{1}}, "00");
}

void check_pointers(tables& t) {
  t.check("std::unique_ptr<T>", std::make_unique<int16_t>(int16_t{-2}), {}, "01feff", same_object);
  t.check("std::unique_ptr<Base> with cafwire::derived_types",
          std::unique_ptr<shape>{std::make_unique<circle>(int8_t{2})}, {}, "0106636972636c6502",
          same_area);
  t.check("std::shared_ptr<T>", std::make_shared<int16_t>(int16_t{-2}), {}, "01feff", same_object);
  t.check("std::shared_ptr<Base> with cafwire::derived_types",
          std::shared_ptr<shape>{std::make_shared<square>(int16_t{3})}, {}, "01067371756172650300",
          same_area);
  {
    using pair = std::pair<std::shared_ptr<int16_t>, std::weak_ptr<int16_t>>;
    auto schema = t.take("std::weak_ptr<T>");
    CHECK(cafwire::layout::schema_of<std::weak_ptr<int16_t>>().text == schema);
    auto object = std::make_shared<int16_t>(int16_t{-2});
    auto bytes = test::encode(pair{object, object});
    CHECK(test::to_hex(bytes) == "01feff02");
    auto x = test::decode<pair>(bytes);
    CHECK(x.first == x.second.lock());
  }
}

void check_strings(tables& t) {
  t.check("std::string", std::string{"a\0", 2}, std::string{"old"}, "026100");
  t.check("std::u8string", std::u8string{u8"a"}, {}, "0161");
  t.check("std::u16string", std::u16string{u"a"}, {}, "016100");
  t.check("std::u32string", std::u32string{U"a"}, {}, "0161000000");
  t.check("std::wstring", std::wstring{L"a"}, {}, "0161000000");
  {
    auto schema = t.take("std::string_view");
    CHECK(cafwire::layout::schema_of<std::string_view>().text == schema);
    CHECK(test::to_hex(test::encode(std::string_view{"a"})) == "0161");
  }
  t.check("std::filesystem::path", std::filesystem::path{"/a"}, {}, "022f61");
}

void check_sequences(tables& t) {
  constexpr auto bytes = std::string_view{"02 0100 feff"};
  t.check("std::vector<T>", std::vector<int16_t>{1, -2}, {9}, bytes);
  t.check("std::vector<bool>", std::vector<bool>{1, 0, 1}, {1}, "0305");
  t.check("std::deque<T>", std::deque<int16_t>{1, -2}, {9}, bytes);
  t.check("std::list<T>", std::list<int16_t>{1, -2}, {9}, bytes);
  t.check("std::forward_list<T>", std::forward_list<int16_t>{1, -2}, {9}, bytes);
  t.check("std::valarray<T>", std::valarray<double>{1.5}, std::valarray<double>(3),
          "01 000000000000f83f",
          [](auto& x, auto& y) { return x.size() == y.size() && x[0] == y[0]; });
  t.check("std::stack<T>", queue_of<std::stack<int16_t>>({1, -2}), {}, bytes);
  t.check("std::queue<T>", queue_of<std::queue<int16_t>>({1, -2}), {}, bytes);
  t.check("std::priority_queue<T>", queue_of<std::priority_queue<int16_t>>({1, -2}), {}, bytes,
          [](auto& x, auto& y) { return x.size() == y.size() && x.top() == y.top(); });
}

void check_sets(tables& t) {
  t.check("std::set<T>", std::set<int16_t>{-2, 1}, {9}, "02 feff 0100");
  t.check("std::multiset<T>", std::multiset<int16_t>{1, 1}, {9}, "02 0100 0100");
  t.check("std::unordered_set<T>", std::unordered_set<int16_t>{1}, {9}, "01 0100");
  t.check("std::unordered_multiset<T>", std::unordered_multiset<int16_t>{1, 1}, {9},
          "02 0100 0100");
  t.check("std::map<K, V>", std::map<int8_t, int16_t>{{1, -2}}, {{9, 9}}, "01 01 feff");
  t.check("std::multimap<K, V>", std::multimap<int8_t, int16_t>{{1, -2}, {1, -2}}, {},
          "02 01 feff 01 feff");
  t.check("std::unordered_map<K, V>", std::unordered_map<int8_t, int16_t>{{1, -2}}, {},
          "01 01 feff");
  t.check("std::unordered_multimap<K, V>",
          std::unordered_multimap<int8_t, int16_t>{{1, -2}, {1, -2}}, {}, "02 01 feff 01 feff");
  t.check("container of an application that looks like one of these", lookalike{1, -2}, {9},
          "02 0100 feff");
}

void check_caf(tables& t) {
  t.check("std::error_code", std::error_code{5, std::generic_category()}, {},
          "07 67656e65726963 05000000");
  t.check("std::error_condition", std::error_condition{5, std::generic_category()}, {},
          "07 67656e65726963 05000000");
  t.check("caf::error", caf::error{cafwire::ec::unknown_type}, {}, "12 34 00");
  t.check("caf::message", caf::make_message(int32_t{5}), caf::make_message(true), "01 06 05000000",
          [](auto& x, auto& y) { return to_string(x) == to_string(y); });
  t.check("caf::config_value", caf::config_value{true}, caf::config_value{"old"}, "02 01");
  t.check("caf::uri", make_uri("a:b"), {}, "03 613a62");
  t.check("caf::node_id", caf::node_id{}, {}, "00");
  t.check("caf::timespan", caf::timespan{-2}, {}, "feffffffffffffff");
  t.check("caf::byte_buffer", caf::byte_buffer{cafwire::compat::byte{1}}, {}, "01 01");
  t.check("caf::actor", caf::actor{}, {}, "00");
}

} // namespace

TEST_CASE("the tables of types are what the codec does") {
  tables t;
  check_numbers(t);
  check_structs(t);
  check_choices(t);
  check_pointers(t);
  check_strings(t);
  check_sequences(t);
  check_sets(t);
  check_caf(t);
}
