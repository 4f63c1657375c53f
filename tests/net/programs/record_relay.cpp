// This file is part of cafwire. See the file LICENSE for license terms.

// Records links on which an actor of a third node is passed on, used, released, and ends:
// record_relay FOLDER. What it leaves there is for tests/python/check_relay.py.

#include "cafwire/init_global_meta_objects.hpp"

#include "net/node.hpp"
#include "net/server.hpp"

#include <caf/init_global_meta_objects.hpp>

#include <cstdio>
#include <cstdlib>

using namespace net_test;

namespace {

/// Ends the program if something does not work.
void must(bool ok, const char* what) {
  if (!ok) {
    std::fprintf(stderr, "record_relay: %s\n", what);
    std::exit(1);
  }
}

/// Keeps a handle and gives it away.
caf::behavior keeper(caf::event_based_actor* self) {
  auto kept = std::make_shared<caf::actor>();
  return {
    [=](caf::put_atom, const caf::actor& x) { *kept = x; },
    [=](caf::get_atom) { return *kept; },
    [=](caf::close_atom) {
      *kept = nullptr;
      self->quit();
    },
  };
}

void run(const std::string& folder) {
  node third;
  cafwire::link_options options;
  options.record_to = folder;
  node middle{options};
  node near{options};
  auto broker = middle.spawn(keeper);
  auto target = third.spawn(server);
  auto remote_broker = near.connect(middle.publish(broker));
  auto relayed = middle.connect(third.publish(target));
  auto mine = near.spawn(keeper);
  {
    must(ask_in_vain(middle.self, broker, caf::put_atom_v, relayed).empty(), "put");
    auto handle = ask<caf::actor>(near.self, remote_broker, caf::get_atom_v);
    must(handle && *handle, "get");
    // Sources of a third node, and handles of all nodes in both directions.
    must(ask<point>(near.self, *handle, point{1, 2, 3}) == point{1, 2, 3}, "a request");
    must(ask_in_vain(near.self, remote_broker, caf::put_atom_v, *handle).empty(), "put back");
    auto twice = ask<caf::actor>(near.self, remote_broker, caf::get_atom_v);
    must(twice && *twice == *handle, "the same handle");
    must(ask_in_vain(near.self, remote_broker, caf::put_atom_v, mine).empty(), "put mine");
  }
  // Unused handles are let go after a while.
  auto released = eventually([&] { return near.net().statistics().remote_actors <= 2; });
  must(released, "a release");
  send_anonymously(broker, caf::close_atom_v);
  send_anonymously(target, caf::close_atom_v);
  send_anonymously(mine, caf::close_atom_v);
}

} // namespace

int main(int argc, char** argv) {
  must(argc == 2, "one folder");
  cafwire::init_global_meta_objects<caf::id_block::net_test>();
  caf::init_global_meta_objects<caf::id_block::net_test_strangers>();
  caf::io::middleman::init_global_meta_objects();
  caf::core::init_global_meta_objects();
  run(argv[1]);
  return 0;
}
