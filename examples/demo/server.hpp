// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "transport.hpp"

#include <filesystem>
#include <string>

namespace demo {

/// Runs the server process: publishes one actor over both transports, writes one
/// line with the ports (or with an error) to the standard output and serves until
/// the standard input closes.
/// @returns The exit code of the process.
int run_server(const std::filesystem::path& data_dir);

/// Reads the line that the server writes.
/// @throws std::runtime_error with the error that the line holds, or if it is
///         none that the server writes.
server_ports parse_ports(const std::string& line);

} // namespace demo
