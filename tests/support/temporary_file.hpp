// This file is part of cafwire. See the file LICENSE for license terms.

#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>
#include <vector>

namespace test {

/// A path that nobody else uses. What is there in the end is removed.
class temporary_path {
public:
  temporary_path() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path()
            / ("cafwire-test-" + std::to_string(::getpid()) + '-' + std::to_string(++count));
    std::filesystem::remove_all(path_);
  }

  temporary_path(const temporary_path&) = delete;

  temporary_path& operator=(const temporary_path&) = delete;

  ~temporary_path() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string string() const {
    return path_.string();
  }

  const std::filesystem::path& path() const noexcept {
    return path_;
  }

private:
  std::filesystem::path path_;
};

inline std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::vector<std::byte> result(std::filesystem::file_size(path));
  in.read(reinterpret_cast<char*>(result.data()), static_cast<std::streamsize>(result.size()));
  return result;
}

inline void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

} // namespace test
