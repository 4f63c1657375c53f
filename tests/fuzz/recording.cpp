// This file is part of cafwire. See the file LICENSE for license terms.

// Files that claim to be recordings.

#include "fuzz/target.hpp"

#include <cafwire/recording/recording_reader.hpp>
#include <cafwire/recording/recording_writer.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/mman.h>
#include <unistd.h>

using namespace cafwire;

namespace {

/// A file in memory.
class memory_file {
public:
  memory_file() : fd_(::memfd_create("recording", 0)) {
    fuzz::require(fd_ >= 0, "a file");
  }

  memory_file(const memory_file&) = delete;

  memory_file& operator=(const memory_file&) = delete;

  ~memory_file() {
    ::close(fd_);
  }

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(fd_);
  }

  void fill(const uint8_t* data, size_t size) const {
    fuzz::require(::write(fd_, data, size) == static_cast<ssize_t>(size), "a written file");
  }

private:
  int fd_;
};

} // namespace

std::vector<std::string> fuzz::seeds() {
  std::string folder = std::filesystem::temp_directory_path() / "cafwire-fuzz-XXXXXX";
  fuzz::require(::mkdtemp(folder.data()) != nullptr, "a folder");
  auto path = folder + "/recording";
  {
    recording_writer writer;
    fuzz::require(!writer.open(path), "a new file");
    const std::byte bytes[40] = {};
    for (auto content : {stream_content::session, stream_content::link}) {
      auto stream = writer.add_stream(content, "label", *known_types::global(), true);
      fuzz::require(!writer.write(stream, stream_direction::sent, bytes), "a written piece");
    }
    fuzz::require(!writer.close(), "a complete file");
  }
  std::ifstream in{path, std::ios::binary};
  std::string content{std::istreambuf_iterator<char>{in}, {}};
  std::filesystem::remove_all(folder);
  return {std::move(content)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  memory_file file;
  file.fill(data, size);
  recording_reader reader;
  if (reader.open(file.path()))
    return 0;
  for (;;) {
    recording_chunk chunk;
    auto before = reader.offset();
    if (auto err = reader.next(chunk)) {
      fuzz::require(!reader.at_end(), "what is broken has no end");
      if (!reader.resync())
        return 0;
    } else if (reader.at_end()) {
      return 0;
    } else if (chunk.kind == chunk_kind::stream) {
      recorded_stream stream;
      std::ignore = read_recorded_stream(chunk.body, stream);
    }
    fuzz::require(reader.offset() > before && reader.offset() <= size, "the reader goes on");
  }
}
