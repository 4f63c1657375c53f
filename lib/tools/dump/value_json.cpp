// This file is part of cafwire. See the file LICENSE for license terms.

#include "dump/value_json.hpp"

#include <cafwire/message/known_types.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

namespace cafwire::dump {

namespace {

using layout::schema_kind;

uint64_t unsigned_number(std::span<const std::byte> bytes) noexcept {
  uint64_t result = 0;
  for (size_t i = 0; i < bytes.size() && i < 8; ++i)
    result |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  return result;
}

int64_t signed_number(std::span<const std::byte> bytes) noexcept {
  auto unused = 64 - 8 * bytes.size();
  return static_cast<int64_t>(unsigned_number(bytes) << unused) >> unused;
}

/// Most significant byte first.
std::string reversed_hex(std::span<const std::byte> bytes) {
  std::vector<std::byte> reversed{bytes.rbegin(), bytes.rend()};
  return hex_text(reversed);
}

/// Returns a number with 128 bits in decimal.
std::string decimal(std::span<const std::byte> bytes, bool is_signed) {
  auto low = unsigned_number(bytes.first(8));
  auto high = unsigned_number(bytes.subspan(8));
  __extension__ using wide = unsigned __int128;
  auto value = static_cast<wide>(high) << 64 | low;
  auto negative = is_signed && (high >> 63) != 0;
  if (negative)
    value = -value;
  std::string result;
  do {
    result += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  if (negative)
    result += '-';
  return {result.rbegin(), result.rend()};
}

template <class T>
json float_json(T x, std::span<const std::byte> bytes) {
  if (std::isnan(x))
    return "nan:" + reversed_hex(bytes);
  if (std::isinf(x))
    return x > 0 ? "inf" : "-inf";
  return static_cast<double>(x);
}

json long_double_json(std::span<const std::byte> bytes) {
  auto significand = unsigned_number(bytes.first(8));
  auto top = static_cast<unsigned>(unsigned_number(bytes.subspan(8)));
  auto exponent = static_cast<int>(top & 0x7fff) - 16383;
  auto sign = (top >> 15) != 0 ? -1.0 : 1.0;
  if (significand == 0)
    return sign * 0.0;
  // Exact as a double, or else all bits.
  if ((significand & 0x7ff) == 0 && exponent >= -1022 && exponent <= 1023)
    return sign * std::ldexp(static_cast<double>(significand), exponent - 63);
  return reversed_hex(bytes.subspan(8)) + ':' + reversed_hex(bytes.first(8));
}

json number_json(schema_kind kind, std::span<const std::byte> bytes) {
  switch (kind) {
    case schema_kind::boolean:
      return bytes[0] != std::byte{0};
    case schema_kind::i8:
    case schema_kind::i16:
    case schema_kind::i32:
    case schema_kind::i64:
      return signed_number(bytes);
    case schema_kind::i128:
    case schema_kind::u128:
      return decimal(bytes, kind == schema_kind::i128);
    case schema_kind::f32:
      return float_json(std::bit_cast<float>(static_cast<uint32_t>(unsigned_number(bytes))), bytes);
    case schema_kind::f64:
      return float_json(std::bit_cast<double>(unsigned_number(bytes)), bytes);
    case schema_kind::f80:
      return long_double_json(bytes);
    default:
      return unsigned_number(bytes);
  }
}

/// Appends a character as UTF-8.
/// @returns `false` if there is no such character.
bool append_character(std::string& out, uint64_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return false;
  if (c < 0x80) {
    out += static_cast<char>(c);
    return true;
  }
  auto more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr int heads[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(static_cast<uint64_t>(heads[more]) | c >> (6 * more));
  for (auto shift = 6 * (more - 1); shift >= 0; shift -= 6)
    out += static_cast<char>(0x80 | (c >> shift & 0x3f));
  return true;
}

/// Reads text as UTF-8, UTF-16 or UTF-32.
/// @returns `false` if it is none.
bool to_utf8(const std::vector<uint64_t>& units, size_t unit_size, std::string& out) {
  for (size_t i = 0; i < units.size(); ++i) {
    auto c = units[i];
    if (unit_size == 2 && c >= 0xd800 && c < 0xdc00) {
      if (i + 1 == units.size() || units[i + 1] < 0xdc00 || units[i + 1] >= 0xe000)
        return false;
      c = 0x10000 + ((c - 0xd800) << 10) + (units[++i] - 0xdc00);
    } else if (unit_size == 1 && c >= 0x80) {
      auto more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
      constexpr uint64_t smallest[] = {0, 0x80, 0x800, 0x10000};
      if (c < 0xc0 || c >= 0xf8 || units.size() - i - 1 < static_cast<size_t>(more))
        return false;
      c &= 0x3fu >> more;
      for (auto k = 0; k < more; ++k) {
        if ((units[++i] & 0xc0) != 0x80)
          return false;
        c = c << 6 | (units[i] & 0x3f);
      }
      if (c < smallest[more])
        return false;
    }
    if (!append_character(out, c))
      return false;
  }
  return true;
}

/// Tells a value that is absent from one that is there and looks like it.
json present(json value) {
  return value.is_null() ? json::array({nullptr}) : std::move(value);
}

} // namespace

json scalar_json(const layout::schema_node& type, std::span<const std::byte> bytes) {
  return number_json(type.is_number() ? type.kind : type.child().kind, bytes);
}

json run_json(const layout::schema_node& type, std::span<const std::byte> bytes) {
  auto& element = type.child();
  auto size = std::max(element.min_size, size_t{1});
  if (element.kind == schema_kind::u8)
    return {{"hex", hex_text(bytes)}};
  if (element.is_character() && type.kind == schema_kind::sequence) {
    std::vector<uint64_t> units;
    for (size_t i = 0; i < bytes.size(); i += size)
      units.push_back(unsigned_number(bytes.subspan(i, size)));
    if (std::string text; to_utf8(units, size, text))
      return text;
    return {{"units", units}};
  }
  auto result = json::array();
  for (size_t i = 0; i < bytes.size(); i += size)
    result.push_back(number_json(element.kind, bytes.subspan(i, size)));
  return result;
}

std::string bits_text(uint64_t n, std::span<const std::byte> bytes) {
  std::string result;
  for (uint64_t i = 0; i < n; ++i)
    result += (std::to_integer<unsigned>(bytes[static_cast<size_t>(i / 8)]) >> (i % 8) & 1) != 0
                ? '1'
                : '0';
  return result;
}

std::string hex_text(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(2 * bytes.size());
  for (auto x : bytes) {
    result += digits[std::to_integer<size_t>(x) >> 4];
    result += digits[std::to_integer<size_t>(x) & 15];
  }
  return result;
}

std::string element_name(std::string_view name) {
  constexpr std::string_view slot = "slot ";
  if (name.starts_with(slot)) {
    auto core = detail::core_types();
    auto index = std::strtoull(std::string{name.substr(slot.size())}.c_str(), nullptr, 10);
    if (index > 0 && index < core.size())
      return core_type_name(static_cast<size_t>(index));
  }
  return std::string{name};
}

std::string hex_number(uint64_t x) {
  std::byte bytes[8];
  for (auto i = 0; i < 8; ++i)
    bytes[i] = static_cast<std::byte>(x >> (8 * (7 - i)));
  return hex_text(bytes);
}

std::string core_type_name(size_t slot) {
  auto result = std::string{detail::core_types()[slot]->name};
  // CAF spells these two in several ways.
  if (result == "caf::dictionary<caf::config_value>")
    return "caf::settings";
  std::erase(result, ' ');
  return result;
}

// -- values ---------------------------------------------------------------------------------------

json json_builder::take() {
  levels_.clear();
  return std::exchange(result_, nullptr);
}

void json_builder::scalar(const layout::schema_node& type, std::span<const std::byte> bytes) {
  object_checker::scalar(type, bytes);
  add(scalar_json(type, bytes));
}

void json_builder::run(const layout::schema_node& type, uint64_t,
                       std::span<const std::byte> bytes) {
  auto& top = levels_.back();
  top.is_run = true;
  top.values.push_back(run_json(type, bytes));
}

void json_builder::bits(const layout::schema_node& type, uint64_t n,
                        std::span<const std::byte> bytes) {
  object_checker::bits(type, n, bytes);
  add(bits_text(n, bytes));
}

void json_builder::begin(const layout::schema_node& type, uint64_t n) {
  object_checker::begin(type, n);
  levels_.push_back({&type, n, {}, {}});
}

void json_builder::end(const layout::schema_node& type) {
  object_checker::end(type);
  auto top = std::move(levels_.back());
  levels_.pop_back();
  auto& values = top.values;
  auto pairs = json::array();
  switch (type.kind) {
    case schema_kind::structure: {
      // A struct whose fields have no names of their own is a list.
      std::set<std::string_view> names;
      auto named = std::all_of(type.fields.begin(), type.fields.end(),
                               [&](auto& x) { return x.has_name && names.insert(x.name).second; });
      if (!named)
        return add(std::move(values));
      auto result = json::object();
      for (size_t i = 0; i < values.size(); ++i)
        result[type.fields[i].name] = std::move(values[i]);
      return add(std::move(result));
    }
    case schema_kind::optional:
      return add(values.empty() ? json{} : std::move(values[0]));
    case schema_kind::variant:
      return add({{"index", top.number}, {"value", std::move(values.at(0))}});
    case schema_kind::any:
      return add({{"type", type.fields[static_cast<size_t>(top.number)].name},
                  {"value", std::move(values.at(0))}});
    case schema_kind::map:
    case schema_kind::unordered_map:
      for (size_t i = 0; i + 1 < values.size(); i += 2)
        pairs.push_back(json::array({std::move(values[i]), std::move(values[i + 1])}));
      return add(std::move(pairs));
    case schema_kind::error:
      if (top.code != 0)
        return add({{"code", top.code},
                    {"category", top.names.at(0)},
                    {"context", std::move(values.at(0))}});
      if (levels_.empty() || levels_.back().type != &type || levels_.back().code == 0)
        return add(nullptr);
      // The context of an error.
      [[fallthrough]];
    case schema_kind::message:
      for (size_t i = 0; i < values.size(); ++i)
        pairs.push_back({{"type", top.names[i]}, {"value", std::move(values[i])}});
      return add(std::move(pairs));
    default:
      if (top.is_run)
        return add(std::move(values[0]));
      return add(std::move(values));
  }
}

void json_builder::part(const layout::schema_node& type, const layout::schema_field& part,
                        bool is_present) {
  auto& top = levels_.back();
  top.maybe = part.may_be_absent || type.kind == schema_kind::optional;
  if (!is_present) {
    top.maybe = false;
    add(nullptr);
  }
}

void json_builder::object(const layout::schema_node& pointer, uint64_t number,
                          const std::byte* position) {
  object_checker::object(pointer, number, position);
  levels_.push_back({nullptr, number, {}, {}});
}

void json_builder::reference(const layout::schema_node& pointer, uint64_t number) {
  object_checker::reference(pointer, number);
  add({{"object", number}});
}

void json_builder::null(const layout::schema_node& pointer) {
  object_checker::null(pointer);
  add(nullptr);
}

void json_builder::handle(const layout::handle_parts& parts) {
  object_checker::handle(parts);
  if (parts.tag == handle_tag::null)
    return add(nullptr);
  auto result = json::object();
  if (parts.tag > handle_tag::global) {
    auto of_writer = parts.tag == handle_tag::of_writer
                     || parts.tag == handle_tag::relayed_by_writer;
    result["of"] = of_writer ? "writer" : "reader";
    result[parts.tag < handle_tag::relayed_by_writer ? "id" : "number"] = parts.number;
  }
  if (!parts.node.empty()) {
    json_builder inner;
    layout::value_walker walker{parts.at_node, limits::untrusted(), nullptr};
    auto ok = walker.visit(layout::node_id_schema(), inner);
    result["node"] = ok ? inner.take() : json{};
    result["id"] = parts.id;
  }
  add(std::move(result));
}

void json_builder::element(std::string_view type_name, uint8_t code) {
  auto& top = levels_.back();
  top.names.push_back(element_name(type_name));
  top.code = code;
}

void json_builder::add(json value) {
  while (!levels_.empty() && levels_.back().type == nullptr) {
    auto number = levels_.back().number;
    value = json{{"object", number}, {"value", std::move(value)}};
    levels_.pop_back();
  }
  if (levels_.empty()) {
    result_ = std::move(value);
    return;
  }
  auto& top = levels_.back();
  if (std::exchange(top.maybe, false))
    value = present(std::move(value));
  top.values.push_back(std::move(value));
}

} // namespace cafwire::dump
