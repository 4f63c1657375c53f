// This file is part of cafwire. See the file LICENSE for license terms.

// Two actor systems that talk over CAF's own networking.

#include "accelerator/types.hpp"
#include "net/caf_api.hpp"

#include <caf/io/middleman.hpp>

#include "support/catch.hpp"

#include <memory>
#include <string>
#include <vector>

using namespace accelerator_test;

using net_test::ask;

namespace {

using string_list = std::vector<std::string>;

string_list identifiers_of(const caf::actor_system_config& cfg) {
  return caf::get_or(cfg, "caf.middleman.app-identifiers", string_list{});
}

class config : public caf::actor_system_config {
public:
  config() {
    load<caf::io::middleman>();
    set("caf.scheduler.max-threads", 2);
  }
};

/// Changes a configuration before an actor system is created from it.
using adapter = void (*)(caf::actor_system_config&);

void separate(caf::actor_system_config& cfg) {
  cafwire::separate_unlike_peers<matrix<fast>, cafwire::accelerated::accelerator_test_types>(cfg);
}

void separate_in_other_order(caf::actor_system_config& cfg) {
  cafwire::separate_unlike_peers<lamp<fast>, patch<fast>, silent<fast>, padded<fast>, brief<fast>,
                                 matrix<fast>>(cfg);
}

void separate_other(caf::actor_system_config& cfg) {
  cafwire::separate_unlike_peers<matrix<fast>>(cfg);
}

void do_nothing(caf::actor_system_config&) {
  // nop
}

caf::behavior mirror() {
  return {
    [](const scene<fast>& x) { return x; },
    [](const std::vector<matrix<fast>>& xs) { return xs; },
    [](const lamp<fast>& x) { return x; },
  };
}

struct node {
  explicit node(adapter adapt) : sys((adapt(cfg), cfg)), self(sys) {
    // nop
  }

  config cfg;
  caf::actor_system sys;
  caf::scoped_actor self;
};

struct pair {
  pair(adapter adapt_near, adapter adapt_far) : near(adapt_near), far(adapt_far) {
    auto port = far.sys.middleman().publish(local, 0, "127.0.0.1");
    REQUIRE(port);
    remote = near.sys.middleman().remote_actor("127.0.0.1", *port);
  }

  ~pair() {
    caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
  }

  node near;
  node far;
  caf::actor local = far.sys.spawn(mirror);
  caf::expected<caf::actor> remote = caf::make_error(caf::sec::runtime_error);
};

} // namespace

TEST_CASE("accelerated values travel over CAF's own networking") {
  pair nodes{separate, separate_in_other_order};
  REQUIRE(nodes.remote);
  auto& self = nodes.near.self;
  auto x = make_scene<fast>();
  for (auto i = 0; i < 3; ++i) {
    auto y = ask<scene<fast>>(self, *nodes.remote, x);
    REQUIRE(y);
    CHECK(*y == x);
  }
  for (size_t n : {0, 1, 1000, 20000}) {
    auto xs = make_matrices<fast>(n);
    auto ys = ask<std::vector<matrix<fast>>>(self, *nodes.remote, xs);
    REQUIRE(ys);
    CHECK(*ys == xs);
  }
  CHECK(ask<lamp<fast>>(self, *nodes.remote, lamp<fast>{5, true, shade::dark})
        == lamp<fast>{5, true, shade::dark});
}

TEST_CASE("peers that accelerate other types are refused") {
  CHECK(pair{separate, separate_other}.remote.error() == caf::sec::incompatible_application_ids);
  CHECK(pair{separate_other, separate}.remote.error() == caf::sec::incompatible_application_ids);
  CHECK(pair{separate, do_nothing}.remote.error() == caf::sec::incompatible_application_ids);
  CHECK(pair{do_nothing, separate}.remote.error() == caf::sec::incompatible_application_ids);
}

TEST_CASE("identifiers of the application are kept") {
  auto with = [](string_list ids) {
    config cfg;
    cfg.set("caf.middleman.app-identifiers", ids);
    separate(cfg);
    return identifiers_of(cfg);
  };
  config cfg;
  separate(cfg);
  auto plain = identifiers_of(cfg);
  REQUIRE(plain.size() == 1);
  CHECK(plain[0].starts_with("generic-caf-app+cafwire-accelerator-1-"));
  auto suffix = plain[0].substr(plain[0].find('+'));
  CHECK(with({"a", "b"}) == string_list{"a" + suffix, "b" + suffix});
  config other;
  separate_other(other);
  CHECK(identifiers_of(other) != plain);
}

TEST_CASE("identifiers come from the command line, too") {
  config cfg;
  auto arg = std::string{"--caf.middleman.app-identifiers=[\"x\"]"};
  REQUIRE(cfg.parse(std::vector<std::string>{arg}).empty());
  separate(cfg);
  auto ids = identifiers_of(cfg);
  REQUIRE(ids.size() == 1);
  CHECK(ids[0].starts_with("x+cafwire-accelerator-1-"));
}
