// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// Two versions of the types of a program, in one program.

#include <cafwire/init_global_meta_objects.hpp>
#include <cafwire/message/known_types.hpp>

#include "evolution/converter.hpp"

#include <caf/type_id.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace evolution_test {

namespace v1 {

enum class side : uint8_t { buy, sell };

struct item {
  std::string name;
  float price = 0;
  bool operator==(const item&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, item& x) {
  return f.object(x).fields(f.field("name", x.name), f.field("price", x.price));
}

struct order {
  int32_t id = 0;
  std::vector<item> items;
  side what = side::buy;
  std::map<std::string, item> by_name;
  std::string old_note;
  std::chrono::seconds age{0};
  bool operator==(const order&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("items", x.items), f.field("what", x.what),
                            f.field("by_name", x.by_name), f.field("old_note", x.old_note),
                            f.field("age", x.age));
}

struct pixel {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
};

template <class Inspector>
bool inspect(Inspector& f, pixel& x) {
  return f.object(x).fields(f.field("r", x.r), f.field("g", x.g), f.field("b", x.b));
}

/// Has another name in the new version.
struct dot {
  uint8_t r = 0;
};

template <class Inspector>
bool inspect(Inspector& f, dot& x) {
  return f.object(x).fields(f.field("r", x.r));
}

struct kind {
  int32_t what = 0;
};

template <class Inspector>
bool inspect(Inspector& f, kind& x) {
  return f.object(x).fields(f.field("what", x.what));
}

struct strict {
  int64_t id = 0;
};

template <class Inspector>
bool inspect(Inspector& f, strict& x) {
  return f.object(x).fields(f.field("id", x.id));
}

} // namespace v1

namespace v2 {

enum class side : uint16_t { buy, sell, none };

struct item {
  double price = 1.25;
  std::string name = "unnamed";
  uint16_t quantity = 7;
  std::vector<std::string> tags{"new", std::string(300, 'x')};
  bool operator==(const item&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, item& x) {
  return f.object(x).fields(f.field("price", x.price), f.field("name", x.name),
                            f.field("quantity", x.quantity), f.field("tags", x.tags));
}

struct order {
  int64_t id = 0;
  std::vector<item> items;
  std::optional<side> what;
  std::unordered_map<std::string, item> by_name;
  std::optional<std::string> note;
  std::string text = "hello";
  std::chrono::milliseconds age{0};
  int32_t with_fallback = 0;
  bool operator==(const order&) const = default;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("id", x.id), f.field("items", x.items), f.field("what", x.what),
                            f.field("by_name", x.by_name), f.field("note", x.note),
                            f.field("text", x.text), f.field("age", x.age),
                            f.field("with_fallback", x.with_fallback).fallback(99));
}

struct pixel {
  uint16_t r = 0;
  uint16_t g = 0;
  uint16_t b = 0;
  uint8_t alpha = 255;
};

template <class Inspector>
bool inspect(Inspector& f, pixel& x) {
  return f.object(x).fields(f.field("r", x.r), f.field("g", x.g), f.field("b", x.b),
                            f.field("alpha", x.alpha));
}

struct kind {
  std::string what;
};

template <class Inspector>
bool inspect(Inspector& f, kind& x) {
  return f.object(x).fields(f.field("what", x.what));
}

/// A new field without a usable default.
struct linked {
  uint8_t r = 0;
  std::shared_ptr<int32_t> link = std::make_shared<int32_t>(1);
};

template <class Inspector>
bool inspect(Inspector& f, linked& x) {
  return f.object(x).fields(f.field("r", x.r), f.field("link", x.link));
}

/// Refuses values that older versions sent.
struct strict {
  int32_t id = 0;
};

template <class Inspector>
bool inspect(Inspector& f, strict& x) {
  return f.object(x).fields(f.field("id", x.id).invariant([](int32_t id) { return id > 0; }));
}

} // namespace v2

} // namespace evolution_test

CAF_BEGIN_TYPE_ID_BLOCK(cafwire_evolution_test, 4200)

  CAF_ADD_TYPE_ID(cafwire_evolution_test, (evolution_test::v1::pixel))
  CAF_ADD_TYPE_ID(cafwire_evolution_test, (evolution_test::v1::dot))
  CAF_ADD_TYPE_ID(cafwire_evolution_test, (evolution_test::v1::kind))
  CAF_ADD_TYPE_ID(cafwire_evolution_test, (evolution_test::v1::strict))
  CAF_ADD_TYPE_ID(cafwire_evolution_test, (evolution_test::v2::pixel))
  CAF_ADD_TYPE_ID(cafwire_evolution_test, (evolution_test::v2::kind))
  CAF_ADD_TYPE_ID(cafwire_evolution_test, (evolution_test::v2::strict))

CAF_END_TYPE_ID_BLOCK(cafwire_evolution_test)

namespace evolution_test {

template <class T>
inline std::string_view other_name;

/// Returns the type `T` as a program knows it that calls it `name`. There is one name per type.
template <class T>
const message_type& type_as(std::string_view name) {
  other_name<T> = name;
  static const auto result = [] {
    auto type = detail::message_type_of<T>();
    type.name = other_name<T>;
    type.schema = []() -> const layout::type_schema& {
      static const auto schema = [] {
        auto x = layout::schema_of<T>();
        auto own = compat::to_std(caf::type_name_by_id_v<caf::type_id_v<T>>);
        x.text = renamed(x.text, own, other_name<T>);
        x.fingerprint = layout::fingerprint_of(x.text);
        return x;
      }();
      return schema;
    };
    return type;
  }();
  return result;
}

inline known_types_ptr registry(std::vector<const message_type*> types) {
  return std::make_shared<known_types>(std::move(types));
}

} // namespace evolution_test
