// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

// What a fuzz target provides. `tests/fuzz/CMakeLists.txt` says how targets are built and run.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

/// Runs the code under test with an input. Whatever must never happen ends the process.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace fuzz {

/// Returns inputs that reach far into the code: good ones.
std::vector<std::string> seeds();

/// Ends the process if something is not as it must be.
inline void require(bool ok, const char* what) {
  if (!ok) {
    std::fprintf(stderr, "fuzz: broken promise: %s\n", what);
    std::abort();
  }
}

/// Copies bytes into a seed.
inline void append(std::string& out, std::span<const std::byte> bytes) {
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// An input from which a target takes decisions, and then the bytes for the code under test.
class input {
public:
  input(const uint8_t* data, size_t size) : bytes_(reinterpret_cast<const std::byte*>(data), size) {
    // nop
  }

  /// Takes one byte, or 0 if nothing is left.
  uint8_t choice() {
    if (bytes_.empty())
      return 0;
    auto result = static_cast<uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return result;
  }

  std::span<const std::byte> rest() const {
    return bytes_;
  }

private:
  std::span<const std::byte> bytes_;
};

} // namespace fuzz
