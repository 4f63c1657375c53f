// This file is part of cafwire. See the file LICENSE for license terms.

// A peer with the types of the tests.

#include "net/peer_program.hpp"

int main() {
  return net_test::run_peer();
}
