// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/inspect/formatter/uri.hpp"

#include "support/codec.hpp"

#include <caf/uri.hpp>

#include <string>
#include <string_view>

using cafwire::ec;
using test::decode_code;
using test::decode_into;
using test::encode;
using test::to_hex;

TEST_CASE("a URI is its text") {
  for (std::string_view text :
       {"http://example.org:8080/a/b?x=y#here", "urn:a:b", "file:///tmp/x"}) {
    caf::uri before;
    REQUIRE_FALSE(caf::parse(text, before));
    // CAF drops what is redundant in the text.
    CHECK(to_hex(encode(before)) == to_hex(encode(cafwire::compat::to_std(before.str()))));
    caf::uri after;
    REQUIRE_FALSE(caf::parse("urn:old:one", after));
    CHECK(decode_into(after, encode(before)) == ec::none);
    CHECK(after == before);
  }
}

TEST_CASE("the empty URI is the empty text") {
  CHECK(to_hex(encode(caf::uri{})) == "00");
  caf::uri x;
  REQUIRE_FALSE(caf::parse("urn:old:one", x));
  CHECK(decode_into(x, test::from_hex("00")) == ec::none);
  CHECK(x.empty());
}

TEST_CASE("a text that is no URI is refused") {
  CHECK(decode_code<caf::uri>(encode(std::string{"::"})) == ec::inspect_failed);
  CHECK(decode_code<caf::uri>(test::from_hex("05 61")) == ec::length_exceeds_input);
}
