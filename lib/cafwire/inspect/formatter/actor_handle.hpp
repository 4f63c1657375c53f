// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/handle_codec.hpp"
#include "cafwire/inspect/serializer.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/is_typed_actor.hpp>

#include <type_traits>

namespace cafwire {

namespace detail {

/// All kinds of handles: dynamic and typed, strong and weak.
// clang-format off
template <class T>
concept actor_handle = std::is_same_v<T, caf::actor> || std::is_same_v<T, caf::actor_addr>
                       || std::is_same_v<T, caf::strong_actor_ptr>
                       || std::is_same_v<T, caf::weak_actor_ptr> || caf::is_typed_actor<T>::value;
// clang-format on

bool save_handle(serializer& f, const caf::strong_actor_ptr& x);

bool load_handle(deserializer& f, caf::strong_actor_ptr& x);

} // namespace detail

/// Actor handles: a tag, then what the handle codec of the inspector writes (see `handle_tag`).
template <detail::actor_handle T>
struct formatter<T> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const T& x) {
    if constexpr (std::is_same_v<T, caf::strong_actor_ptr>)
      return detail::save_handle(f, x);
    else if constexpr (std::is_same_v<T, caf::weak_actor_ptr>)
      return detail::save_handle(f, x.lock());
    else
      return detail::save_handle(f, caf::actor_cast<caf::strong_actor_ptr>(x));
  }

  static bool load(deserializer& f, T& x) {
    caf::strong_actor_ptr ptr;
    if (!detail::load_handle(f, ptr))
      return false;
    if constexpr (std::is_same_v<T, caf::strong_actor_ptr>)
      x = std::move(ptr);
    else if constexpr (std::is_same_v<T, caf::weak_actor_ptr>)
      x.reset(ptr.get());
    else
      x = caf::actor_cast<T>(ptr);
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.varying("actor", 1);
  }
};

} // namespace cafwire
