// This file is part of cafwire. See the file LICENSE for license terms.

// Stays on CAF's own networking and sends long arrays at the speed of memory copies: one macro
// behind the types, one line in the configuration.

#include <cafwire/message/accelerator.hpp>

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <iostream>
#include <vector>

namespace robot {

struct sample {
  float x;
  float y;
  float z;
  uint32_t time;
};

template <class Inspector>
bool inspect(Inspector& f, sample& what) {
  return f.object(what).fields(f.field("x", what.x), f.field("y", what.y), f.field("z", what.z),
                               f.field("time", what.time));
}

/// The samples inside of it are accelerated; the rest travels as before.
struct recording {
  std::string sensor;
  std::vector<sample> samples;
};

template <class Inspector>
bool inspect(Inspector& f, recording& what) {
  return f.object(what).fields(f.field("sensor", what.sensor), f.field("samples", what.samples));
}

} // namespace robot

CAFWIRE_ACCELERATE(robot::sample)

CAF_BEGIN_TYPE_ID_BLOCK(robot, first_custom_type_id)
  CAF_ADD_TYPE_ID(robot, (robot::recording))
CAF_END_TYPE_ID_BLOCK(robot)

/// The configuration of all nodes: they only talk to nodes that accelerate the same types.
struct config : caf::actor_system_config {
  config() {
    cafwire::separate_unlike_peers<robot::sample>(*this);
  }
};

caf::behavior recorder(caf::event_based_actor*) {
  return {[](const robot::recording& what) {
    auto sum = uint64_t{0};
    for (auto& x : what.samples)
      sum += x.time;
    return sum;
  }};
}

int caf_main(caf::actor_system& server, const config&) {
  auto local = server.spawn(recorder);
  auto port = server.middleman().publish(local, 0, "127.0.0.1");
  config cfg;
  caf::actor_system client{cfg.load<caf::io::middleman>()}; // in real life, another process
  auto remote = client.middleman().remote_actor("127.0.0.1", *port);
  auto ask = caf::make_function_view(*remote);
  auto data = robot::recording{"left wheel", {}};
  for (uint32_t i = 0; i < 100'000; ++i)
    data.samples.push_back({0.5f, -0.5f, 1.0f, i});
  auto sum = ask(data);
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
  std::cout << "sum of times: " << to_string(sum) << '\n';
  auto want = caf::make_message(uint64_t{99'999} * 100'000 / 2);
  return sum && to_string(*sum) == to_string(want) ? 0 : 1;
}

CAF_MAIN(caf::id_block::robot, caf::io::middleman)
