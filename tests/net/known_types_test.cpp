// This file is part of cafwire. See the file LICENSE for license terms.

// Links that know some types only: what else arrives is refused before it is decoded, and what else
// is sent does not leave.

#include "cafwire/message/known_types.hpp"

#include "net/node.hpp"
#include "net/server.hpp"

#include <string>
#include <vector>

using namespace net_test;
using namespace std::literals;

using cafwire::ec;
using cafwire::known_types;
using cafwire::link_options;

namespace {

/// What the tests let through: points, and what holds messages of any kind.
cafwire::known_types_ptr points_only() {
  return known_types::only({caf::type_id_v<point>, caf::type_id_v<std::vector<caf::message>>});
}

link_options with_types(cafwire::known_types_ptr types) {
  link_options result;
  result.types = std::move(types);
  return result;
}

/// Answers with values, and with messages and errors that hold them.
caf::behavior giver(caf::event_based_actor*) {
  return {
    [](const point& x) { return x; },
    [](const chart& x) { return x; },
    [](std::vector<caf::message>& xs) { return std::move(xs); },
    [](std::string& x) { return std::move(x); },
    [](caf::get_atom, bool nested) -> caf::result<caf::message> {
      if (nested)
        return caf::make_message(std::vector<caf::message>{caf::make_message(chart{})});
      return caf::make_message(chart{});
    },
    [](caf::sys_atom) -> caf::result<point> { return caf::make_error(weather::rain, chart{}); },
  };
}

/// A server with a port that knows some types only, beside one that knows all.
struct fixture {
  node far;
  node near;
  caf::actor local = far.spawn(giver);
  caf::actor open = near.connect(far.publish(local));

  /// Connects through a port with types, from a side with others.
  caf::actor connect(const link_options& server_options, const link_options& client_options) {
    auto port = far.net().publish(local, 0, server_options);
    REQUIRE(port);
    auto result = near.net().remote_actor(loopback, *port, client_options);
    REQUIRE(result);
    return *result;
  }
};

std::vector<caf::message> nested(caf::message what) {
  return {caf::make_message(int32_t{1}), std::move(what)};
}

} // namespace

TEST_CASE_METHOD(fixture, "a port that knows some types takes no others") {
  auto remote = connect(with_types(points_only()), {});
  auto before = far.net().statistics().decode_errors;
  CHECK(ask<point>(near.self, remote, point{1, 2}));
  CHECK(ask<std::string>(near.self, remote, "types of CAF are known"s));
  CHECK(ask_in_vain(near.self, remote, chart{}) == ec::unknown_type);
  CHECK(ask<std::vector<caf::message>>(near.self, remote, nested(caf::make_message(point{1, 2}))));
  CHECK(ask_in_vain(near.self, remote, nested(caf::make_message(chart{}))) == ec::unknown_type);
  CHECK(
    ask_in_vain(near.self, remote, nested(caf::make_message(nested(caf::make_message(chart{})))))
    == ec::unknown_type);
  CHECK(far.net().statistics().decode_errors == before + 3);
  // The link lives on, and other ports of the same actor know more.
  CHECK(ask<point>(near.self, remote, point{1, 2}));
  CHECK(ask<chart>(near.self, open, chart{}));
}

TEST_CASE_METHOD(fixture, "a port that knows some types sends no others") {
  auto remote = connect(with_types(points_only()), {});
  CHECK(ask_in_vain(near.self, remote, caf::get_atom_v, false) == ec::unregistered_type);
  CHECK(ask_in_vain(near.self, remote, caf::get_atom_v, true) == ec::unregistered_type);
  CHECK(ask_in_vain(near.self, remote, caf::sys_atom_v) == ec::unregistered_type);
  CHECK(ask<point>(near.self, remote, point{1, 2}));
}

TEST_CASE_METHOD(fixture, "a connection that knows some types takes and sends no others") {
  auto remote = connect({}, with_types(points_only()));
  CHECK(ask<point>(near.self, remote, point{1, 2}));
  CHECK(ask_in_vain(near.self, remote, chart{}) == ec::unregistered_type);
  CHECK(ask_in_vain(near.self, remote, nested(caf::make_message(chart{})))
        == ec::unregistered_type);
  CHECK(ask_in_vain(near.self, remote, caf::get_atom_v, false) == ec::unknown_type);
  CHECK(ask_in_vain(near.self, remote, caf::get_atom_v, true) == ec::unknown_type);
  CHECK(ask_in_vain(near.self, remote, caf::sys_atom_v) == ec::unknown_type);
  CHECK(ask<point>(near.self, remote, point{1, 2}));
}

TEST_CASE_METHOD(fixture, "large messages are checked as others are") {
  auto remote = connect({}, with_types(points_only()));
  auto large = std::vector<caf::message>{caf::make_message(std::string(1u << 20, 'x')),
                                         caf::make_message(chart{})};
  CHECK(ask_in_vain(near.self, remote, large) == ec::unregistered_type);
  large.pop_back();
  CHECK(ask<std::vector<caf::message>>(near.self, remote, large));
}
