#include <cafwire/all.hpp>
#include <cafwire/remoting.hpp>

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include <iostream>

struct order {
  double price;
  uint64_t amount;
};

template <class Inspector>
bool inspect(Inspector& f, order& x) {
  return f.object(x).fields(f.field("price", x.price), f.field("amount", x.amount));
}

CAF_BEGIN_TYPE_ID_BLOCK(shop, first_custom_type_id)
  CAF_ADD_TYPE_ID(shop, (order))
CAF_END_TYPE_ID_BLOCK(shop)

caf::behavior order_desk(caf::event_based_actor*) {
  return {[](const order& x) { return x.price * static_cast<double>(x.amount); }};
}

int caf_main(caf::actor_system& server) {
  cafwire::remoting server_net{server};
  auto port = server_net.publish(server.spawn(order_desk), 0); // was: server.middleman().publish
  caf::actor_system_config cfg;
  caf::actor_system client{cfg.load<caf::io::middleman>()}; // in real life, another process
  cafwire::remoting client_net{client};
  auto desk = client_net.remote_actor("127.0.0.1", *port); // was: client.middleman().remote_actor
  auto ask = caf::make_function_view(*desk);
  auto total = ask(order{2.5, 4});
  std::cout << "to pay: " << to_string(total) << '\n';
  return total ? 0 : 1;
}

CAFWIRE_MAIN(caf::id_block::shop, caf::io::middleman)
