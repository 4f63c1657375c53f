// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// A type to register, and a check that it is registered: what all programs here have in common.

#include <cafwire/init_global_meta_objects.hpp>
#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include <caf/message.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

struct thing {
  int32_t number = 0;
  std::string text;
};

template <class Inspector>
bool inspect(Inspector& f, thing& x) {
  return f.object(x).fields(f.field("number", x.number), f.field("text", x.text));
}

CAF_BEGIN_TYPE_ID_BLOCK(startup_test, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(startup_test, (thing))

CAF_END_TYPE_ID_BLOCK(startup_test)

/// Ends the program if something is not as it must be.
inline void require(bool what, const char* text) {
  if (what)
    return;
  std::fprintf(stderr, "failed: %s\n", text);
  std::_Exit(EXIT_FAILURE);
}

/// Sends messages with a `thing` and with an error through a session.
inline void require_round_trip() {
  using namespace cafwire;
  auto types = known_types::global();
  require(types->find("thing") != nullptr, "thing is registered with cafwire");
  require(compat::type_name(caf::type_id_v<thing>) == "thing", "thing is registered with CAF");
  serializer_session writer;
  deserializer_session reader;
  output_buffer out;
  require(writer.write_message(out, caf::make_message(thing{7, "seven"})) == ec::none, "write");
  require(writer.write(out, caf::make_error(ec::depth_limit, std::string{"deep"})) == ec::none,
          "write an error");
  input_cursor in{out.bytes()};
  caf::message msg;
  require(reader.read_message(in, msg) == ec::none, "read");
  require(msg.match_elements<thing>() && msg.get_as<thing>(0).text == "seven", "the same thing");
  require(to_string(msg) == "message(thing(7, \"seven\"))", "CAF can print the thing");
  caf::error err;
  require(reader.read(in, err) == ec::none, "read an error");
  require(to_string(err) == "depth_limit(\"deep\")", "CAF can print the error");
}
