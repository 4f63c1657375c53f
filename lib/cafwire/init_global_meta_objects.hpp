// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/message/known_types.hpp"
#include "cafwire/message/message_type.hpp"
#include "cafwire/wire/error.hpp"

#include <caf/actor_system.hpp>
#include <caf/caf_main.hpp>
#include <caf/init_global_meta_objects.hpp>

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cafwire {

namespace detail {

/// Registers the error codes of cafwire with CAF.
void init_own_meta_objects();

template <uint16_t... Ids>
void register_types(std::integer_sequence<uint16_t, Ids...>) {
  const auto types = std::array{&message_type_of<caf::type_by_id_t<Ids>>()...};
  register_message_types(types);
}

} // namespace detail

/// Registers a type-ID block with CAF and with cafwire: all of its types can be sent then. Replaces
/// the call to `caf::init_global_meta_objects` and, as that, must run before the first actor system
/// is created. May follow a registration with CAF, for example by `CAF_MAIN`; then it only adds
/// what cafwire needs, and may run at the top of `caf_main`.
template <class Block>
void init_global_meta_objects() {
  detail::init_own_meta_objects();
  if (compat::meta_object_of(Block::begin) == nullptr)
    caf::init_global_meta_objects<Block>();
  detail::register_types(caf::detail::make_type_id_sequence<Block>{});
}

namespace detail {

/// Registers what `CAF_MAIN` would register, and with cafwire too.
template <class... Ts>
void init_all_for_main() {
  auto init = [](auto* tag) {
    using type = std::remove_pointer_t<decltype(tag)>;
    if constexpr (std::is_base_of_v<compat::actor_system_module, type>)
      type::init_global_meta_objects();
    else
      init_global_meta_objects<type>();
  };
  (init(static_cast<Ts*>(nullptr)), ...);
  init_own_meta_objects();
}

} // namespace detail

} // namespace cafwire

/// Takes the same arguments as `CAF_MAIN` and replaces it: type-ID blocks are registered with
/// cafwire as well.
#define CAFWIRE_MAIN(...)                                                                          \
  int main(int argc, char** argv) {                                                                \
    CAFWIRE_INIT_HOST_SYSTEM(__VA_ARGS__)                                                          \
    cafwire::detail::init_all_for_main<__VA_ARGS__>();                                             \
    caf::core::init_global_meta_objects();                                                         \
    return caf::exec_main<__VA_ARGS__>(caf_main, argc, argv);                                      \
  }
