// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cafwire::bench {

/// What the benchmarks of links send. Message number `i` of a run carries `i` modulo `cycle` in its
/// last element, so that the receiver notices lost, repeated and reordered messages.
class payload {
public:
  /// Number of different messages of one payload.
  static constexpr size_t cycle = 8;

  payload(std::string name, size_t window, size_t encoded_bytes)
    : name_(std::move(name)), window_(window), encoded_bytes_(encoded_bytes) {
    // nop
  }

  virtual ~payload();

  const std::string& name() const noexcept {
    return name_;
  }

  /// Returns how many messages may be in flight: sent, but not yet acknowledged by the receiver.
  size_t window() const noexcept {
    return window_;
  }

  /// Returns the size of the value in the canonical encoding, in bytes.
  size_t encoded_bytes() const noexcept {
    return encoded_bytes_;
  }

  /// Sends message number `i` without naming a sender.
  virtual void send_to(const caf::actor& receiver, size_t i) const = 0;

  /// Returns one message as it travels in a session that knows the type: slot, length, value.
  virtual std::vector<std::byte> wire_image() const = 0;

private:
  std::string name_;
  size_t window_;
  size_t encoded_bytes_;
};

using payload_ptr = std::shared_ptr<const payload>;

/// Returns all payloads. Takes a moment and about 50 MB, so call it once.
std::vector<payload_ptr> make_payloads();

/// Returns those payloads that the accelerator for CAF's own networking applies to, with the same
/// values in accelerated types.
std::vector<payload_ptr> make_accelerated_payloads();

} // namespace cafwire::bench
