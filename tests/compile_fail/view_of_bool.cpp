// This file is part of cafwire. See the file LICENSE for license terms.

// expect: cafwire: there is no view of bits

#include "cafwire/wire/array_view.hpp"

#ifdef CAFWIRE_MUST_FAIL
cafwire::array_view<bool> bits;
#else
cafwire::array_view<unsigned char> bits;
#endif
