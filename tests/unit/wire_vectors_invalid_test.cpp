// This file is part of cafwire. See the file LICENSE for license terms.

// The inputs of invalid.json in tests/vectors.

#include "support/session_types.hpp"
#include "support/vector_file.hpp"

#include <caf/actor.hpp>
#include <caf/config_value.hpp>
#include <caf/uri.hpp>

#include <bitset>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

using namespace cafwire;
using namespace session_test;

namespace invalid_test {

struct padded {
  int8_t a = 0;
  int32_t b = 0;
  bool c = false;
};

template <class Inspector>
bool inspect(Inspector& f, padded& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b), f.field("c", x.c));
}

struct with_fallback {
  uint8_t a = 0;
  int32_t b = 0;
};

template <class Inspector>
bool inspect(Inspector& f, with_fallback& x) {
  return f.object(x).fields(f.field("a", x.a), f.field("b", x.b).fallback(7));
}

struct chain {
  uint8_t value = 0;
  std::shared_ptr<chain> next;
};

template <class Inspector>
bool inspect(Inspector& f, chain& x) {
  return f.object(x).fields(f.field("value", x.value), f.field("next", x.next));
}

using shared_pair = std::pair<std::shared_ptr<uint8_t>, std::shared_ptr<uint16_t>>;

struct shape {
  virtual ~shape() = default;
};

struct circle : shape {
  uint8_t radius = 0;
};

template <class Inspector>
bool inspect(Inspector& f, circle& x) {
  return f.object(x).fields(f.field("radius", x.radius));
}

/// A type to decode, found by its schema.
struct decoder {
  std::string schema;
  ec (*decode)(std::span<const std::byte>);
};

template <class T>
decoder decoder_of() {
  return {layout::schema_of<T>().text, [](std::span<const std::byte> input) {
            T x{};
            return deserialize(input, x);
          }};
}

template <class... Ts>
std::vector<decoder> decoders_of() {
  return {decoder_of<Ts>()...};
}

} // namespace invalid_test

template <>
inline constexpr auto
  cafwire::derived_types<invalid_test::shape> = cafwire::derived_list<invalid_test::circle>{};

template <>
inline constexpr std::string_view cafwire::wire_name<invalid_test::circle> = "circle";

using namespace invalid_test;

TEST_CASE("the vectors of invalid input") {
  auto decoders
    = decoders_of<bool, int32_t, color, long double, std::string, std::u16string,
                  std::vector<uint8_t>, std::vector<int32_t>, std::vector<bool>,
                  std::optional<uint16_t>, std::variant<uint8_t, std::string>, std::set<int32_t>,
                  std::unordered_set<std::string>, std::map<std::string, uint8_t>,
                  std::unordered_map<uint8_t, std::vector<uint8_t>>, padded, with_fallback,
                  caf::message, caf::error, caf::actor, caf::config_value, caf::uri,
                  std::bitset<12>, std::error_code, std::vector<std::shared_ptr<uint8_t>>, chain,
                  shared_pair, std::unique_ptr<shape>>();
  for (auto& x : read_cases("invalid.json")) {
    INFO("invalid.json: " << x.name << ": " << x.note);
    auto i = std::find_if(decoders.begin(), decoders.end(),
                          [&](auto& y) { return y.schema == x.schema; });
    REQUIRE(i != decoders.end());
    exact_copy input{x.bytes};
    CHECK(to_string(i->decode(input.get())) == x.error);
  }
}
