// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "cafwire/inspect/deserializer.hpp"
#include "cafwire/inspect/serializer.hpp"
#include "cafwire/wire/copy.hpp"

#include <string>
#include <string_view>

namespace cafwire {

namespace detail {

/// Replaces the text of a string. `assign` is a call for each string; a text that is not longer
/// than the old one, as in objects that are read into again and again, needs none.
template <class String>
CAFWIRE_INLINE void assign_text(String& x, const std::byte* text, size_t n) {
  static_assert(sizeof(typename String::value_type) == 1);
  if (n > x.size()) {
    x.assign(reinterpret_cast<const typename String::value_type*>(text), n);
    return;
  }
  if (n < x.size())
    x.resize(n);
  copy_bytes(reinterpret_cast<std::byte*>(x.data()), text, n);
}

} // namespace detail

/// Strings of any character type: length in characters, then the characters. May hold zeros.
template <class Char, class Traits, class Allocator>
struct formatter<std::basic_string<Char, Traits, Allocator>> {
  using type = std::basic_string<Char, Traits, Allocator>;

  static constexpr size_t min_size = 1;

  static bool save(serializer& f, const type& x) {
    return f.packed(x);
  }

  static bool load(deserializer& f, type& x) {
    return f.packed(x);
  }

  CAFWIRE_INLINE static size_t bound(const type& x) noexcept {
    return detail::packed_writer::sequence_bound(x.size() * sizeof(Char));
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const type& x) noexcept {
    w.sequence(x.data(), x.size());
  }

  static constexpr size_t fixed_size = 0;

  CAFWIRE_INLINE static bool get(detail::packed_reader& r, type& x) {
    size_t n = 0;
    if (!r.image_count<Char>(n))
      return false;
    if constexpr (sizeof(Char) == 1) {
      detail::assign_text(x, r.position(), n);
      r.advance(n);
      return true;
    } else {
      x.resize(n);
      return r.take(x.data(), n);
    }
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<Char>("seq", 1);
  }
};

/// String views can only be written; they arrive as strings.
template <class Char, class Traits>
struct formatter<std::basic_string_view<Char, Traits>> {
  static constexpr size_t min_size = 1;

  using type = std::basic_string_view<Char, Traits>;

  static bool save(serializer& f, const type& x) {
    return f.packed(x);
  }

  CAFWIRE_INLINE static size_t bound(const type& x) noexcept {
    return detail::packed_writer::sequence_bound(x.size() * sizeof(Char));
  }

  CAFWIRE_INLINE static void put(detail::packed_writer& w, const type& x) noexcept {
    w.sequence(x.data(), x.size());
  }

  template <class Deserializer>
  static bool load(Deserializer&, std::basic_string_view<Char, Traits>&) {
    static_assert(!sizeof(Deserializer),
                  "cafwire: a string view owns no memory to load into; load a std::string");
    return false;
  }

  static void schema(layout::schema_builder& f) {
    f.varying_of<Char>("seq", 1);
  }
};

} // namespace cafwire
