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
      CHECK(chunk.body.size() % cafwire::frame_alignment == 0);
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

TEST_CASE("a link records whole frames, however large they are") {
  test::temporary_path folder;
  std::filesystem::create_directories(folder.path());
  {
    node near{recording_to(folder.string())};
    node far;
    auto remote = near.connect(far.publish(far.spawn(server)));
    for (size_t size : {0, 1000, 40'000, 200'000, 3'000'000, 10})
      request(near.self, remote, patience, caf::byte_buffer(size))
        .receive([](const caf::byte_buffer&) {},
                 [](const caf::error& reason) { FAIL(to_string(reason)); });
    near.end_links();
  }
  for (auto& entry : std::filesystem::directory_iterator{folder.path()}) {
    auto content = read(entry.path());
    size_t largest = 0;
    for (std::span<const std::byte> rest : {std::span{content.sent}, std::span{content.received}}) {
      while (!rest.empty()) {
        cafwire::frame_header header;
        REQUIRE(rest.size() >= cafwire::frame_header_size);
        REQUIRE(cafwire::read_frame_header(rest, cafwire::limits::trusted(), header)
                == cafwire::ec::none);
        auto size = cafwire::frame_size(header.body_size);
        REQUIRE(size <= rest.size());
        CHECK(cafwire::check_frame_padding(rest.first(size), header.body_size)
              == cafwire::ec::none);
        largest = std::max(largest, size);
        rest = rest.subspan(size);
      }
    }
    CHECK(largest > 3'000'000);
  }
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
