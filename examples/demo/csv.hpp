// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

using csv_row = std::vector<std::string>;

/// Reads a CSV file with quoted cells (RFC 4180, but no line breaks inside of a
/// cell) and calls `f` for each row after the header.
/// @param header The expected first line; each row has as many cells.
/// @throws std::runtime_error with the path, and the line if there is one, when
///         the file cannot be read, has another header, no rows, a row with a
///         wrong number of cells, or when `f` throws.
void read_csv(const std::filesystem::path& path, std::string_view header,
              const std::function<void(const csv_row&)>& f);

} // namespace demo
