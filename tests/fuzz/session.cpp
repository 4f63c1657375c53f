// This file is part of cafwire. See the file LICENSE for license terms.

// Streams of sessions, with and without known types.

#include "fuzz/target.hpp"
#include "support/bytes.hpp"
#include "support/session_types.hpp"

#include <cafwire/session/deserializer_session.hpp>
#include <cafwire/session/serializer_session.hpp>

#include <caf/deep_to_string.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/node_id.hpp>
#include <caf/settings.hpp>
#include <caf/uri.hpp>

using namespace session_test;

using cafwire::ec;
using cafwire::read_status;

namespace {

void register_types_once() {
  static const auto done = (register_types(), true);
  std::ignore = done;
}

cafwire::session_options options_for(bool known) {
  cafwire::session_options result;
  if (known)
    result.peer_registry_hash = cafwire::known_types::global()->hash();
  return result;
}

std::string make_seed(bool known) {
  register_types_once();
  cafwire::serializer_session writer{cafwire::known_types::global(), options_for(known)};
  cafwire::output_buffer out;
  auto must = [](ec code) { fuzz::require(code == ec::none, "a seed can be written"); };
  caf::settings settings;
  settings["k"] = caf::config_value{1};
  must(writer.write(out, color::blue, std::vector<caf::config_value>(1)));
  must(writer.write(out, std::string{"ab"}, true, std::set<std::string>{"a", "b"}, settings));
  must(writer.write(out, caf::make_error(caf::sec::invalid_argument, color::red)));
  must(writer.write(out, point{1, 2, 3}));
  must(writer.write(out, samples{std::vector<double>(40, 0.5)}));
  must(writer.write(out, track{"t", {{1, 2, 3}, {4, 5, 6}}}));
  writer.reset();
  must(writer.write(out, parcel{"p", caf::make_message(fault::jammed, caf::make_message(2.0f))}));
  must(writer.write(out));
  must(writer.write(out, caf::node_id{}, caf::actor{}, caf::uri{}));
  std::string result(1, known ? '\1' : '\0');
  fuzz::append(result, out.bytes());
  return result;
}

} // namespace

std::vector<std::string> fuzz::seeds() {
  return {make_seed(false), make_seed(true)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  register_types_once();
  fuzz::input input{data, size};
  auto known = (input.choice() & 1) != 0;
  test::exact_copy copy{input.rest()};
  cafwire::deserializer_session reader{cafwire::known_types::global(), options_for(known)};
  cafwire::input_cursor in{copy.get()};
  for (;;) {
    auto start = in.offset();
    caf::message msg;
    auto code = reader.read_message(in, msg);
    auto status = reader.status();
    fuzz::require((code == ec::none) == (status == read_status::ok), "status and code agree");
    if (code == ec::none)
      caf::deep_to_string(msg);
    else
      fuzz::require(!reader.last_error().empty(), "a failure has an error");
    if (status == read_status::need_more || status == read_status::broken)
      return 0;
    fuzz::require(in.offset() > start && in.offset() <= copy.get().size(), "the reader goes on");
  }
}
