// This file is part of cafwire. See the file LICENSE for license terms.

// The ways in which applications teach cafwire (and CAF) their own types.

#include "cafwire/codec.hpp"

#include "support/codec.hpp"
#include "support/reference_decoder.hpp"
#include "support/reference_encoder.hpp"

#include <caf/inspector_access.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using cafwire::ec;
using test::decode;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::from_hex;
using test::reference_encode;
using test::to_hex;

namespace {

/// A type of somebody else, with a specialization instead of an overload.
class temperature {
public:
  int32_t celsius() const {
    return celsius_;
  }

  void celsius(int32_t x) {
    celsius_ = x;
  }

private:
  int32_t celsius_ = 0;
};

struct weather {
  temperature now;
  int8_t wind = 0;
};

template <class Inspector>
bool inspect(Inspector& f, weather& x) {
  auto not_too_cold = [](const temperature& y) { return y.celsius() >= -273; };
  return f.object(x).fields(f.field("now", x.now).invariant(not_too_cold), f.field("wind", x.wind));
}

/// A list whose nodes own each other.
struct node {
  int8_t value = 0;
  std::unique_ptr<node> next;
};

template <class Inspector>
bool inspect(Inspector& f, node& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("next", x.next));
}

/// A type with a formatter of its own: a coordinate in three bytes.
struct compact_point {
  int8_t x = 0;
  int8_t y = 0;
  int8_t z = 0;
};

struct with_compact_point {
  compact_point p;
  int8_t rest = 0;
};

template <class Inspector>
bool inspect(Inspector& f, with_compact_point& x) {
  return f.object(x).fields(f.field("p", x.p), f.field("rest", x.rest));
}

/// Looks like a container, but says itself how it is inspected.
class sorted_numbers : public std::vector<int8_t> {
public:
  using std::vector<int8_t>::vector;
};

template <class Inspector>
bool inspect(Inspector& f, sorted_numbers& x) {
  auto sum = int32_t{0};
  for (auto number : x)
    sum += number;
  return f.object(x).fields(f.field("sum", sum));
}

/// A container of somebody else, with an allocator and an order of its own.
template <class T>
class odd_list {
public:
  using value_type = T;

  size_t size() const {
    return items_.size();
  }

  auto begin() const {
    return items_.rbegin();
  }

  auto end() const {
    return items_.rend();
  }

  void clear() {
    items_.clear();
  }

  template <class Iterator>
  void insert(Iterator, T x) {
    items_.insert(items_.begin(), std::move(x));
  }

private:
  std::vector<T> items_;
};

/// The same fields, packed and naturally aligned.
struct natural {
  char tag;
  int32_t number;
};

#pragma pack(push, 2)
struct packed_to_two {
  char tag;
  int32_t number;
};
#pragma pack(pop)

template <class Inspector>
bool inspect(Inspector& f, natural& x) {
  return f.object(x).fields(f.field("tag", x.tag), f.field("number", x.number));
}

template <class Inspector>
bool inspect(Inspector& f, packed_to_two& x) {
  auto get = [&x] { return x.number; };
  auto set = [&x](int32_t y) { x.number = y; };
  return f.object(x).fields(f.field("tag", x.tag), f.field("number", get, set));
}

/// Does what no proof can see: changes after it was written, but only for one value.
struct treacherous {
  int32_t a = 0;
  int32_t b = 0;
};

template <class Inspector>
bool inspect(Inspector& f, treacherous& x) {
  auto ok = f.object(x).fields(f.field("a", x.a), f.field("b", x.b));
  if constexpr (!Inspector::is_loading)
    if (x.a == 77)
      x.b = 0;
  return ok;
}

} // namespace

template <>
struct caf::inspector_access<temperature> : caf::inspector_access_base<temperature> {
  template <class Inspector>
  static bool apply(Inspector& f, temperature& x) {
    auto get = [&x] { return x.celsius(); };
    auto set = [&x](int32_t y) { x.celsius(y); };
    return f.object(x).fields(f.field("celsius", get, set));
  }
};

template <>
struct caf::inspector_access<std::unique_ptr<node>>
  : caf::optional_inspector_access<std::unique_ptr<node>> {};

template <>
struct cafwire::formatter<compact_point> {
  static constexpr size_t min_size = 2;

  static bool save(serializer& f, const compact_point& p) {
    // The third coordinate is not worth its byte.
    return f.apply(p.x) && f.apply(p.y);
  }

  static bool load(deserializer& f, compact_point& p) {
    p.z = 0;
    return f.apply(p.x) && f.apply(p.y);
  }

  static void schema(layout::schema_builder& f) {
    f.fixed("compact_point", 2);
  }
};

template <>
inline constexpr bool cafwire::disable_blit<treacherous> = true;

TEST_CASE("a specialization of inspector_access is used") {
  auto x = weather{};
  x.now.celsius(21);
  x.wind = 3;
  CHECK(to_hex(encode(x)) == "1500000003");
  CHECK(to_hex(encode(x)) == to_hex(reference_encode(x)));
  CHECK(decode<weather>(from_hex("1500000003")).now.celsius() == 21);
  CHECK(decode_code<weather>(from_hex("15000000")) == ec::unexpected_end);
  CHECK(to_hex(encode(std::vector<temperature>(2))) == "020000000000000000");
}

TEST_CASE("invariants of fields with a specialization are checked") {
  CHECK(decode_code<weather>(from_hex("00f0ffff 00")) == ec::inspect_failed);
}

TEST_CASE("pointers that CAF is taught to inspect are optional values") {
  auto x = node{1, std::make_unique<node>()};
  x.next->value = 2;
  CHECK(to_hex(encode(x)) == "01010200");
  auto y = node{9, std::make_unique<node>()};
  CHECK(decode_into(y, from_hex("01010200")) == ec::none);
  REQUIRE(y.next != nullptr);
  CHECK(y.next->value == 2);
  CHECK(y.next->next == nullptr);
  CHECK(decode_into(y, from_hex("0500")) == ec::none);
  CHECK(y.next == nullptr);
  CHECK(decode_code<node>(from_hex("0102")) == ec::invalid_bool);
  test::bytes endless(1000000, std::byte{1});
  CHECK(decode_code<node>(endless) == ec::depth_limit);
}

TEST_CASE("a formatter of an application goes first, alone and inside of others") {
  CHECK(to_hex(encode(compact_point{1, 2, 3})) == "0102");
  CHECK(to_hex(encode(with_compact_point{{1, 2, 3}, 4})) == "010204");
  CHECK(to_hex(encode(std::vector<compact_point>(2, {1, 2, 3}))) == "0201020102");
  CHECK(decode<std::vector<compact_point>>(from_hex("0201020304")).at(1).y == 4);
  CHECK(decode_code<std::vector<compact_point>>(from_hex("02010203")) == ec::length_exceeds_input);
  CHECK(to_hex(encode(std::vector<with_compact_point>(2, {{1, 2, 3}, 4}))) == "02010204010204");
  auto x = decode<with_compact_point>(from_hex("010204"));
  CHECK(x.p.y == 2);
  CHECK(x.p.z == 0);
  CHECK(x.rest == 4);
  CHECK(cafwire::layout::schema_of<with_compact_point>().text == "{p:compact_point,rest:i8}");
}

TEST_CASE("an inspect overload goes before looking like a container") {
  CHECK(to_hex(encode(sorted_numbers{1, 2, 3})) == "06000000");
}

TEST_CASE("containers of others work if they look like those of the standard library") {
  odd_list<int16_t> x;
  x.insert(x.end(), int16_t{1});
  x.insert(x.end(), int16_t{2});
  CHECK(to_hex(encode(x)) == "0201000200");
  odd_list<int16_t> y;
  y.insert(y.end(), int16_t{9});
  CHECK(decode_into(y, from_hex("0201000200")) == ec::none);
  CHECK(to_hex(encode(y)) == "0201000200");
}

TEST_CASE("how a struct is packed does not matter") {
  CHECK(to_hex(encode(natural{'a', 7})) == to_hex(encode(packed_to_two{'a', 7})));
  auto bytes = encode(std::vector<natural>(100, {'a', 7}));
  auto xs = decode<std::vector<packed_to_two>>(bytes);
  REQUIRE(xs.size() == 100);
  CHECK(xs[99].tag == 'a');
  CHECK(int32_t{xs[99].number} == 7);
}

TEST_CASE("a type that opts out of copying is written field by field") {
  auto x = treacherous{77, 5};
  CHECK(to_hex(encode(x)) == "4d00000005000000");
  CHECK(x.b == 0);
  auto xs = std::vector<treacherous>{{1, 2}, {77, 5}};
  CHECK(to_hex(encode(xs)) == "0201000000020000004d00000005000000");
  CHECK(decode<treacherous>(from_hex("4d00000005000000")).b == 5);
}
