// This file is part of cafwire. See the file LICENSE for license terms.

#include "transport.hpp"

#include "caf_api.hpp"
#include "records.hpp"

#include <caf/init_global_meta_objects.hpp>
#include <caf/io/middleman.hpp>
#include <cafwire/init_global_meta_objects.hpp>

#include <utility>

namespace demo {

namespace {

cafwire::link_options options_of(std::string record_to) {
  cafwire::link_options result;
  result.record_to = std::move(record_to);
  return result;
}

} // namespace

const char* to_string(transport x) {
  return x == transport::cafwire ? "cafwire" : "stock CAF";
}

void init_types() {
  caf::core::init_global_meta_objects();
  caf::io::middleman::init_global_meta_objects();
  cafwire::init_global_meta_objects<caf::id_block::demo>();
}

node::config::config() {
  load<caf::io::middleman>();
}

node::node(std::string record_to) : sys_(cfg_), remoting_(sys_, options_of(std::move(record_to))) {
  // nop
}

uint16_t node::publish(transport how, const caf::actor& x) {
  auto port = how == transport::cafwire ? remoting_.publish(x, 0)
                                        : sys_.middleman().publish(x, 0, "127.0.0.1");
  return value_of(std::move(port), std::string{"cannot publish over "} + to_string(how));
}

caf::actor node::connect(transport how, uint16_t port) {
  auto hdl = how == transport::cafwire
               ? remoting_.remote_actor("127.0.0.1", port)
               : sys_.middleman().remote_actor<caf::actor>("127.0.0.1", port);
  return value_of(std::move(hdl),
                  "cannot connect to port " + std::to_string(port) + " over " + to_string(how));
}

} // namespace demo
