// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/pointee.hpp"

#include <memory>
#include <type_traits>

namespace cafwire {

/// Unique pointers: a byte that tells whether there is an object, then the object. If `T` has a
/// list of derived types, then the name of its type stands in front of the object.
template <class T>
requires(!std::is_array_v<T> && !detail::self_inspecting<std::unique_ptr<T>>) struct formatter<
  std::unique_ptr<T>> {
  using pointee = detail::pointee<T>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const std::unique_ptr<T>& x) {
    if (x == nullptr)
      return f.byte(0);
    return f.byte(1) && pointee::visit(f, *x, [&f](auto& object) {
             return pointee::template save_name<std::remove_cvref_t<decltype(object)>>(f)
                    && f.apply(object);
           });
  }

  static bool load(deserializer& f, std::unique_ptr<T>& x) {
    auto present = false;
    if (!f.flag(present))
      return false;
    if (!present) {
      x = nullptr;
      return true;
    }
    return f.enter() && load_object(f, x) && f.leave();
  }

  static void schema(layout::schema_builder& f) {
    f.varying_with("opt", 1, [&f] { pointee::schema(f); });
  }

private:
  static bool load_object(deserializer& f, std::unique_ptr<T>& x) {
    // The old object may serve again if nothing of it remains.
    if constexpr (!pointee::by_name && !std::is_const_v<T> && detail::replaces_all_v<T>)
      if (x != nullptr)
        return f.apply(*x);
    return pointee::select(f, [&]<class Object>(std::type_identity<Object>) {
      static_assert(
        std::is_same_v<Object, std::remove_const_t<T>> || std::has_virtual_destructor_v<T>,
        "cafwire: deleting a derived object through std::unique_ptr<T> needs a virtual "
        "destructor");
      if (!f.charge(sizeof(Object)))
        return false;
      auto object = detail::make_owned<Object>();
      if (!f.apply(*object))
        return false;
      x = std::move(object);
      return true;
    });
  }
};

} // namespace cafwire
