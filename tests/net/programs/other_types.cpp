// This file is part of cafwire. See the file LICENSE for license terms.

// A peer whose types have other IDs; some are missing, some are its own, and one has other fields.

#define CAFWIRE_NET_TEST_OTHER_REGISTRY

#include "net/peer_program.hpp"

int main() {
  return net_test::run_peer();
}
