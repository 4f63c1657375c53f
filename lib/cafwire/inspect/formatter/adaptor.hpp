// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/formatter/traits.hpp"

#include <algorithm>
#include <queue>
#include <stack>

namespace cafwire {

namespace detail {

/// Reaches the container inside of a container adaptor, which is protected.
template <class Adaptor>
struct adaptor_access : Adaptor {
  static auto& container(Adaptor& x) noexcept {
    return x.*&adaptor_access::c;
  }

  static auto& container(const Adaptor& x) noexcept {
    return x.*&adaptor_access::c;
  }

  static auto& compare(Adaptor& x) noexcept {
    return x.*&adaptor_access::comp;
  }
};

/// Writes and reads the container inside of an adaptor.
template <class T>
struct adaptor_formatter {
  using container_type = typename T::container_type;

  static constexpr size_t min_size = min_size_of<container_type>();

  static bool save(serializer& f, const T& x) {
    return f.apply(adaptor_access<T>::container(x));
  }

  static bool load(deserializer& f, T& x) {
    return f.apply(adaptor_access<T>::container(x));
  }

  static void schema(layout::schema_builder& f) {
    f.type<container_type>();
  }
};

} // namespace detail

/// Stacks: the elements, the top one last.
template <class T, class Container>
requires(
  !detail::self_inspecting<std::stack<T, Container>>) struct formatter<std::stack<T, Container>>
  : detail::adaptor_formatter<std::stack<T, Container>> {
};

/// Queues: the elements, the next one first.
template <class T, class Container>
requires(
  !detail::self_inspecting<std::queue<T, Container>>) struct formatter<std::queue<T, Container>>
  : detail::adaptor_formatter<std::queue<T, Container>> {
};

/// Priority queues: the elements in the order of the container inside, the next one first. That
/// order is a heap. One that is no heap for the order of the reader becomes one; otherwise nothing
/// moves, so that equal elements leave the queue in the order of the writer.
template <class T, class Container, class Compare>
requires(!detail::self_inspecting<std::priority_queue<T, Container, Compare>>) struct formatter<
  std::priority_queue<T, Container, Compare>>
  : detail::adaptor_formatter<std::priority_queue<T, Container, Compare>> {
  using type = std::priority_queue<T, Container, Compare>;

  static bool load(deserializer& f, type& x) {
    using access = detail::adaptor_access<type>;
    auto& xs = access::container(x);
    // What is read in part, or by code that throws, is no heap.
    struct clear_guard {
      Container* target;

      ~clear_guard() {
        if (target != nullptr)
          target->clear();
      }
    };
    clear_guard guard{&xs};
    if (!f.apply(xs))
      return false;
    auto& less = access::compare(x);
    if (!std::is_heap(xs.begin(), xs.end(), less))
      std::make_heap(xs.begin(), xs.end(), less);
    guard.target = nullptr;
    return true;
  }
};

} // namespace cafwire
