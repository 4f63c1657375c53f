// This file is part of cafwire. See the file LICENSE for license terms.

// Views in messages: through sessions, to local actors, and over links.

#include "cafwire/remoting.hpp"

#include "net/caf_api.hpp"
#include "support/codec.hpp"
#include "view/types.hpp"

#include <caf/io/middleman.hpp>

#include <optional>

using namespace view_test;

using cafwire::ec;
using net_test::ask;

namespace {

caf::behavior mirror() {
  return {
    [](const matrix_view& xs) { return xs; },
    [](const scene& x) { return x; },
    // How far apart two views are in memory, in bytes.
    [](const matrix_view& xs, const std::string&, const matrix_view& ys) {
      return static_cast<int64_t>(reinterpret_cast<intptr_t>(ys.data())
                                  - reinterpret_cast<intptr_t>(xs.data()));
    },
  };
}

struct node {
  node() : sys(cfg.load<caf::io::middleman>().set("caf.scheduler.max-threads", 2)) {
    // nop
  }

  caf::actor_system_config cfg;
  caf::actor_system sys;
};

} // namespace

TEST_CASE("views that a session reads point into the input if it has an owner") {
  cafwire::serializer_session writer;
  cafwire::output_buffer out;
  auto xs = matrix_view{make_matrices(50)};
  REQUIRE(writer.write(out, xs) == ec::none);
  REQUIRE(writer.write(out, scene{"a scene", xs}) == ec::none);
  REQUIRE(writer.write(out, xs) == ec::none);
  auto input = cafwire::share(std::move(out));
  auto is_inside = [bytes = input.bytes](const matrix_view& ys) {
    auto* first = reinterpret_cast<const std::byte*>(ys.data());
    return first >= bytes.data() && first < bytes.data() + bytes.size();
  };
  cafwire::deserializer_session reader;
  reader.input_owner(input.owner);
  cafwire::input_cursor in{input.bytes};
  matrix_view ys;
  REQUIRE(reader.read(in, ys) == ec::none);
  CHECK(is_inside(ys));
  caf::message msg;
  REQUIRE(reader.read_message(in, msg) == ec::none);
  CHECK(is_inside(msg.get_as<scene>(0).bodies));
  reader.input_owner(nullptr);
  matrix_view zs;
  REQUIRE(reader.read(in, zs) == ec::none);
  CHECK(!is_inside(zs));
  input = {};
  CHECK(ys == xs);
  CHECK(zs == xs);
  CHECK(msg.get_as<scene>(0) == scene{"a scene", xs});
}

TEST_CASE("views are sent to local actors, and on") {
  node here;
  caf::scoped_actor self{here.sys};
  auto other = here.sys.spawn(mirror);
  auto xs = matrix_view{make_matrices(50)};
  auto ys = ask<matrix_view>(self, other, xs);
  REQUIRE(ys);
  CHECK(ys->data() == xs.data());
}

TEST_CASE("views are sent over links, and on") {
  node far;
  node near;
  cafwire::remoting far_net{far.sys};
  cafwire::remoting near_net{near.sys};
  caf::scoped_actor self{near.sys};
  auto local = far.sys.spawn(mirror);
  auto port = far_net.publish(local, 0);
  REQUIRE(port);
  auto remote = near_net.remote_actor("127.0.0.1", *port);
  REQUIRE(remote);
  for (size_t n : {0, 1, 3, 4, 1000, 20000}) {
    auto xs = matrix_view{make_matrices(n)};
    auto ys = ask<matrix_view>(self, *remote, xs);
    REQUIRE(ys);
    CHECK(*ys == xs);
    auto zs = ask<matrix_view>(self, *remote, *ys);
    REQUIRE(zs);
    CHECK(*zs == xs);
    auto all = ask<scene>(self, *remote, scene{"a scene", *zs});
    REQUIRE(all);
    CHECK(*all == scene{"a scene", xs});
  }
  // Both point into what was received: between them are the elements of the first one, the string,
  // and the zeros in front of the second one.
  auto xs = matrix_view{make_matrices(1000)};
  auto distance = ask<int64_t>(self, *remote, xs, std::string(100, 'x'), xs);
  REQUIRE(distance);
  CHECK(*distance == 64000 + 112);
  caf::anon_send_exit(local, caf::exit_reason::user_shutdown);
}
