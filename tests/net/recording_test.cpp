// This file is part of cafwire. See the file LICENSE for license terms.

// Links that record what they do.

#include "cafwire/link/authenticator.hpp"
#include "cafwire/recording/recording_reader.hpp"
#include "cafwire/session/frame.hpp"

#include "net/node.hpp"
#include "net/server.hpp"
#include "support/temporary_file.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

using namespace net_test;

using cafwire::chunk_kind;
using cafwire::stream_direction;

namespace {

cafwire::link_options recording_to(const std::string& folder) {
  cafwire::link_options result;
  result.record_to = folder;
  return result;
}

/// Lets two nodes talk, the first of which records.
void talk(const std::string& folder, cafwire::link_statistics& counts,
          const cafwire::shared_key& key = {}) {
  auto options = recording_to(folder);
  options.key = key;
  node near{options};
  options.record_to.clear();
  node far{options};
  auto port = far.publish(far.spawn(server));
  auto remote = near.connect(port);
  REQUIRE(ask<point>(near.self, remote, point{1, 2, 3}));
  near.end_links();
  counts = far.net().statistics();
}

/// The bytes that a recording has of each direction.
struct recorded {
  std::vector<std::byte> sent;
  std::vector<std::byte> received;
  size_t streams = 0;
  size_t types = 0;
  bool complete = false;
};

recorded read(const std::filesystem::path& path) {
  recorded result;
  cafwire::recording_reader reader;
  REQUIRE(reader.open(path.string()).empty());
  cafwire::recording_chunk chunk;
  while (!reader.at_end()) {
    REQUIRE(reader.next(chunk).empty());
    result.streams += chunk.kind == chunk_kind::stream ? 1 : 0;
    result.types += chunk.kind == chunk_kind::types ? 1 : 0;
    if (chunk.kind == chunk_kind::data) {
      auto& bytes = chunk.direction == stream_direction::sent ? result.sent : result.received;
      bytes.insert(bytes.end(), chunk.body.begin(), chunk.body.end());
    }
  }
  result.complete = true;
  return result;
}

} // namespace

TEST_CASE("a link records all that it sends and receives") {
  test::temporary_path folder;
  std::filesystem::create_directories(folder.path());
  cafwire::link_statistics counts;
  talk(folder.string(), counts);
  std::vector<std::filesystem::path> files;
  for (auto& entry : std::filesystem::directory_iterator{folder.path()})
    files.push_back(entry.path());
  REQUIRE(files.size() == 1);
  CHECK(files[0].filename().string().starts_with("link-"));
  CHECK(files[0].extension() == ".cafwire");
  auto content = read(files[0]);
  CHECK(content.complete);
  CHECK(content.streams == 1);
  CHECK(content.types == 1);
  // The other side has counted the same bytes.
  CHECK(content.sent.size() == counts.bytes_received);
  CHECK(content.received.size() == counts.bytes_sent);
  CHECK(content.sent.size() % 16 == 0);
}

TEST_CASE("a recording does not hold proofs of a shared key") {
  test::temporary_path folder;
  std::filesystem::create_directories(folder.path());
  cafwire::link_statistics counts;
  talk(folder.string(), counts, cafwire::shared_key{"0123456789abcdef"});
  auto content = read(std::filesystem::directory_iterator { folder.path() } -> path());
  using cafwire::detail::authenticator;
  auto proofs = cafwire::frame_size(authenticator::challenge_size)
                + cafwire::frame_size(authenticator::proof_size);
  CHECK(content.sent.size() + proofs == counts.bytes_received);
  CHECK(content.received.size() + proofs == counts.bytes_sent);
  // What is left starts with a handshake, as without a key.
  for (auto& bytes : {content.sent, content.received}) {
    cafwire::frame_header header;
    REQUIRE(cafwire::read_frame_header(bytes, cafwire::limits::untrusted(), header)
            == cafwire::ec::none);
    CHECK(header.kind == cafwire::frame_kind::handshake);
    CHECK(header.sequence == 0);
  }
}

TEST_CASE("each piece of a recording has whole frames, also those of large messages") {
  test::temporary_path folder;
  std::filesystem::create_directories(folder.path());
  {
    node near{recording_to(folder.string())};
    node far;
    auto remote = near.connect(far.publish(far.spawn(server)));
    for (auto size : {size_t{10}, size_t{1} << 20, size_t{20}, size_t{2} << 20})
      REQUIRE(ask<caf::byte_buffer>(near.self, remote, caf::byte_buffer(size)));
  }
  cafwire::recording_reader reader;
  std::filesystem::directory_iterator first{folder.path()};
  REQUIRE(reader.open(first->path().string()).empty());
  size_t frames = 0;
  for (cafwire::recording_chunk chunk; !reader.at_end();) {
    REQUIRE(reader.next(chunk).empty());
    if (chunk.kind != chunk_kind::data)
      continue;
    for (auto rest = std::span<const std::byte>{chunk.body}; !rest.empty(); ++frames) {
      REQUIRE(rest.size() >= cafwire::frame_header_size);
      cafwire::frame_header header;
      REQUIRE(cafwire::read_frame_header(rest, cafwire::limits::untrusted(), header)
              == cafwire::ec::none);
      REQUIRE(rest.size() >= cafwire::frame_size(header.body_size));
      rest = rest.subspan(cafwire::frame_size(header.body_size));
    }
  }
  CHECK(frames >= 10); // two handshakes, four requests and their answers
}

TEST_CASE("each link has a recording of its own") {
  test::temporary_path folder;
  std::filesystem::create_directories(folder.path());
  cafwire::link_statistics counts;
  talk(folder.string(), counts);
  talk(folder.string(), counts);
  using iterator = std::filesystem::directory_iterator;
  CHECK(std::distance(iterator{folder.path()}, iterator{}) == 2);
}

TEST_CASE("a link that cannot record works and says so") {
  node near{recording_to("/nowhere/at/all")};
  node far;
  auto remote = near.connect(far.publish(far.spawn(server)));
  CHECK(ask<point>(near.self, remote, point{1, 2, 3}) == point{1, 2, 3});
  CHECK(near.net().statistics().recording_errors == 1);
  CHECK(far.net().statistics().recording_errors == 0);
}
