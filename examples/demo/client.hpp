// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace demo {

/// Starts the server process, sends all traffic over both transports and prints
/// the table to the standard output; progress goes to the standard error.
/// @param rounds How often each kind of traffic is timed.
/// @param record_to A folder for recordings of the connections whose bytes are counted, or nothing.
/// @throws std::runtime_error unless every record arrived intact, every answer
///         was right and the server ended in good order.
void run_client(const std::filesystem::path& data_dir, size_t rounds, const std::string& record_to);

} // namespace demo
