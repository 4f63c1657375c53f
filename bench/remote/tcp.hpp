// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "remote/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cafwire::bench {

/// Plain sockets: the bytes of the messages in writes of at most 1 MiB, read into one buffer that
/// is used again. Nothing is encoded and nothing is decoded; what is left is the price of the
/// operating system.
class tcp_transport : public transport {
public:
  /// Starts the receiving process and connects to it.
  tcp_transport();

  ~tcp_transport() override;

  void prepare(const payload& what, size_t count) override;

  void run(const payload& what, size_t count) override;

  const child_process& receiver() const override {
    return child_;
  }

  size_t window(const payload& what) const override;

private:
  child_process child_;
  int socket_ = -1;
  std::vector<std::byte> block_;
  size_t messages_per_block_ = 0;
};

/// Runs the receiving side until the sender closes the connection.
void serve_tcp();

} // namespace cafwire::bench
