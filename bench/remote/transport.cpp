// This file is part of cafwire. See the file LICENSE for license terms.

#include "remote/transport.hpp"

namespace cafwire::bench {

transport::~transport() {
  // nop
}

} // namespace cafwire::bench
