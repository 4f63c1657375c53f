// This file is part of cafwire. See the file LICENSE for license terms.

// The types that the format knows. Their slots are part of the format (docs/wire-format.md): append
// only, never change the order.

#include "cafwire/message/known_types.hpp"

#include <caf/all.hpp>
#include <caf/ipv4_address.hpp>
#include <caf/ipv4_endpoint.hpp>
#include <caf/ipv4_subnet.hpp>
#include <caf/ipv6_address.hpp>
#include <caf/ipv6_endpoint.hpp>
#include <caf/ipv6_subnet.hpp>

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cafwire::detail {

namespace {

template <class... Ts>
auto make_table() {
  auto slot = uint16_t{0};
  return std::array<const message_type*, sizeof...(Ts) + 1>{nullptr,
                                                            &message_type_of<Ts>(++slot)...};
}

} // namespace

std::span<const message_type* const> core_types() {
  static const auto table = make_table<
    // Slots 1 to 16: values of C++.
    bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double,
    long double, std::string, std::u16string, std::u32string, std::set<std::string>,
    // Slots 17 to 51: values of CAF.
    caf::actor, caf::actor_addr, caf::strong_actor_ptr, caf::weak_actor_ptr, caf::byte_buffer,
    caf::config_value, caf::settings, caf::down_msg, caf::error, caf::exit_msg, caf::exit_reason,
    caf::hashed_node_id, caf::ipv4_address, caf::ipv4_endpoint, caf::ipv4_subnet, caf::ipv6_address,
    caf::ipv6_endpoint, caf::ipv6_subnet, caf::message, caf::message_id, caf::node_down_msg,
    caf::node_id, caf::none_t, caf::pec, caf::sec, caf::timespan, caf::timestamp, caf::unit_t,
    caf::uri, std::vector<caf::actor>, std::vector<caf::actor_addr>, std::vector<caf::config_value>,
    std::vector<caf::strong_actor_ptr>, std::vector<caf::weak_actor_ptr>,
    std::vector<std::pair<std::string, caf::message>>,
    // Slot 52: cafwire.
    ec,
    // Slots 53 to 94: atoms.
    caf::add_atom, caf::close_atom, caf::connect_atom, caf::contact_atom, caf::delete_atom,
    caf::demonitor_atom, caf::div_atom, caf::flush_atom, caf::forward_atom, caf::get_atom,
    caf::idle_atom, caf::join_atom, caf::leave_atom, caf::link_atom, caf::migrate_atom,
    caf::monitor_atom, caf::mul_atom, caf::ok_atom, caf::open_atom, caf::pending_atom,
    caf::ping_atom, caf::pong_atom, caf::publish_atom, caf::publish_udp_atom, caf::put_atom,
    caf::receive_atom, caf::redirect_atom, caf::registry_lookup_atom, caf::reset_atom,
    caf::resolve_atom, caf::spawn_atom, caf::sub_atom, caf::subscribe_atom, caf::sys_atom,
    caf::tick_atom, caf::timeout_atom, caf::unlink_atom, caf::unpublish_atom,
    caf::unpublish_udp_atom, caf::unsubscribe_atom, caf::update_atom, caf::wait_for_atom>();
  return table;
}

} // namespace cafwire::detail
