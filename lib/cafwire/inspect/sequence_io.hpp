// This file is part of cafwire. See the file LICENSE for license terms.

// No `#pragma once` here, for the reason that `traits.hpp` gives.
#include "cafwire/inspect/formatter/traits.hpp"

#ifndef CAFWIRE_INSPECT_SEQUENCE_IO_HPP
#  define CAFWIRE_INSPECT_SEQUENCE_IO_HPP

#  include <cstddef>

namespace cafwire {

/// Writes a sequence of `n` elements of type `T`: length, alignment if this is a long run,
/// elements. For formatters of containers.
template <class T, class Iterator>
bool save_sequence(serializer& f, Iterator first, size_t n) {
  if (!f.varint(n) || !f.align_run(n * layout::fixed_size_of<T>()))
    return false;
  for (; n > 0; --n, ++first)
    if (!f.apply(*first))
      return false;
  return true;
}

/// Reads a sequence of elements of type `T`, within the limits of the deserializer. Calls
/// `start(n)` with the number of elements, then `load_next()` for each of them, which reads one
/// element with `f.apply` and returns whether that worked. The length has been checked against the
/// rest of the input, and memory for `n` elements has been accounted for, before `start` is called.
template <class T, class Start, class LoadNext>
bool load_sequence(deserializer& f, Start&& start, LoadNext&& load_next) {
  size_t n = 0;
  if (!detail::count_elements<T>(f, n) || !f.align_run(n * layout::fixed_size_of<T>())
      || !detail::charge_elements<T>(f, n))
    return false;
  start(n);
  return detail::load_elements<T>(f, n, load_next);
}

} // namespace cafwire

#endif
