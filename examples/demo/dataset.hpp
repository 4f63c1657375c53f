// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include "records.hpp"

#include <filesystem>

namespace demo {

/// Everything in the data files, in the order of the files.
struct dataset {
  flight_list flights;
  airport_list airports;
};

/// Reads `flights.csv` and `airports.csv` in the folder `dir`.
/// @throws std::runtime_error with the name of the file, and of the line if
///         there is one, when a file is missing, empty or malformed.
dataset load_dataset(const std::filesystem::path& dir);

/// Bytes of the fields of `x` alone: what any encoding has to carry.
size_t record_bytes(const flight& x);

/// @copydoc record_bytes(const flight&)
size_t record_bytes(const airport& x);

/// @copydoc record_bytes(const flight&)
template <class T>
size_t record_bytes(const std::vector<T>& xs) {
  size_t result = 0;
  for (const auto& x : xs)
    result += record_bytes(x);
  return result;
}

} // namespace demo
