// This file is part of cafwire. See the file LICENSE for license terms.

#include "cafwire/recording/recording_writer.hpp"

#include "cafwire/recording/recording_reader.hpp"
#include "cafwire/session/deserializer_session.hpp"
#include "cafwire/session/serializer_session.hpp"

#include "support/catch.hpp"
#include "support/session_bytes.hpp"
#include "support/session_types.hpp"
#include "support/temporary_file.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/sec.hpp>

#include <catch2/generators/catch_generators.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

using namespace cafwire;
using namespace session_test;
using test::read_file;
using test::temporary_path;
using test::write_file;

namespace {

/// Records three messages, each of them in a buffer of its own.
/// @param resets whether the session forgets everything before the last one.
void record(const std::string& path, const known_types_ptr& types, session_options options = {},
            bool resets = false) {
  recording_writer writer;
  REQUIRE_FALSE(writer.open(path));
  serializer_session session{types, options};
  auto stream = writer.add_stream(stream_content::session, "three messages", *types,
                                  session.uses_known_types());
  CHECK(stream == 0);
  auto message = [&](const auto&... xs) {
    output_buffer out;
    REQUIRE(session.write(out, xs...) == ec::none);
    REQUIRE_FALSE(writer.write(stream, stream_direction::sent, out.bytes()));
  };
  message(point{1, 2, -1});
  message(samples{std::vector<double>(100, 1.5)});
  if (resets)
    session.reset();
  message(point{1, 2, -1}, std::string{"ab"});
  REQUIRE_FALSE(writer.close());
}

/// Reads whatever messages a file has, as texts, and reports how it ends.
std::vector<std::string> replay(const std::string& path, caf::error& reason,
                                const known_types_ptr& types = known_types::global()) {
  std::vector<std::string> result;
  recording_reader reader;
  if (reason = reader.open(path); !reason.empty())
    return result;
  deserializer_session session{types};
  recorded_stream stream;
  recording_chunk chunk;
  auto read_all = [&] {
    input_cursor in{chunk.body};
    caf::message msg;
    while (session.read_message(in, msg) == ec::none)
      result.push_back(caf::deep_to_string(msg));
    CHECK(session.status() == read_status::need_more);
    CHECK(in.at_end());
  };
  while (!reader.at_end()) {
    if (reason = reader.next(chunk); !reason.empty())
      return result;
    CHECK(reinterpret_cast<uintptr_t>(chunk.body.data()) % chunk_alignment == 0);
    CHECK(chunk.time > 0);
    if (chunk.kind == chunk_kind::stream)
      REQUIRE(read_recorded_stream(chunk.body, stream) == ec::none);
    else if (chunk.kind == chunk_kind::data)
      read_all();
    else if (chunk.kind == chunk_kind::types && stream.uses_known_types)
      REQUIRE(session.read_known_types(chunk.body) == ec::none);
  }
  return result;
}

std::vector<std::string> expected() {
  return {caf::deep_to_string(caf::make_message(point{1, 2, -1})),
          caf::deep_to_string(caf::make_message(samples{std::vector<double>(100, 1.5)})),
          caf::deep_to_string(caf::make_message(point{1, 2, -1}, std::string{"ab"}))};
}

/// Types with definitions of an ordinary size.
known_types_ptr some_types() {
  return known_types::only({caf::type_id_v<point>, caf::type_id_v<samples>});
}

} // namespace

TEST_CASE("a recorded session comes back") {
  temporary_path file;
  record(file.string(), known_types::global());
  caf::error reason;
  CHECK(replay(file.string(), reason) == expected());
  CHECK(reason.empty());
}

TEST_CASE("a recording defines the types that its session did not define") {
  temporary_path file;
  auto types = some_types();
  session_options options;
  options.peer_registry_hash = types->hash();
  auto resets = GENERATE(false, true);
  record(file.string(), types, options, resets);
  caf::error reason;
  // A program with another registry reads it, too.
  CHECK(replay(file.string(), reason, known_types::global()) == expected());
  CHECK(reason.empty());
  CHECK(replay(file.string(), reason, types) == expected());
  CHECK(reason.empty());
}

TEST_CASE("types that were not defined are read before everything else") {
  stream_builder types;
  types.type(512, "session_test::point", layout::schema_of<point>().fingerprint,
             layout::schema_of<point>().text);
  auto bytes = types.bytes();
  output_buffer out;
  serializer_session writer;
  REQUIRE(writer.write(out, point{1, 2, -1}) == ec::none);
  point x;
  SECTION("every beginning of them is refused") {
    for (size_t n = 1; n < bytes.size(); ++n) {
      deserializer_session session;
      exact_copy cut{std::span{bytes}.first(n)};
      CHECK(session.read_known_types(cut.get()) != ec::none);
      CHECK(session.status() == read_status::broken);
      input_cursor in{out.bytes()};
      CHECK(session.read(in, x) != ec::none);
    }
  }
  SECTION("other records are refused") {
    deserializer_session session;
    CHECK(session.read_known_types(out.bytes()) == ec::invalid_definition);
  }
  SECTION("it is too late behind a message") {
    deserializer_session session;
    input_cursor in{out.bytes()};
    REQUIRE(session.read(in, x) == ec::none);
    CHECK(session.read_known_types(bytes) == ec::invalid_definition);
  }
  SECTION("none are good, too") {
    deserializer_session session;
    CHECK(session.read_known_types({}) == ec::none);
    input_cursor in{out.bytes()};
    CHECK(session.read(in, x) == ec::none);
    CHECK(x == point{1, 2, -1});
  }
}

TEST_CASE("values of other versions are converted behind a reset, too") {
  // The type of the writer has one field more.
  std::string schema = "session_test\\:\\:point;session_test\\:\\:point{w:i8,x:i32,y:i32,z:i32}";
  stream_builder types;
  types.type(512, "session_test::point", layout::fingerprint_of(schema), schema);
  deserializer_session session;
  REQUIRE(session.read_known_types(types.bytes()) == ec::none);
  for (auto round = 0; round < 3; ++round) {
    stream_builder stream;
    if (round != 0)
      stream.reset();
    stream.signature(1, {512}).message(1, "07 01 00*3 02 00*3 03 00*3");
    exact_copy input{stream.bytes()};
    input_cursor in{input.get()};
    point x;
    REQUIRE(session.read(in, x) == ec::none);
    CHECK(x == point{1, 2, 3});
  }
}

TEST_CASE("a recording tells the schemas of all types, however large they are") {
  temporary_path file;
  {
    recording_writer writer;
    REQUIRE_FALSE(writer.open(file.string()));
    auto types = known_types::only({caf::type_id_v<verbose>});
    writer.add_stream(stream_content::link, "", *types);
  }
  recording_reader reader;
  REQUIRE(reader.open(file.string()).empty());
  recording_chunk chunk;
  REQUIRE(reader.next(chunk).empty());
  REQUIRE(reader.next(chunk).empty());
  REQUIRE(chunk.kind == chunk_kind::types);
  deserializer_session session;
  CHECK(session.read_known_types(chunk.body) == ec::none);
  auto text = std::string_view{reinterpret_cast<const char*>(chunk.body.data()), chunk.body.size()};
  CHECK(text.find(layout::schema_of<verbose>().text) != std::string_view::npos);
}

TEST_CASE("pieces of a recording tell where they belong") {
  temporary_path file;
  recording_writer writer;
  REQUIRE_FALSE(writer.open(file.string()));
  auto types = known_types::only({});
  CHECK(writer.add_stream(stream_content::link, "first", *types) == 0);
  CHECK(writer.add_stream(stream_content::session, "second", *types, true) == 1);
  const std::byte bytes[] = {std::byte{1}, std::byte{2}};
  REQUIRE_FALSE(writer.write(1, stream_direction::received, bytes));
  REQUIRE_FALSE(writer.write(0, stream_direction::sent, {}));
  REQUIRE_FALSE(writer.close());
  recording_reader reader;
  REQUIRE(reader.open(file.string()).empty());
  recording_chunk chunk;
  recorded_stream stream;
  REQUIRE(reader.next(chunk).empty());
  CHECK(chunk.offset == recording_header_size);
  REQUIRE(read_recorded_stream(chunk.body, stream) == ec::none);
  CHECK(stream.content == stream_content::link);
  CHECK(stream.label == "first");
  CHECK_FALSE(stream.uses_known_types);
  REQUIRE(reader.next(chunk).empty()); // its types
  CHECK(chunk.body.empty());
  REQUIRE(reader.next(chunk).empty());
  CHECK(chunk.stream == 1);
  REQUIRE(read_recorded_stream(chunk.body, stream) == ec::none);
  CHECK(stream.content == stream_content::session);
  CHECK(stream.uses_known_types);
  REQUIRE(reader.next(chunk).empty());
  REQUIRE(reader.next(chunk).empty());
  CHECK(chunk.kind == chunk_kind::data);
  CHECK(chunk.stream == 1);
  CHECK(chunk.direction == stream_direction::received);
  CHECK(chunk.body.size() == 2);
  CHECK_FALSE(reader.at_end());
  // Nothing was written for the empty piece.
  REQUIRE(reader.next(chunk).empty());
  CHECK(chunk.kind == chunk_kind::end);
  CHECK(reader.at_end());
}

TEST_CASE("a recording that was cut reads up to the cut") {
  temporary_path file;
  record(file.string(), some_types());
  auto bytes = read_file(file.path());
  size_t most = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    write_file(file.path(), std::span{bytes}.first(size));
    caf::error reason;
    auto messages = replay(file.string(), reason);
    INFO(size << ": " << to_string(reason));
    CHECK((reason == ec::unexpected_end || (size == 0 && reason == ec::invalid_frame)));
    CHECK(messages.size() >= most);
    most = messages.size();
  }
  CHECK(most == 3);
}

TEST_CASE("a recording of a program that died has all that was written") {
  temporary_path file;
  auto types = some_types();
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    recording_writer writer;
    serializer_session session{types};
    output_buffer out;
    auto ok = !writer.open(file.string()) && session.write(out, point{1, 2, -1}) == ec::none;
    auto stream = writer.add_stream(stream_content::session, "", *types);
    ok = ok && !writer.write(stream, stream_direction::sent, out.bytes());
    ::_exit(ok ? 0 : 1); // without any destructor
  }
  auto status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  caf::error reason;
  CHECK(replay(file.string(), reason).size() == 1);
  CHECK(reason == ec::unexpected_end);
}

TEST_CASE("damage is found, and what stands behind it can be read") {
  temporary_path file;
  record(file.string(), some_types());
  auto bytes = read_file(file.path());
  for (size_t i = 0; i < bytes.size(); ++i) {
    INFO("byte " << i);
    auto damaged = bytes;
    damaged[i] ^= std::byte{0x11};
    write_file(file.path(), damaged);
    recording_reader reader;
    if (auto reason = reader.open(file.string()); !reason.empty()) {
      CHECK(i < recording_header_size);
      CHECK((reason == ec::invalid_frame || reason == ec::incompatible_version));
      continue;
    }
    CHECK(i >= recording_header_size);
    recording_chunk chunk;
    size_t chunks = 0;
    size_t problems = 0;
    while (!reader.at_end()) {
      auto reason = reader.next(chunk);
      if (reason.empty()) {
        ++chunks;
        continue;
      }
      CHECK(to_string(reason).find("offset") != std::string::npos);
      ++problems;
      if (!reader.resync())
        break;
    }
    // Stream, types, three messages, end: one of them is lost.
    CHECK(chunks == 5);
    CHECK(problems == 1);
  }
}

TEST_CASE("a file full of headers does not keep a reader busy") {
  temporary_path file;
  record(file.string(), some_types());
  auto bytes = read_file(file.path());
  // Four million bytes, each second block of which announces all that follow.
  auto header = std::vector<std::byte>(bytes.begin() + recording_header_size,
                                       bytes.begin() + recording_header_size + chunk_header_size);
  // The last chunk but one is a whole one with data.
  auto whole = std::vector<std::byte>(bytes.end() - 96, bytes.end() - 32);
  bytes.resize(recording_header_size);
  constexpr size_t count = 125'000;
  for (size_t i = 0; i < count; ++i) {
    auto rest = static_cast<uint32_t>((count - i - 1) * chunk_header_size);
    for (auto k = 0; k < 4; ++k)
      header[static_cast<size_t>(8 + k)] = static_cast<std::byte>(rest >> (8 * k));
    bytes.insert(bytes.end(), header.begin(), header.end());
    // Whole ones in between must not change that.
    if (i % 100 == 0)
      bytes.insert(bytes.end(), whole.begin(), whole.end());
  }
  write_file(file.path(), bytes);
  recording_reader reader;
  REQUIRE(reader.open(file.string()).empty());
  recording_chunk chunk;
  // To hash all of that would take minutes.
  auto start = std::chrono::steady_clock::now();
  CHECK(reader.next(chunk) == ec::invalid_frame);
  size_t found = 0;
  for (; reader.resync(); ++found)
    while (reader.next(chunk).empty())
      CHECK(chunk.kind == chunk_kind::data);
  CHECK(found > 0);
  CHECK(found < count / 100);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{20});
}

TEST_CASE("what is no recording is refused") {
  temporary_path file;
  recording_reader reader;
  CHECK(reader.open(file.string()) == caf::sec::cannot_open_file);
  CHECK(reader.open("/") == caf::sec::cannot_open_file);
  recording_chunk chunk;
  CHECK(reader.next(chunk) == ec::unexpected_end);
  CHECK_FALSE(reader.resync());
  for (auto text : {"", "x", "cafwire\n", "this is no recording"}) {
    auto content = std::string_view{text};
    write_file(file.path(), std::as_bytes(std::span{content}));
    CHECK(reader.open(file.string()) == ec::invalid_frame);
  }
  record(file.string() + "-2", some_types());
  std::filesystem::rename(file.string() + "-2", file.path());
  auto bytes = read_file(file.path());
  bytes.resize(bytes.size() + 16);
  write_file(file.path(), bytes);
  caf::error reason;
  CHECK(replay(file.string(), reason).size() == 3);
  CHECK(reason == ec::trailing_bytes);
}

TEST_CASE("a writer tells what is wrong with its file") {
  temporary_path file;
  recording_writer writer;
  const std::byte byte{1};
  CHECK(writer.write(0, stream_direction::sent, {&byte, 1}) == std::errc::bad_file_descriptor);
  CHECK(writer.open("/nowhere/at/all") == std::errc::no_such_file_or_directory);
  REQUIRE_FALSE(writer.open(file.string()));
  recording_writer other;
  CHECK(other.open(file.string()) == std::errc::file_exists);
  {
    // Nobody looks at these bytes.
    temporary_path another;
    REQUIRE_FALSE(other.open(another.string()));
    CHECK(other.write(0, stream_direction::sent, {&byte, size_t{1} << 32})
          == std::errc::message_size);
    CHECK(other.close() == std::errc::message_size);
  }
  // Like a full disk.
  auto old_limit = rlimit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
  auto limit = old_limit;
  limit.rlim_cur = 4096;
  auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  auto status = writer.write(0, stream_direction::sent, std::vector<std::byte>(5000));
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  CHECK(status == std::errc::file_too_large);
  CHECK(writer.status() == std::errc::file_too_large);
  // Nothing is written behind an error.
  auto size = std::filesystem::file_size(file.path());
  CHECK(writer.write(0, stream_direction::sent, {&byte, 1}) == std::errc::file_too_large);
  CHECK(writer.close() == std::errc::file_too_large);
  CHECK(std::filesystem::file_size(file.path()) == size);
}

TEST_CASE("several threads may write to a recording") {
  temporary_path file;
  recording_writer writer;
  REQUIRE_FALSE(writer.open(file.string()));
  auto run = [&](stream_direction direction) {
    std::vector<std::byte> bytes(100, static_cast<std::byte>(direction));
    for (auto i = 0; i < 200; ++i)
      writer.write(0, direction, bytes);
  };
  std::thread first{run, stream_direction::sent};
  std::thread second{run, stream_direction::received};
  first.join();
  second.join();
  REQUIRE_FALSE(writer.close());
  recording_reader reader;
  REQUIRE(reader.open(file.string()).empty());
  size_t counts[2] = {};
  recording_chunk chunk;
  while (!reader.at_end()) {
    REQUIRE(reader.next(chunk).empty());
    if (chunk.kind == chunk_kind::data) {
      ++counts[static_cast<size_t>(chunk.direction)];
      CHECK(chunk.body.size() == 100);
      CHECK(chunk.body[99] == static_cast<std::byte>(chunk.direction));
    }
  }
  CHECK(counts[0] == 200);
  CHECK(counts[1] == 200);
}
