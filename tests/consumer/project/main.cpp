// This file is part of cafwire. See the file LICENSE for license terms.

// The smallest program that uses cafwire: exits with 0 only if a value survives the round trip, and
// if an actor can be published with the links library where there is one.

#include <cafwire/codec.hpp>
#include <cafwire/wire/output_buffer.hpp>

#ifdef CONSUMER_NEEDS_ACTORS
#  include <cafwire/init_global_meta_objects.hpp>
#  include <cafwire/remoting.hpp>

#  include <caf/actor_system.hpp>
#  include <caf/actor_system_config.hpp>
#  include <caf/event_based_actor.hpp>
#  include <caf/exit_reason.hpp>
#  include <caf/init_global_meta_objects.hpp>
#  include <caf/io/middleman.hpp>
#  include <caf/send.hpp>
#  include <caf/type_id.hpp>
#endif

#include <string>
#include <vector>

struct reading {
  std::string sensor;
  std::vector<double> values;
};

template <class Inspector>
bool inspect(Inspector& f, reading& x) {
  return f.object(x).fields(f.field("sensor", x.sensor), f.field("values", x.values));
}

#ifdef CONSUMER_NEEDS_ACTORS

CAF_BEGIN_TYPE_ID_BLOCK(consumer, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(consumer, (reading))

CAF_END_TYPE_ID_BLOCK(consumer)

#endif

namespace {

bool round_trip() {
  const reading sent{"roof", {1.5, -0.0, 1e-310}};
  cafwire::output_buffer out;
  if (cafwire::serialize(out, sent) != cafwire::ec::none)
    return false;
  reading received;
  if (cafwire::deserialize(out.bytes(), received) != cafwire::ec::none)
    return false;
  return received.sensor == sent.sensor && received.values == sent.values;
}

#ifdef CONSUMER_NEEDS_ACTORS

bool publish() {
  cafwire::init_global_meta_objects<caf::id_block::consumer>();
  caf::io::middleman::init_global_meta_objects();
  caf::core::init_global_meta_objects();
  caf::actor_system_config cfg;
  cfg.load<caf::io::middleman>();
  caf::actor_system sys{cfg};
  cafwire::remoting links{sys};
  auto echo = sys.spawn([](caf::event_based_actor*) -> caf::behavior {
    return {
      [](int x) { return x; },
    };
  });
  const auto port = links.publish(echo, 0);
  const bool good = port && *port != 0 && links.unpublish(echo, *port);
  caf::anon_send_exit(echo, caf::exit_reason::user_shutdown);
  return good;
}

#else

bool publish() {
  return true;
}

#endif

} // namespace

int main() {
  return round_trip() && publish() ? 0 : 1;
}
