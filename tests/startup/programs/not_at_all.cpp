// This file is part of cafwire. See the file LICENSE for license terms.

// Nothing is registered, neither with CAF nor with cafwire: an error, not a crash.

#include "startup/thing.hpp"

#include <caf/uri.hpp>

int main() {
  using namespace cafwire;
  serializer_session writer;
  output_buffer out;
  require(writer.write(out, thing{1, "one"}) == ec::unregistered_type, "thing is not known");
  require(out.size() == 0, "nothing was written");
  require(writer.last_error().code() == static_cast<uint8_t>(ec::unregistered_type), "the error");
  // The types of the format need no registration.
  require(writer.write(out, int32_t{5}, std::string{"five"}) == ec::none, "write");
  deserializer_session reader;
  input_cursor in{out.bytes()};
  int32_t number = 0;
  std::string text;
  require(reader.read(in, number, text) == ec::none, "read");
  require(number == 5 && text == "five", "the same values");
  require(reader.read(in, number) == ec::unexpected_end, "the end");
  // Errors of CAF may be messages inside, which need CAF's table of types.
  out.clear();
  require(serialize(out, std::string{"no URI"}) == ec::none, "a string");
  caf::uri uri;
  require(deserialize(out.bytes(), uri) == ec::inspect_failed, "a string that is no URI");
  out.clear();
  require(serialize(out, *caf::make_uri("test:uri")) == ec::none, "a URI");
  require(deserialize(out.bytes(), uri) == ec::none && uri.scheme() == "test", "the same URI");
}
