// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/layout/schema.hpp"

#include "support/codec.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace test {

/// What a type has on the wire.
struct wire_form {
  std::string_view schema;
  /// Hexadecimal, with spaces where they help.
  std::string_view bytes;
};

/// Checks the schema and the bytes of a value; that they decode to an equal value, in a new object
/// and in one that held `old`; and that neither a part of the bytes nor more of them is a value.
template <class T, class Equal = std::equal_to<>>
void check_wire(const T& x, T old, wire_form want, Equal equal = {}) {
  auto& schema = cafwire::layout::schema_of<T>();
  INFO("schema: " << want.schema << ", bytes: " << want.bytes);
  CHECK(schema.text == want.schema);
  CHECK(schema.fingerprint == cafwire::layout::fingerprint_of(want.schema));
  auto bytes = from_hex(want.bytes);
  CHECK(to_hex(encode(x)) == to_hex(bytes));
  CHECK(bytes.size() >= schema.min_size);
  if (schema.fixed_size)
    CHECK(bytes.size() == schema.min_size);
  {
    auto fresh = cafwire::layout::make_element<T>();
    REQUIRE(decode_into(fresh, bytes) == cafwire::ec::none);
    CHECK(equal(fresh, x));
  }
  REQUIRE(decode_into(old, bytes) == cafwire::ec::none);
  CHECK(equal(old, x));
  CHECK(to_hex(encode(old)) == to_hex(bytes));
  for (size_t n = 0; n < bytes.size(); ++n) {
    auto part = cafwire::layout::make_element<T>();
    auto code = decode_into(part, std::span{bytes}.first(n));
    INFO("first " << n << " bytes: " << to_string(code));
    CHECK((code == cafwire::ec::unexpected_end || code == cafwire::ec::length_exceeds_input));
  }
  bytes.push_back(std::byte{0});
  CHECK(decode_into(old, bytes) == cafwire::ec::trailing_bytes);
}

/// Checks that a length or count that lies costs no memory: the first byte of the encoding of `x`
/// is replaced by lengths that no input can have.
template <class T>
void check_hostile_length(const T& x) {
  auto bytes = encode(x);
  for (auto length : {"ff01", "ffffffff0f", "ffffffffffffffffff01", "80808080808080808001"}) {
    auto changed = from_hex(length);
    changed.insert(changed.end(), bytes.begin() + 1, bytes.end());
    auto target = cafwire::layout::make_element<T>();
    CHECK(decode_into(target, changed) == cafwire::ec::length_exceeds_input);
  }
}

} // namespace test
