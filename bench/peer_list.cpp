// This file is part of cafwire. See the file LICENSE for license terms.

#include "peers/peer.hpp"

#include <utility>

namespace cafwire::bench {

std::vector<peer>& peers() {
  static std::vector<peer> result;
  return result;
}

bool add_peer(peer x) {
  peers().push_back(std::move(x));
  return true;
}

} // namespace cafwire::bench
