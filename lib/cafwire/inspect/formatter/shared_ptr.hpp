// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/object_table.hpp"
#include "cafwire/inspect/pointee.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace cafwire {

namespace detail {

/// Shared pointers are a number: 0 for no object, 1 for an object that follows, and more for the
/// object with the index that is 2 less. The objects of a message count in the order in which they
/// begin.
enum : uint64_t {
  no_object = 0,
  new_object = 1,
  first_known_object = 2,
};

/// Whether a reference to an object that is not complete yet is welcome.
enum class ownership {
  /// It would be a cycle, whose objects nobody ever frees.
  strong,
  /// It is how parts know the whole.
  weak,
};

template <class T>
bool save_shared(serializer& f, const std::shared_ptr<T>& x, ownership owner) {
  if (x == nullptr)
    return f.varint(no_object);
  return pointee<T>::visit(f, *x, [&](auto& object) {
    using object_type = std::remove_cvref_t<decltype(object)>;
    auto alive = std::const_pointer_cast<std::remove_const_t<T>>(x);
    auto& table = f.objects();
    auto [index, is_new] = table.find_or_add(std::addressof(object), &type_key<object_type>,
                                             std::move(alive));
    if (!is_new) {
      if (owner == ownership::strong && !table[index].complete)
        return f.fail(ec::reference_cycle);
      return f.varint(first_known_object + index);
    }
    if (!f.varint(new_object) || !pointee<T>::template save_name<object_type>(f)
        || !f.apply(object))
      return false;
    table[index].complete = true;
    return true;
  });
}

template <class T>
bool load_shared(deserializer& f, std::shared_ptr<T>& x, ownership owner) {
  auto number = uint64_t{0};
  if (!f.varint(number))
    return false;
  if (number == no_object) {
    x = nullptr;
    return true;
  }
  if (number == new_object) {
    return f.enter()
           && pointee<T>::select(f,
                                 [&]<class Object>(std::type_identity<Object>) {
                                   if (!f.charge(sizeof(Object)))
                                     return false;
                                   auto object = make_shared<Object>();
                                   auto index = f.objects().add(object, &type_key<Object>);
                                   if (!f.apply(*object))
                                     return false;
                                   f.objects()[index].complete = true;
                                   x = std::move(object);
                                   return true;
                                 })
           && f.leave();
  }
  auto& table = f.objects();
  if (number - first_known_object >= table.size())
    return f.fail(ec::unknown_reference);
  auto& entry = table[static_cast<size_t>(number - first_known_object)];
  if (owner == ownership::strong && !entry.complete)
    return f.fail(ec::reference_cycle);
  auto object = pointee<T>::resolve(entry.type, entry.object);
  if (object == nullptr)
    return f.fail(ec::reference_type_mismatch);
  x = std::move(object);
  return true;
}

} // namespace detail

/// Shared pointers: an object is written where it first occurs in a message, and every later
/// pointer to it is a number. Two pointers to one object arrive as two pointers to one object.
/// Messages share nothing with each other. The old object of a target is left alone, because others
/// may share it.
template <class T>
requires(
  !std::is_array_v<T> && !std::is_void_v<T> && !detail::self_inspecting<std::shared_ptr<T>>) struct
  formatter<std::shared_ptr<T>> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const std::shared_ptr<T>& x) {
    return detail::save_shared(f, x, detail::ownership::strong);
  }

  static bool load(deserializer& f, std::shared_ptr<T>& x) {
    return detail::load_shared(f, x, detail::ownership::strong);
  }

  static void schema(layout::schema_builder& f) {
    f.varying_with("shared", 1, [&f] { detail::pointee<T>::schema(f); });
  }
};

/// Weak pointers: as shared pointers, but they may refer to the object that they are part of. One
/// whose object nobody else in the message shares expires when the message has been read.
template <class T>
requires(
  !std::is_array_v<T> && !std::is_void_v<T> && !detail::self_inspecting<std::weak_ptr<T>>) struct
  formatter<std::weak_ptr<T>> {
  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const std::weak_ptr<T>& x) {
    return detail::save_shared(f, x.lock(), detail::ownership::weak);
  }

  static bool load(deserializer& f, std::weak_ptr<T>& x) {
    std::shared_ptr<T> object;
    if (!detail::load_shared(f, object, detail::ownership::weak))
      return false;
    x = object;
    return true;
  }

  static void schema(layout::schema_builder& f) {
    f.varying_with("weak", 1, [&f] { detail::pointee<T>::schema(f); });
  }
};

} // namespace cafwire
