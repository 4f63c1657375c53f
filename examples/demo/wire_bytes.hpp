// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "questions.hpp"
#include "stream.hpp"
#include "transport.hpp"

#include <string>

namespace demo {

/// Bytes that crossed the socket, in both directions.
struct wire_bytes {
  double first = 0;  ///< Of the first message of a connection, the handshake apart.
  double steady = 0; ///< Mean of the messages after it.
};

/// Counts the bytes of `x` on a connection of its own, without a clock.
/// @param record_to A folder for a recording of the connection, or nothing.
/// @throws std::runtime_error unless every record arrived intact.
wire_bytes count_bytes(transport how, const server_ports& ports, const stream& x,
                       const std::string& record_to);

/// Counts the bytes of a question and its answer.
/// @throws std::runtime_error if an answer is wrong.
wire_bytes count_bytes(transport how, const server_ports& ports, const questions& x,
                       size_t steady_messages, const std::string& record_to);

} // namespace demo
