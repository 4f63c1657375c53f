// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/caf_compat.hpp"
#include "cafwire/codec.hpp"
#include "cafwire/layout/type_traits.hpp"

#include <caf/inspector_access.hpp>
#include <caf/inspector_access_base.hpp>

#include <atomic>
#include <bitset>
#include <complex>
#include <cstddef>
#include <filesystem>
#include <forward_list>
#include <memory>
#include <queue>
#include <span>
#include <stack>
#include <system_error>
#include <valarray>

/// @file
/// CAF registers a type of message elements with all of its own inspectors, so these must know each
/// type in a message, even if only cafwire ever sends it. Include this header where such types have
/// members of the standard library that CAF knows nothing of: it teaches CAF to write them.

namespace cafwire {

/// Lets all inspectors of CAF write a `T` as the bytes that cafwire writes, and read it back. Base
/// of specializations of `caf::inspector_access`, also for types of applications with a
/// `cafwire::formatter`:
///
/// ```
/// template <>
/// struct caf::inspector_access<my_tree> : cafwire::encoded_access<my_tree> {};
/// ```
///
/// cafwire itself does not use these specializations. Values that need a link, such as handles of
/// actors, fail with `ec::no_actor_context`; shared pointers keep their identity inside of one `T`.
template <class T>
struct encoded_access : caf::inspector_access_base<T>, layout::encoded_access_base {
  template <class Inspector>
  static bool apply(Inspector& f, T& x) {
    if constexpr (Inspector::is_loading) {
      caf::byte_buffer bytes;
      if (!f.apply(bytes))
        return false;
      auto input = std::span{reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()};
      return check(f, deserialize(input, x));
    } else {
      output_buffer out;
      if (!check(f, serialize(out, x)))
        return false;
      auto* first = reinterpret_cast<const compat::byte*>(out.data());
      auto bytes = caf::byte_buffer(first, first + out.size());
      return f.apply(bytes);
    }
  }

private:
  template <class Inspector>
  static bool check(Inspector& f, ec code) {
    if (code == ec::none)
      return true;
    f.set_error(caf::error{code});
    return false;
  }
};

} // namespace cafwire

namespace caf {

template <class T, class Container>
struct inspector_access<std::stack<T, Container>>
  : cafwire::encoded_access<std::stack<T, Container>> {};

template <class T, class Container>
struct inspector_access<std::queue<T, Container>>
  : cafwire::encoded_access<std::queue<T, Container>> {};

template <class T, class Container, class Compare>
struct inspector_access<std::priority_queue<T, Container, Compare>>
  : cafwire::encoded_access<std::priority_queue<T, Container, Compare>> {};

template <class T, class Allocator>
struct inspector_access<std::forward_list<T, Allocator>>
  : cafwire::encoded_access<std::forward_list<T, Allocator>> {};

template <size_t N>
struct inspector_access<std::bitset<N>> : cafwire::encoded_access<std::bitset<N>> {};

template <class T>
struct inspector_access<std::valarray<T>> : cafwire::encoded_access<std::valarray<T>> {};

template <class T>
struct inspector_access<std::complex<T>> : cafwire::encoded_access<std::complex<T>> {};

template <class T>
struct inspector_access<std::atomic<T>> : cafwire::encoded_access<std::atomic<T>> {};

template <class T>
struct inspector_access<std::unique_ptr<T>> : cafwire::encoded_access<std::unique_ptr<T>> {};

template <class T>
struct inspector_access<std::shared_ptr<T>> : cafwire::encoded_access<std::shared_ptr<T>> {};

template <class T>
struct inspector_access<std::weak_ptr<T>> : cafwire::encoded_access<std::weak_ptr<T>> {};

template <>
struct inspector_access<std::filesystem::path> : cafwire::encoded_access<std::filesystem::path> {};

template <>
struct inspector_access<std::error_code> : cafwire::encoded_access<std::error_code> {};

template <>
struct inspector_access<std::error_condition> : cafwire::encoded_access<std::error_condition> {};

} // namespace caf
